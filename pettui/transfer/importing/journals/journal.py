"""Journal: the outcome of every line that was ever imported to one base address."""

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
    number_word,
    short_word,
)
from pettui.transfer.importing.journals.line_ledger import LineLedger

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Self

    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.importing.line_states import LineState

_REASON: Final = 400  # bytes of the reason why a line is unknown
_ROOM: Final = 128 + _REASON  # bytes, at most, of all records of a line except its plan
_AHEAD: Final = 16  # lines to plan at once, for each that is sent at once


class Journal:
    """Records the state of each line, by its key, before the line is sent.

    A group of lines is planned, and the plan synced, before they are sent. Later records are
    written at once, and synced with the next plan. So if the process is killed, only lines that
    were being sent become unknown; if the computer goes down, lines that were planned do.

    Every change may raise JournalError; then the line must not be sent. Space is reserved for the
    outcomes of planned lines.
    """

    def __init__(
        self, ledger: LineLedger, file: JournalFile | NoFile, size: int, *, is_sure: bool
    ) -> None:
        """Create a journal of a ledger and its file of so many lines.

        ``is_sure`` means that unsynced records survive the end of the process.
        """
        self._ledger = ledger
        self._file = file
        self._size = size
        self._is_sure = is_sure

    @classmethod
    def open(cls, directory: Path, address: str, *, boot: str | None = None) -> Self:
        """Open the journal of a base address, and lock it until ``close``; it blocks.

        Args:
            directory: of the journals of all addresses; created, 0700, if missing.
            address: the service's base address in any spelling, or an embedded store's file.
            boot: identifies this start of the computer; None to find it out.

        Raises:
            JournalBusyError: another import to the same address is under way.
            JournalError: it cannot be read, understood or written; a file that is not understood
                is left unchanged.
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
        """Return a journal without a file."""
        return cls(LineLedger(), NoFile(), 1, is_sure=True)

    @property
    def added_ids(self) -> frozenset[int]:
        """The animals that lines became."""
        return self._ledger.added_ids

    def state(self, key: LineKey) -> LineState | None:
        """Return the state of a line; None if it was not sent, or was refused."""
        return self._ledger.states.get(key)

    def is_added_now(self, state: LineState) -> bool:
        """Whether a line was added since ``--again`` was given."""
        return self._ledger.is_current(state)

    def plan_size(self, parallel: int) -> int:
        """Return how many lines to plan at once if so many are sent at once."""
        return parallel * _AHEAD if self._is_sure else parallel

    def begin(self, since: float, after_id: int | None) -> None:
        """Record the start of an import.

        Args:
            since: now, in wall-clock seconds.
            after_id: the highest id before the import; None if unknown.
        """
        self._add("begin", str(int(since)), number_word(after_id))
        self._ledger.begin(int(since), after_id)

    def begin_again(self) -> None:
        """Record that added lines are sent again, unless that is already under way."""
        if not self._ledger.is_again:
            self._add("begin-again")
            self._ledger.begin_again()

    def end_again(self) -> None:
        """Record that all lines were sent again."""
        if self._ledger.is_again:
            self._add("end-again")
            self._ledger.end_again()

    def plan(self, keys: Sequence[LineKey]) -> None:
        """Record lines that may be sent once this is synced."""
        words = (PLAN, str(self._size), *keys)
        self._reserve(len(encoded(self._size, *words)) + len(keys) * _ROOM)
        self._add(*words)
        self._ledger.plan(keys)

    async def sync(self) -> None:
        """Wait until all plans are on the disk; the loop goes on meanwhile."""
        try:
            syncing = asyncio.get_running_loop().run_in_executor(None, self._file.sync)
        except RuntimeError:  # no thread could be started
            self._file.sync()
            return
        try:
            await asyncio.shield(syncing)
        except asyncio.CancelledError:
            # The file must not be closed before; an exception is retrieved, or it would be logged.
            await asyncio.gather(syncing, return_exceptions=True)
            raise

    def send(self, key: LineKey) -> None:
        """Record that a planned line is being sent."""
        self._reserve(0)
        self._add("send", key)
        self._ledger.send(key)

    def added(self, key: LineKey, pet_id: int) -> None:
        """Record the animal that a line became."""
        self._ledger.added(key, pet_id)
        self._add("added", key, str(pet_id))

    def refused(self, key: LineKey) -> None:
        """Record that a line was refused."""
        self._ledger.refused(key)
        self._add("refused", key)

    def postponed(self, key: LineKey) -> None:
        """Record that a line was not sent after all; it is still planned."""
        self._ledger.postponed(key)
        self._add("postponed", key)

    def lost(self, key: LineKey, reason: str) -> None:
        """Record why the outcome of a line is unknown."""
        self._ledger.lost(key, reason)
        self._add("lost", key, short_word(reason, _REASON))

    def close(self) -> None:
        """Unlock the journal; planned lines that were not sent are not unknown then. It blocks."""
        with suppress(JournalError):
            self._add("end-plan")
        self._file.close()

    def _reserve(self, size: int) -> None:
        """Reserve so many bytes, and those for the outcomes of all planned lines."""
        self._file.reserve(size + self._ledger.outstanding * _ROOM)

    def _add(self, *words: str) -> None:
        self._file.add(encoded(self._size, *words))
        self._size += 1
