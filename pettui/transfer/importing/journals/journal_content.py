"""The content of a journal file ↔ the ledger that it adds up to.

A file starts with the ledger as it was when the file was last opened, followed by what happened
since. Its last record may be incomplete, or followed by zeros, which reserve space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.models import INT64_MAXIMUM, INT64_MINIMUM
from pettui.transfer.importing.journals.journal_records import (
    MAGIC,
    PLAN,
    VERSION,
    NotARecordError,
    decoded,
    encoded,
    is_plan,
    number_of,
    number_or_none,
    number_word,
    text_of,
    text_word,
)
from pettui.transfer.importing.journals.line_ledger import LineLedger
from pettui.transfer.importing.line_keys import LineKey
from pettui.transfer.importing.line_states import AddedLine, UnknownLine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pettui.transfer.importing.line_states import LineState

_NO_BOOT: Final = "-"


class DamagedJournalError(Exception):
    """A content that is not understood; the text says why in a few words."""


def whole_content(ledger: LineLedger, address: str, boot: str | None) -> Iterator[bytes]:
    """Return a ledger as the content of a new file, to be continued during this boot."""
    again = (str(ledger.again_count), str(int(ledger.is_again)))
    known = (str(len(ledger.states)), boot or _NO_BOOT, text_word(address))
    yield encoded(0, MAGIC, VERSION, *known, *again)
    for number, (key, state) in enumerate(ledger.states.items(), start=1):
        yield encoded(number, *_words_of(key, state))


def read_content(content: bytes, address: str, boot: str | None) -> LineLedger:
    """Return the ledger that a file's content adds up to.

    Args:
        content: of the file.
        address: that it must be of.
        boot: identifies this start of the computer, if known. Of what was written during another
            one, only plans were synced; the rest may not have reached the disk.

    Raises:
        DamagedJournalError: it is not understood, or is of another address.
    """
    lines = content.split(b"\n")
    del lines[-1]  # incomplete, empty, or reserved space
    ledger = LineLedger()
    known, is_same_boot = _read_header(lines, ledger, address, boot)
    number = 1
    try:
        for number, line in enumerate(lines[1:], start=1):
            _apply(ledger, number, decoded(number, line), is_known=number <= known)
        number = len(lines)
    except (NotARecordError, KeyError, IndexError, UnicodeDecodeError) as error:
        is_lost_at_power_cut = number > known and not is_same_boot
        if not is_lost_at_power_cut or any(map(is_plan, lines[number:])):
            raise DamagedJournalError(f"its line {number + 1} is damaged") from error
    if number <= known:
        raise DamagedJournalError("its end is missing")
    if not is_same_boot:
        ledger.lose_planned()
    return ledger


def read_address(content: bytes) -> str:
    """Return the address of a journal; raises DamagedJournalError."""
    return _header(content.partition(b"\n")[0])[1]


def _header(line: bytes) -> tuple[int, str, str, int, bool]:
    """Return the values of a first line: known lines, address, boot, and two on ``--again``."""
    if MAGIC.encode() not in line:
        raise DamagedJournalError("it is not a journal of imports")
    try:
        magic, version, *words = decoded(0, line)
        if (magic, version) != (MAGIC, VERSION):
            raise DamagedJournalError("another version of pettui wrote it")
        known, boot, address, again, is_again = words
        return number_of(known), text_of(address), boot, number_of(again), is_again == "1"
    except (ValueError, UnicodeDecodeError):
        raise DamagedJournalError("its first line is damaged") from None


def _read_header(
    lines: Sequence[bytes], ledger: LineLedger, address: str, boot: str | None
) -> tuple[int, bool]:
    """Return the number of known lines, and whether the file was written during this boot."""
    known, its_address, its_boot, again, is_again = _header(lines[0] if lines else b"")
    if its_address != address:
        raise DamagedJournalError("it belongs to another address")
    ledger.again_count, ledger.is_again = again, is_again
    return known, its_boot == boot


def _words_of(key: LineKey, state: LineState) -> tuple[str, ...]:
    if isinstance(state, AddedLine):
        return "known-added", key, str(state.pet_id), str(state.again)
    since, after_id = str(int(state.since)), number_word(state.after_id)
    return "known-lost", key, since, after_id, text_word(state.reason)


def _apply(ledger: LineLedger, number: int, words: Sequence[str], *, is_known: bool) -> None:
    match words:
        case ["known-added", key, pet_id, again] if is_known:
            ledger.known(LineKey(key), AddedLine(_id(pet_id), number_of(again)))
        case ["known-lost", key, since, after_id, reason] if is_known:
            lost = UnknownLine(number_of(since), number_or_none(after_id), text_of(reason))
            ledger.known(LineKey(key), lost)
        case _ if is_known:
            raise NotARecordError("it is unknown")
        case [name, own_number, *keys] if name == PLAN and own_number == str(number):
            ledger.plan(map(LineKey, keys))
        case _:
            _apply_change(ledger, words)


def _apply_change(ledger: LineLedger, words: Sequence[str]) -> None:
    match words:
        case ["begin", since, after_id]:
            ledger.begin(number_of(since), number_or_none(after_id))
        case ["begin-again"]:
            ledger.begin_again()
        case ["end-again"]:
            ledger.end_again()
        case ["end-plan"]:
            ledger.end_plan()
        case ["send", key]:
            ledger.send(LineKey(key))
        case ["added", key, pet_id]:
            ledger.added(LineKey(key), _id(pet_id))
        case ["refused", key]:
            ledger.refused(LineKey(key))
        case ["postponed", key]:
            ledger.postponed(LineKey(key))
        case ["lost", key, reason]:
            ledger.lost(LineKey(key), text_of(reason))
        case _:
            raise NotARecordError("it is unknown")


def _id(word: str) -> int:
    pet_id = number_of(word)
    if not INT64_MINIMUM <= pet_id <= INT64_MAXIMUM:
        raise NotARecordError("it is not an id")
    return pet_id
