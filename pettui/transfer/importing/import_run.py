"""ImportRun: sends the lines of a file, each once, and reports progress."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.models import INT64_MINIMUM
from pettui.outbox import LoopTimer, is_newest_first
from pettui.transfer.importing.import_plan import is_to_be_sent, known_outcome
from pettui.transfer.importing.import_progress import ImportProgress, ProgressReporter
from pettui.transfer.importing.line_sender import LineSender

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.client import Notice, OnWait, PetClient
    from pettui.outbox import Backoff, Timer
    from pettui.transfer.importing.import_plan import ImportOptions
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.importing.line_states import LineOutcome
    from pettui.transfer.reading.import_lines import GoodLine

_LISTED: Final = 100  # animals of the list before the import


class ImportRun:
    """One run over the lines of a file."""

    def __init__(
        self,
        client: PetClient,
        journal: Journal,
        lines: Sequence[tuple[LineKey, GoodLine]],
        options: ImportOptions,
        on_progress: Callable[[ImportProgress], None],
        *,
        on_wait: OnWait | None = None,
        backoff: Backoff | None = None,
        timer: Timer | None = None,
        report: Callable[[Exception], None] | None = None,
    ) -> None:
        """Create a run; nothing is sent yet.

        Args:
            client: of the service; the caller closes it.
            journal: open; the caller closes it after the run.
            lines: of ``numbered_lines`` of the whole file, without the ones to leave out.
            options: which of them are sent, and how many at once.
            on_progress: called on the running loop, once to ten times a second and at the end. An
                exception in it ends the run, and is raised.
            on_wait: called before the list at the start is retried.
            backoff: between attempts while the service cannot be reached.
            timer: for waits; None for the running loop's clock.
            report: called with unexpected exceptions, each kind once; None to log them.
        """
        self._client = client
        self._journal = journal
        self._lines = lines
        self._options = options
        self._on_wait = on_wait
        self._outcomes: dict[LineKey, LineOutcome] = {}
        self._sender = LineSender(
            client, journal, self._note, parallel=options.parallel,
            backoff=backoff, timer=timer or LoopTimer(), report=report,
        )  # fmt: skip
        self._reporter = ProgressReporter(len(lines), on_progress, self._sender.waiting)

    @property
    def outcomes(self) -> tuple[LineOutcome, ...]:
        """The outcome of each line so far, in order, however ``run`` ended."""
        return tuple(self._outcome(key, line) for key, line in self._lines)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the latest createPet response announces (RFC 9745, RFC 8594)."""
        return self._sender.notices

    async def run(self) -> tuple[LineOutcome, ...]:
        """Send the lines, and return the outcome of each, in order.

        While the service fails it waits, without limit. When cancelled it sends nothing more, and
        waits a moment for requests under way. ``outcomes`` is complete then, and after an error.

        Raises:
            PetClientError: the list at the start could not be loaded, so that nothing was sent;
                or the service refused the key (401, 403).
            JournalError: the journal cannot be written; nothing is sent after that.
        """
        to_send = self._choose()
        if to_send:
            self._reporter.report()  # the list may take its time
            await self._begin()
            await self._send(to_send)
        if self._options.again:
            self._journal.end_again()
        self._reporter.report()
        return self.outcomes

    def _choose(self) -> list[tuple[LineKey, GoodLine]]:
        """Return the lines to send, and record the known outcomes of the others."""
        if self._options.again:
            self._journal.begin_again()
        to_send = []
        for key, line in self._lines:
            if is_to_be_sent(self._journal, key, self._options):
                to_send.append((key, line))
            else:
                self._outcomes[key] = known = known_outcome(self._journal, key, line)
                self._reporter.count(known.kind, is_sent=False)
        return to_send

    async def _begin(self) -> None:
        """Record the newest animal before the import: unknown lines are newer."""
        page = await self._client.list_pets(limit=_LISTED, on_wait=self._on_wait)
        newest = None
        if is_newest_first(page.pets):
            newest = page.pets[0].id if page.pets else INT64_MINIMUM
        self._journal.begin(int(time.time()), newest)

    async def _send(self, lines: Sequence[tuple[LineKey, GoodLine]]) -> None:
        reporting = asyncio.create_task(self._reporter.keep_reporting())
        sending = asyncio.create_task(self._sender.send_all(lines))
        try:
            await asyncio.wait((reporting, sending), return_when=asyncio.FIRST_COMPLETED)
        finally:
            # Even when cancelled, or when on_progress raised, requests under way are finished.
            reporting.cancel()
            if not sending.done():
                sending.cancel()
                await until_over(sending)
            with suppress(asyncio.CancelledError):
                await reporting
        await sending

    def _note(self, key: LineKey, outcome: LineOutcome) -> None:
        self._outcomes[key] = outcome
        self._reporter.count(outcome.kind, is_sent=True)

    def _outcome(self, key: LineKey, line: GoodLine) -> LineOutcome:
        return self._outcomes.get(key) or known_outcome(self._journal, key, line)


async def until_over(task: asyncio.Task[None]) -> None:
    """Wait until a task that ends soon is done, whatever its result.

    A cancellation meanwhile (by a second signal, or an app that exits) is ignored: the task's
    results would be lost.
    """
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait((task,))
