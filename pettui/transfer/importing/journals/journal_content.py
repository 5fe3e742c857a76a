"""The content of a journal's file ↔ what it adds up to.

A file begins with what was known when it was opened last, written whole, and goes on with what
happened since. Its last record may be torn, or followed by the zeros that keep room for more.
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
    in_a_word,
    in_a_word_or_none,
    is_plan,
    number_of,
    number_or_none,
    text_of,
)
from pettui.transfer.importing.journals.line_ledger import LineLedger
from pettui.transfer.importing.line_keys import LineKey
from pettui.transfer.importing.line_states import AddedLine, UnknownLine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pettui.transfer.importing.line_states import LineState

_NO_BOOT: Final = "-"


class DamagedJournalError(Exception):
    """A content that is not understood; the text says why, in a few words."""


def whole_content(ledger: LineLedger, address: str, boot: str | None) -> Iterator[bytes]:
    """Return what a ledger holds as a file's content, to be gone on with during this boot."""
    again = (str(ledger.again_count), str(int(ledger.is_again)))
    known = (str(len(ledger.states)), boot or _NO_BOOT, in_a_word(address))
    yield encoded(0, MAGIC, VERSION, *known, *again)
    for number, (key, state) in enumerate(ledger.states.items(), start=1):
        yield encoded(number, *_words_of(key, state))


def read_content(content: bytes, address: str, boot: str | None) -> LineLedger:
    """Return what a file's content adds up to.

    Args:
        content: of the file.
        address: whose lines it must be about.
        boot: which start of the computer this is, where that is known. What was written during
            another one may not have reached the disk, if it was not synced: only plans were.

    Raises:
        DamagedJournalError: it is not understood, or another address's.
    """
    lines = content.split(b"\n")
    del lines[-1]  # torn, or nothing, or room for more
    ledger = LineLedger()
    known, is_same_boot = _read_header(lines, ledger, address, boot)
    number = 1
    try:
        for number, line in enumerate(lines[1:], start=1):
            _apply(ledger, number, decoded(number, line), is_kept=number <= known)
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
    """Return the address that a journal is about; raises DamagedJournalError."""
    return _header(content.partition(b"\n")[0])[1]


def _header(line: bytes) -> tuple[int, str, str, int, bool]:
    """Return what a first line says: lines written whole, address, boot, and of ``--again``."""
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
    """Return how many lines were written whole, and whether all that is written counts."""
    known, its_address, its_boot, again, is_again = _header(lines[0] if lines else b"")
    if its_address != address:
        raise DamagedJournalError("it belongs to another address")
    ledger.again_count, ledger.is_again = again, is_again
    return known, its_boot == boot


def _words_of(key: LineKey, state: LineState) -> tuple[str, ...]:
    if isinstance(state, AddedLine):
        return "known-added", key, str(state.pet_id), str(state.again)
    since, after_id = str(int(state.since)), in_a_word_or_none(state.after_id)
    return "known-lost", key, since, after_id, in_a_word(state.reason)


def _apply(ledger: LineLedger, number: int, words: Sequence[str], *, is_kept: bool) -> None:
    match words:
        case ["known-added", key, pet_id, again] if is_kept:
            ledger.kept(LineKey(key), AddedLine(_id(pet_id), number_of(again)))
        case ["known-lost", key, since, after_id, reason] if is_kept:
            lost = UnknownLine(number_of(since), number_or_none(after_id), text_of(reason))
            ledger.kept(LineKey(key), lost)
        case _ if is_kept:
            raise NotARecordError("it is not known")
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
            raise NotARecordError("it is not known")


def _id(word: str) -> int:
    pet_id = number_of(word)
    if not INT64_MINIMUM <= pet_id <= INT64_MAXIMUM:
        raise NotARecordError("it is no id")
    return pet_id
