"""Journal: what became of every line that was ever imported to one base address."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.service_addresses import same_address
from pettui.transfer.importing.journals.journal_content import (
    DamagedJournalError,
    read_content,
    whole_content,
)
from pettui.transfer.importing.journals.journal_file import (
    JournalError,
    JournalFile,
    NoFile,
    journal_path,
    not_usable,
    this_boot,
)
from pettui.transfer.importing.journals.journal_records import (
    PLAN,
    encoded,
    in_a_short_word,
    in_a_word_or_none,
)
from pettui.transfer.importing.journals.line_ledger import LineLedger

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Self

    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.importing.line_states import LineState

_REASON: Final = 400  # bytes that are kept of why a line is unknown
_ROOM: Final = 128 + _REASON  # bytes that all records of one line take at most, but its plan's
_AHEAD: Final = 16  # times as many lines as are sent at once may be planned in one go


class Journal:
    """Knows each line by its key; a line's state is kept before the line is sent.

    A group of lines is planned, and that is synced, before they are sent; what comes after that is
    written, and synced with the next plan. So a killed process costs the lines that were out their
    certainty, and a computer that goes down those that were planned.

    Every change may raise JournalError, and what it is about is not to be sent then. There is room
    for the outcomes of what was planned.
    """

    def __init__(
        self, ledger: LineLedger, file: JournalFile | NoFile, size: int, *, is_sure: bool
    ) -> None:
        """Take what is known, and its file of so many lines.

        ``is_sure`` says that what is not synced outlives the process.
        """
        self._ledger = ledger
        self._file = file
        self._size = size
        self._is_sure = is_sure

    @classmethod
    def open(cls, directory: Path, address: str, *, boot: str | None = None) -> Self:
        """Open the journal of a base address, and lock it until ``close``; blocking.

        Args:
            directory: of the journals of all addresses; made, 0700, where it is not there.
            address: the service's base address in any of its spellings, or an embedded store's
                file.
            boot: which start of the computer this is; None is found out.

        Raises:
            JournalBusyError: another import to the same address is under way.
            JournalError: it cannot be read, is not understood, or cannot be written. What is not
                understood is left as it is.
        """
        address, boot = same_address(address), boot or this_boot()
        path = journal_path(directory, address)
        file = JournalFile(path)
        try:
            content = file.read()
            ledger = LineLedger() if content is None else read_content(content, address, boot)
            file.start(whole_content(ledger, address, boot))
        except DamagedJournalError as error:
            file.close()
            raise not_usable(path, str(error)) from error
        except BaseException:
            file.close()
            raise
        return cls(ledger, file, len(ledger.states) + 1, is_sure=boot is not None)

    @classmethod
    def in_memory(cls) -> Self:
        """Return a journal that is gone at the end."""
        return cls(LineLedger(), NoFile(), 1, is_sure=True)

    @property
    def added_ids(self) -> frozenset[int]:
        """The animals that lines became."""
        return self._ledger.added_ids

    def state(self, key: LineKey) -> LineState | None:
        """Return what is known of a line; None where it was not sent, or was refused."""
        return self._ledger.states.get(key)

    def is_added_now(self, state: LineState) -> bool:
        """Whether a line was added by the import that ``--again`` is said of, or since."""
        return self._ledger.is_current(state)

    def plan_size(self, parallel: int) -> int:
        """Return how many lines are planned in one go where so many are sent at once."""
        return parallel * _AHEAD if self._is_sure else parallel

    def begin(self, since: float, after_id: int | None) -> None:
        """Begin an import.

        Args:
            since: now, in wall-clock seconds.
            after_id: animals up to this id are there before; None where that is not known.
        """
        self._add("begin", str(int(since)), in_a_word_or_none(after_id))
        self._ledger.begin(int(since), after_id)

    def begin_again(self) -> None:
        """Begin to send added lines again, or go on with that where it did not come to its end."""
        if not self._ledger.is_again:
            self._add("begin-again")
            self._ledger.begin_again()

    def end_again(self) -> None:
        """Note that all were sent again: the next time it is another import."""
        if self._ledger.is_again:
            self._add("end-again")
            self._ledger.end_again()

    def plan(self, keys: Sequence[LineKey]) -> None:
        """Note lines that may be sent once this was synced."""
        words = (PLAN, str(self._size), *keys)
        self._make_room(len(encoded(self._size, *words)) + len(keys) * _ROOM)
        self._add(*words)
        self._ledger.plan(keys)

    async def sync(self) -> None:
        """Return once all plans last; the loop goes on meanwhile."""
        try:
            syncing = asyncio.get_running_loop().run_in_executor(None, self._file.sync)
        except RuntimeError:  # no thread could be started
            self._file.sync()
            return
        try:
            await asyncio.shield(syncing)
        except asyncio.CancelledError:
            # Nobody may close the file before; and what it raised is looked at, or it is logged.
            await asyncio.gather(syncing, return_exceptions=True)
            raise

    def send(self, key: LineKey) -> None:
        """Keep that a planned line is out from now on."""
        self._make_room(0)
        self._add("send", key)
        self._ledger.send(key)

    def added(self, key: LineKey, pet_id: int) -> None:
        """Keep which animal a line became."""
        self._ledger.added(key, pet_id)
        self._add("added", key, str(pet_id))

    def refused(self, key: LineKey) -> None:
        """Keep that a line was not taken."""
        self._ledger.refused(key)
        self._add("refused", key)

    def postponed(self, key: LineKey) -> None:
        """Keep that a line did not go out after all; it is still planned."""
        self._ledger.postponed(key)
        self._add("postponed", key)

    def lost(self, key: LineKey, reason: str) -> None:
        """Keep why it is not known what became of a line."""
        self._ledger.lost(key, reason)
        self._add("lost", key, in_a_short_word(reason, _REASON))

    def close(self) -> None:
        """Unlock it; what was planned and did not go out is not taken for sent. It blocks."""
        with suppress(JournalError):
            self._add("end-plan")
        self._file.close()

    def _make_room(self, size: int) -> None:
        """Make room for so many bytes, and for what becomes of all lines that are planned."""
        self._file.make_room(size + self._ledger.outstanding * _ROOM)

    def _add(self, *words: str) -> None:
        self._file.add(encoded(self._size, *words))
        self._size += 1
