"""ImportJob: the import of one file, from the search for duplicates to the results."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from pettui.transfer.errors import TransferError
from pettui.transfer.importing.import_duplicates import find_duplicates
from pettui.transfer.importing.import_plan import ImportOptions, import_plan
from pettui.transfer.importing.import_run import ImportRun, until_over
from pettui.transfer.importing.import_summary import import_summary
from pettui.transfer.importing.line_keys import numbered_lines
from pettui.transfer.importing.line_states import LineOutcome, OutcomeKind
from pettui.transfer.importing.result_file import result_lines, write_result
from pettui.transfer.importing.unknown_check import check_unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pettui.client import Notice, OnWait, PetClient
    from pettui.transfer.importing.import_duplicates import ImportDuplicates
    from pettui.transfer.importing.import_progress import ImportProgress
    from pettui.transfer.importing.import_summary import ImportSummary
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.transfer.importing.unknown_check import UnknownCheck
    from pettui.transfer.reading.import_lines import GoodLine
    from pettui.tui.screens.importing.checked_file import CheckedFile


class Phase(Enum):
    """The phase of a job."""

    LOOKING = auto()  # the duplicates are not known yet
    READY = auto()
    SENDING = auto()
    OVER = auto()  # sent or stopped; the results are written


class ImportJob:
    """Which lines are sent can be chosen before a run, and again after it."""

    def __init__(self, client: PetClient, journal: Journal, file: CheckedFile) -> None:
        """Plan to send all lines.

        Args:
            client: sends; its caller closes it.
            journal: open; ``close`` closes it.
            file: has the lines.
        """
        self.file = file
        self.phase = Phase.LOOKING
        self.options = ImportOptions()
        self.leaves_out_bad = False
        self.leaves_out_duplicates = False
        self.duplicates: ImportDuplicates | None = None  # once they are known
        self.check: UnknownCheck | None = None  # the newest
        self.progress: ImportProgress | None = None  # of the newest run
        self.notices: tuple[Notice, ...] = ()  # of createPet's responses
        self.outcomes: tuple[LineOutcome, ...] = ()  # of the newest run, once it is over
        self.result_error = ""  # why the results could not be written; raw
        self.was_stopped = False
        self.added = 0  # by all runs
        self.to_send = 0  # lines that would be sent now
        self.can_leave_out_duplicates = False  # there are some among the lines not added yet
        self._client = client
        self._journal = journal
        self._lines = numbered_lines(file.preview.lines)
        self._is_closed = False
        self._idle = asyncio.Event()
        self._idle.set()
        self.choose(self.options)
        self._searched: tuple[GoodLine, ...] = ()  # the lines whose duplicates are known

    # Which lines are sent

    def choose(self, options: ImportOptions) -> None:
        """Choose which lines to send."""
        self.options = options
        self.plan = import_plan(self._journal, self._lines, options)
        self._counts = Counter(outcome.kind for outcome in self.plan.outcomes)
        self._count_lines()

    def leave_out_duplicates(self, *, are_left_out: bool) -> None:
        """Leave duplicates out, or send them too."""
        self.leaves_out_duplicates = are_left_out
        self._count_lines()

    def _count_lines(self) -> None:
        """Count the lines to send once: each key needs it, and a file may be long."""
        self.to_send = sum(not self._is_left_out(line) for line in self.plan.to_send)
        self.can_leave_out_duplicates = any(map(self._is_duplicate, self.plan.to_send))

    def _is_left_out(self, line: GoodLine) -> bool:
        return self.leaves_out_duplicates and self._is_duplicate(line)

    def _is_duplicate(self, line: GoodLine) -> bool:
        return self.duplicates is not None and line.position in self.duplicates.names

    @property
    def can_leave_out_bad(self) -> bool:
        """Whether bad lines are in the way of others."""
        return bool(self.file.preview.bad_lines and self.plan.to_send)

    @property
    def is_blocked_by_bad_lines(self) -> bool:
        """Whether bad lines prevent sending."""
        return bool(self.file.preview.bad_lines) and not self.leaves_out_bad

    @property
    def summary(self) -> ImportSummary:
        """The outcomes of the newest run, in numbers."""
        return import_summary(self.outcomes, len(self.file.preview.bad_lines))

    def count(self, kind: OutcomeKind) -> int:
        """Return how many lines have this outcome by the journal, before they are sent."""
        return self._counts[kind]

    # Tasks, one at a time; each can be cancelled

    async def look_for_duplicates(self, on_wait: OnWait, on_page: Callable[[int], object]) -> None:
        """Find the lines that are duplicates of each other or of listed animals.

        Raises:
            PetClientError: the list could not be loaded.
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
        self._searched = lines
        self._count_lines()

    async def look_for_unknown(self, on_wait: OnWait, on_page: Callable[[int], object]) -> None:
        """Look for unknown lines in the service's list.

        Raises:
            PetClientError: the list could not be loaded.
            TransferError: the journal cannot be written.
        """
        with self._busy():
            self.check = await check_unknown(
                self._client, self._journal, self._lines, on_wait=on_wait, on_page=on_page
            )
            self.choose(self.options)

    async def send(self, on_progress: Callable[[], object], on_wait: OnWait) -> None:
        """Send the chosen lines, and write the results, even after an error or a cancellation.

        Raises:
            PetClientError: the service could not be reached at the start, or refused the key.
            TransferError: the journal cannot be written.
        """

        def report(progress: ImportProgress) -> None:
            self.progress = progress
            on_progress()

        with self._busy():
            if self.leaves_out_duplicates and self._searched != self.plan.to_send:
                await self._look_for_duplicates(on_wait)  # of lines chosen since, too
            lines = [(key, line) for key, line in self._lines if not self._is_left_out(line)]
            run = ImportRun(
                self._client, self._journal, lines, self.options, report, on_wait=on_wait
            )
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
        # The next Enter must not send these again.
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
        self._idle.clear()
        try:
            yield
        finally:
            if self._is_closed:
                self._journal.close()
            self._idle.set()

    async def close(self) -> None:
        """Close the journal, once the running task has ended."""
        self._is_closed = True
        if self._idle.is_set():
            self._journal.close()
        await self._idle.wait()
