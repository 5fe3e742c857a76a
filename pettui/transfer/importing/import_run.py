"""ImportRun: sends the lines of a file, each once, and tells how far it has come."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from pettui.models import INT64_MINIMUM
from pettui.outbox import LoopTimer
from pettui.transfer.importing.import_plan import (
    PARALLEL_DEFAULT,
    PARALLEL_MAXIMUM,
    ImportOptions,
    is_to_be_sent,
    known_outcome,
)
from pettui.transfer.importing.import_progress import ImportProgress, ProgressTeller
from pettui.transfer.importing.line_sender import LineSender

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.client import Notice, OnWait, PetClient
    from pettui.outbox import Backoff, Timer
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.importing.line_states import LineOutcome
    from pettui.transfer.reading.import_lines import GoodLine

__all__ = [
    "PARALLEL_DEFAULT",
    "PARALLEL_MAXIMUM",
    "ImportOptions",
    "ImportProgress",
    "ImportRun",
    "until_over",
]

_LISTED: Final = 100  # animals of the list that tells what is there before


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
        """Take what is to be sent; nothing is sent yet.

        Args:
            client: who sends; the caller's to close.
            journal: open, and the caller's to close when the run is over.
            lines: of ``numbered_lines`` of the whole file, without those that are left out.
            options: which of them are sent, and how many at once.
            on_progress: called on the running loop, ten times a second at most, about once a
                second at least, and at the end. What it raises ends the run, and is raised.
            on_wait: told before the list at the start is tried again.
            backoff: between attempts while the service cannot be reached.
            timer: what sending waits by; None is the running loop's clock.
            report: called with bugs of pettui's own, each kind once; None logs.
        """
        self._client = client
        self._journal = journal
        self._lines = lines
        self._options = options
        self._on_wait = on_wait
        self._outcomes: dict[LineKey, LineOutcome] = {}
        self._sender = LineSender(
            client,
            journal,
            self._note,
            parallel=options.parallel,
            backoff=backoff,
            timer=timer or LoopTimer(),
            report=report,
        )
        self._teller = ProgressTeller(len(lines), on_progress, self._sender.waiting)

    @property
    def outcomes(self) -> tuple[LineOutcome, ...]:
        """What became of each line so far, in the order of the lines, however ``run`` ended."""
        return tuple(self._outcome(key, line) for key, line in self._lines)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the newest answer of createPet announces (RFC 9745, RFC 8594)."""
        return self._sender.notices

    async def run(self) -> tuple[LineOutcome, ...]:
        """Send what is to be sent, and return what became of each line, in the order of the lines.

        While the service fails it waits, without end. Cancelled, it sends nothing more, waits a
        moment for what is out, and is raised again; ``outcomes`` tells how far it came, as it does
        after an error.

        Raises:
            PetClientError: the service does not answer a list at the start, before anything was
                sent; or it refused the key (401, 403).
            JournalError: the journal cannot be written; nothing was sent after that.
        """
        waiting = self._choose()
        if waiting:
            await self._begin()
            await self._send(waiting)
        if self._options.again:
            self._journal.end_again()
        self._teller.tell()
        return self.outcomes

    def _choose(self) -> list[tuple[LineKey, GoodLine]]:
        """Return the lines that are to be sent, and note what became of the others before."""
        if self._options.again:
            self._journal.begin_again()
        waiting = []
        for key, line in self._lines:
            if is_to_be_sent(self._journal, key, self._options):
                waiting.append((key, line))
            else:
                self._outcomes[key] = known = known_outcome(self._journal, key, line)
                self._teller.count(known.kind, is_sent=False)
        return waiting

    async def _begin(self) -> None:
        """Note the newest animal that is there before, by which unknown lines are looked for."""
        page = await self._client.list_pets(limit=_LISTED, on_wait=self._on_wait)
        ids = [pet.id for pet in page.pets]
        is_newest_first = all(newer > older for newer, older in pairwise(ids))
        newest = max(ids, default=INT64_MINIMUM) if is_newest_first else None
        self._journal.begin(int(time.time()), newest)

    async def _send(self, waiting: Sequence[tuple[LineKey, GoodLine]]) -> None:
        telling = asyncio.create_task(self._teller.keep_telling())
        sending = asyncio.create_task(self._sender.send_all(waiting))
        try:
            await asyncio.wait((telling, sending), return_when=asyncio.FIRST_COMPLETED)
        finally:
            # Cancelled, or told that nobody listens any more: what is out is finished all the same.
            telling.cancel()
            if not sending.done():
                sending.cancel()
                await until_over(sending)
            with suppress(asyncio.CancelledError):
                await telling
        await sending

    def _note(self, key: LineKey, outcome: LineOutcome) -> None:
        self._outcomes[key] = outcome
        self._teller.count(outcome.kind, is_sent=True)

    def _outcome(self, key: LineKey, line: GoodLine) -> LineOutcome:
        return self._outcomes.get(key) or known_outcome(self._journal, key, line)


async def until_over(task: asyncio.Task[None]) -> None:
    """Return once a task that ends in a moment is over, whatever came of it.

    Whoever is cancelled meanwhile (by a second signal, or an app that ends) is not told: what the
    task finds out would be lost.
    """
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait((task,))
