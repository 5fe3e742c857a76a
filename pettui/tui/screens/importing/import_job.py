"""ImportJob: one file on its way to the service, from the look at its lines to the result."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from pettui.transfer.errors import TransferError
from pettui.transfer.importing.import_duplicates import find_duplicates
from pettui.transfer.importing.import_plan import import_plan
from pettui.transfer.importing.import_run import ImportOptions, ImportRun, until_over
from pettui.transfer.importing.import_summary import import_summary
from pettui.transfer.importing.line_keys import numbered_lines
from pettui.transfer.importing.line_states import LineOutcome, OutcomeKind
from pettui.transfer.importing.result_file import result_lines, write_result
from pettui.transfer.importing.unknown_check import check_unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pettui.client import Notice, OnWait, PetClient
    from pettui.transfer.importing.import_duplicates import ImportDuplicates
    from pettui.transfer.importing.import_run import ImportProgress
    from pettui.transfer.importing.import_summary import ImportSummary
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.transfer.importing.unknown_check import UnknownCheck
    from pettui.transfer.reading.import_lines import GoodLine
    from pettui.tui.screens.importing.checked_file import CheckedFile


class Phase(Enum):
    """How far a job is."""

    LOOKING = auto()  # nobody knows yet which lines are duplicates
    READY = auto()
    SENDING = auto()
    OVER = auto()  # sent, as far as it went; the result is written


class ImportJob:
    """What is to be sent can be chosen until it is sent, and again when that is over."""

    def __init__(self, client: PetClient, journal: Journal, file: CheckedFile) -> None:
        """Take what is needed.

        Args:
            client: who sends; the caller's to close.
            journal: open; ``close`` closes it.
            file: whose lines are to be sent.
        """
        self.file = file
        self.phase = Phase.LOOKING
        self.options = ImportOptions()
        self.leaves_out_bad = False
        self.leaves_out_duplicates = False
        self.duplicates: ImportDuplicates | None = None  # once they are known
        self.check: UnknownCheck | None = None  # the newest
        self.progress: ImportProgress | None = None  # of the newest run
        self.notices: tuple[Notice, ...] = ()  # of createPet's answers
        self.outcomes: tuple[LineOutcome, ...] = ()  # of the newest run, once it is over
        self.result_error = ""  # why the result could not be written; raw
        self.was_stopped = False
        self.added = 0  # by all runs
        self.to_send = 0  # lines that would be sent now
        self._client = client
        self._journal = journal
        self._lines = numbered_lines(file.preview.lines)
        self._is_left = False
        self._is_free = asyncio.Event()
        self._is_free.set()
        self.choose(self.options)
        self._looked_for: tuple[GoodLine, ...] = ()  # whose duplicates are known

    # What is sent

    def choose(self, options: ImportOptions) -> None:
        """Send other lines than until now."""
        self.options = options
        self.plan = import_plan(self._journal, self._lines, options)
        self._counts = Counter(outcome.kind for outcome in self.plan.outcomes)
        self._count_lines()

    def leave_out_duplicates(self, *, are_left_out: bool) -> None:
        """Leave duplicates out, or send them too."""
        self.leaves_out_duplicates = are_left_out
        self._count_lines()

    def _count_lines(self) -> None:
        """Count what would be sent, once: each key asks for it, and a file may be long."""
        self.to_send = sum(not self._is_left_out(line) for line in self.plan.to_send)

    def _is_left_out(self, line: GoodLine) -> bool:
        return (
            self.leaves_out_duplicates
            and self.duplicates is not None
            and line.position in self.duplicates.names
        )

    @property
    def is_held_by_bad_lines(self) -> bool:
        """Whether nothing is sent because some lines are bad."""
        return bool(self.file.preview.bad_lines) and not self.leaves_out_bad

    @property
    def summary(self) -> ImportSummary:
        """What became of the lines in the newest run, in numbers."""
        return import_summary(self.outcomes, len(self.file.preview.bad_lines))

    def count(self, kind: OutcomeKind) -> int:
        """How many lines the journal knows as this before they are sent."""
        return self._counts[kind]

    # What is done, one at a time; each can be cancelled

    async def look_for_duplicates(self, on_wait: OnWait, on_page: Callable[[int], object]) -> None:
        """Look which lines are duplicates, of each other or of listed animals.

        Raises:
            PetClientError: the service does not answer.
        """
        with self._busy():
            await self._look_for_duplicates(on_wait, on_page)
            self.phase = Phase.READY

    async def _look_for_duplicates(
        self, on_wait: OnWait, on_page: Callable[[int], object] | None = None
    ) -> None:
        lines = self.plan.to_send
        self.duplicates = await find_duplicates(
            self._client, self.file.preview, lines, on_wait, on_page
        )
        self._looked_for = lines
        self._count_lines()

    async def look_for_unknown(self, on_wait: OnWait, on_page: Callable[[int], object]) -> None:
        """Look for unknown lines in the service's list.

        Raises:
            PetClientError: the service does not answer.
            TransferError: the journal cannot be written.
        """
        with self._busy():
            self.check = await check_unknown(
                self._client, self._journal, self._lines, on_wait=on_wait, on_page=on_page
            )
            self.choose(self.options)

    async def send(self, on_progress: Callable[[], object], on_wait: OnWait) -> None:
        """Send what is to be sent, and write the result; cancelled, or after an error, too.

        Raises:
            PetClientError: the service did not answer at the start, or refused the key.
            TransferError: the journal cannot be written.
        """

        def note(progress: ImportProgress) -> None:
            self.progress = progress
            on_progress()

        with self._busy():
            if self.leaves_out_duplicates and self._looked_for != self.plan.to_send:
                await self._look_for_duplicates(on_wait)  # of what was chosen since, too
            lines = [(key, line) for key, line in self._lines if not self._is_left_out(line)]
            run = ImportRun(self._client, self._journal, lines, self.options, note, on_wait=on_wait)
            self.phase, self.was_stopped = Phase.SENDING, False
            try:
                await run.run()
            except asyncio.CancelledError:
                self.was_stopped = True
                raise
            finally:
                await self._end(run)

    async def _end(self, run: ImportRun) -> None:
        left_out = (line for line in self.file.preview.lines if self._is_left_out(line))
        duplicates = (LineOutcome(line, OutcomeKind.DUPLICATE) for line in left_out)
        self.outcomes = (*run.outcomes, *duplicates)
        self.notices = run.notices or self.notices
        self.added += self.summary.added
        self.phase = Phase.OVER
        # What was asked for once is not asked for again by the next Enter.
        self.choose(replace(self.options, again=False, retry_unknown=False))
        writing = asyncio.create_task(asyncio.to_thread(self._write_result))
        await until_over(writing)
        try:
            await writing
            self.result_error = ""
        except TransferError as error:
            self.result_error = str(error)

    def _write_result(self) -> None:
        names = self.duplicates.names if self.duplicates is not None else {}
        lines = result_lines(self.outcomes, self.file.preview.bad_lines, names)
        write_result(self.file.result, lines)

    @contextmanager
    def _busy(self) -> Iterator[None]:
        self._is_free.clear()
        try:
            yield
        finally:
            if self._is_left:
                self._journal.close()
            self._is_free.set()

    async def close(self) -> None:
        """Close the journal, and return once what is under way is over."""
        self._is_left = True
        if self._is_free.is_set():
            self._journal.close()
        await self._is_free.wait()
