"""ImportRun: sends the lines of a file, each once, a few at the same time, with their progress."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from pettui.models.pets import INT64_MINIMUM, is_newest_first
from pettui.outbox import Backoff, Entry, EntryState, LoopTimer, Sending
from pettui.settings.settings import PARALLEL_DEFAULT
from pettui.system.background_tasks import Bugs
from pettui.text.amounts import duration
from pettui.transfer.files import TransferError
from pettui.transfer.journal import AddedLine, UnknownLine
from pettui.transfer.results import LineOutcome, OutcomeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pettui.client import Notice, OnWait, PetClient, PetClientError
    from pettui.outbox import Timer
    from pettui.transfer.journal import Journal, LineId
    from pettui.transfer.lines import GoodLine

GRACE: Final = 2.0  # seconds for requests under way when the import is stopped
_STOPPING: Final = frozenset({401, 403})  # the key is refused, and would be for the next line
_REPEATED: Final = 3  # ids in a row that other animals have: no response was lost by chance
_SAME_IDS: Final = f"the service repeated an id {_REPEATED} times in a row"
_LISTED: Final = 100  # animals of the list before the import
_REPORT_EVERY: Final = 0.1  # seconds, while something changes
_REPORT_AT_LEAST_EVERY: Final = 1.0
_RATE_SECONDS: Final = 10.0  # over which the rate is measured


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What is sent, and how many at once."""

    again: bool = False  # also lines that an earlier import added
    retry_unknown: bool = False  # also lines whose outcome is unknown
    parallel: int = PARALLEL_DEFAULT  # requests at once


def known_outcome(journal: Journal, line_id: LineId, line: GoodLine) -> LineOutcome:
    """Return the outcome of a line that the journal has recorded."""
    match state := journal.state(line_id):
        case AddedLine():
            return LineOutcome(line, OutcomeKind.ADDED_EARLIER, state.pet_id)
        case UnknownLine():
            return LineOutcome(line, OutcomeKind.UNKNOWN, error=state.reason)
        case None:
            return LineOutcome(line, OutcomeKind.NOT_SENT)


def is_to_be_sent(journal: Journal, line_id: LineId, options: ImportOptions) -> bool:
    """Whether an import with these options sends a line."""
    match state := journal.state(line_id):
        case AddedLine():
            return options.again and not journal.is_added_now(state)
        case UnknownLine():
            return options.retry_unknown
        case None:
            return True


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import is."""

    total: int
    added: int = 0
    refused: int = 0
    unknown: int = 0  # of this run and of earlier ones
    earlier: int = 0  # added by an earlier import
    remaining: int = 0
    rate: float = 0.0  # lines a second, recently
    seconds_left: float | None = None  # None if unknown
    waiting: str | None = None  # why nothing is sent now, in one raw line
    tries_in: float = 0.0  # seconds until it goes on

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield how far it is: each fact with its name, the most important first; raw."""
        yield "done", f"{self.total - self.remaining:,} of {self.total:,}"
        if self.unknown:
            yield "unknown", f"{self.unknown:,} unknown"
        if self.refused:
            yield "refused", f"{self.refused:,} refused"
        if self.waiting is not None:
            yield "waiting", f"retrying in {duration(self.tries_in)}: {self.waiting}"
            return
        if self.remaining and self.seconds_left is not None:
            yield "left", f"{duration(self.seconds_left)} left"
        yield "rate", f"{self.rate:,.0f} a second"


class ImportRun:
    """One run over the lines of a file, behind the same kind of circuit breaker as the outbox."""

    def __init__(
        self,
        client: PetClient,
        journal: Journal,
        lines: Sequence[tuple[LineId, GoodLine]],
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
        self._on_progress = on_progress
        self._on_wait = on_wait
        self._timer = timer or LoopTimer()
        self._outcomes: dict[LineId, LineOutcome] = {}
        # While every response is lost, only few lines become unknown: those sent at once, and at
        # most four more.
        tolerated = min(options.parallel - 1, 4)
        bugs = Bugs(report)
        self._adds = Sending(client, backoff or Backoff(), self._timer, bugs, tolerated=tolerated)
        self._ready: deque[tuple[LineId, GoodLine]] = deque()  # planned in the journal
        self._is_all_planned = False
        self._error: BaseException | None = None  # nothing more is sent after it
        self._is_ending = False
        self._sending: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._has_room = asyncio.Event()
        self._counts: Counter[OutcomeKind] = Counter()
        self._done = 0  # lines that were sent
        self._samples: deque[tuple[float, int]] = deque()  # time, and lines done by then

    @property
    def outcomes(self) -> tuple[LineOutcome, ...]:
        """The outcome of each line so far, in order, however ``run`` ended."""
        return tuple(
            self._outcomes.get(line_id) or known_outcome(self._journal, line_id, line)
            for line_id, line in self._lines
        )

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the latest createPet response announces (RFC 9745, RFC 8594)."""
        return self._adds.notices

    async def run(self) -> tuple[LineOutcome, ...]:
        """Send the lines, and return the outcome of each, in order.

        While the service fails it waits, without limit. When cancelled it sends nothing more, and
        waits a moment for requests under way. ``outcomes`` is complete then, and after an error.

        Raises:
            PetClientError: the list at the start could not be loaded, so that nothing was sent;
                or the service refused the key (401, 403).
            TransferError: the journal cannot be written, or the service gives different animals
                the same id; nothing is sent after that.
        """
        to_send = self._choose()
        if to_send:
            self._report()  # the list may take its time
            await self._begin()
            await self._send_with_progress(to_send)
        if self._options.again:
            self._journal.end_again()
        self._report()
        return self.outcomes

    def _choose(self) -> list[tuple[LineId, GoodLine]]:
        """Return the lines to send, and record the known outcomes of the others."""
        if self._options.again:
            self._journal.begin_again()
        to_send = []
        for line_id, line in self._lines:
            if is_to_be_sent(self._journal, line_id, self._options):
                to_send.append((line_id, line))
            else:
                self._outcomes[line_id] = known = known_outcome(self._journal, line_id, line)
                self._counts[known.kind] += 1
        return to_send

    async def _begin(self) -> None:
        """Record the newest animal before the import: unknown lines are newer."""
        page = await self._client.list_pets(limit=_LISTED, on_wait=self._on_wait)
        newest = None
        if is_newest_first(page.pets):
            newest = page.pets[0].id if page.pets else INT64_MINIMUM
        self._journal.begin(int(time.time()), newest)

    async def _send_with_progress(self, lines: Iterable[tuple[LineId, GoodLine]]) -> None:
        reporting = asyncio.create_task(self._keep_reporting())
        sending = asyncio.create_task(self._send_all(lines))
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

    # Sending

    async def _send_all(self, lines: Iterable[tuple[LineId, GoodLine]]) -> None:
        """Send lines, roughly in order; raises what stops the import."""
        planning = asyncio.create_task(self._plan_all(lines))
        planning.add_done_callback(self._task_done)
        try:
            await self._start_all()
            if self._sending:  # after an error: requests under way still finish
                await asyncio.wait(self._sending)
        finally:
            self._is_ending = True
            planning.cancel()
            await self._end_sending()
            await asyncio.wait((planning,))
        if self._error is not None:
            raise self._error

    async def _plan_all(self, lines: Iterable[tuple[LineId, GoodLine]]) -> None:
        size = self._journal.plan_size(self._options.parallel)
        rest = iter(lines)
        while group := tuple(islice(rest, size)):
            while len(self._ready) >= size:
                self._has_room.clear()
                await self._has_room.wait()
            self._journal.plan([line_id for line_id, _ in group])
            await self._journal.sync()
            self._ready.extend(group)
            self._wake.set()
        self._is_all_planned = True

    async def _start_all(self) -> None:
        """Start a request whenever another may be sent, until all are done or there is an error."""
        while self._error is None:
            self._wake.clear()
            if not self._ready and not self._sending and self._is_all_planned:
                return
            wait = self._time_to_wait()
            if wait > 0:
                await self._timer.wait(self._wake, wait)
            elif self._adds.trip is not None and self._adds.trip.probe_first:
                self._stop_if_refused(await self._adds.probe())
            else:
                task = asyncio.create_task(self._send_on(*self._next()))
                self._sending.add(task)
                task.add_done_callback(self._task_done)

    def _time_to_wait(self) -> float:
        trip = self._adds.trip
        most = 1 if trip or self._adds.is_half_open else self._options.parallel
        if not self._ready or len(self._sending) >= most:
            return math.inf
        return trip.until - self._timer.now() if trip else 0.0

    async def _send_on(self, line_id: LineId, line: GoodLine) -> None:
        """Send a line, and the following ones as long as nothing is wrong."""
        if self._is_ending or self._error is not None:  # since this task was made
            return
        await self._send(line_id, line)
        while self._is_all_well():
            await self._send(*self._next())

    def _is_all_well(self) -> bool:
        is_held = self._adds.trip is not None or self._adds.is_half_open
        return bool(self._ready) and self._error is None and not is_held and not self._is_ending

    def _next(self) -> tuple[LineId, GoodLine]:
        self._has_room.set()
        return self._ready.popleft()

    async def _send(self, line_id: LineId, line: GoodLine) -> None:
        """Send a line once, and record what became of it."""
        self._journal.send(line_id)
        pet = line.new_pet
        state = EntryState.SENDING
        entry, refusal = await self._adds.add(
            Entry(line_id, pet.name, pet.category_id, pet.status, state, due=0.0)
        )
        self._stop_if_refused(refusal)
        error = entry.error or ""
        if self._adds.repeated_ids >= _REPEATED:
            self._error = self._error or TransferError(f"stopped: {_SAME_IDS}; {error}")
        if entry.state is EntryState.WAITING:
            self._ready.appendleft((line_id, line))
            self._journal.postponed(line_id)
        elif entry.state is EntryState.ADDED and entry.pet_id is not None:
            self._record(line_id, LineOutcome(line, OutcomeKind.ADDED, entry.pet_id, error))
            self._journal.added(line_id, entry.pet_id)
        elif entry.state is EntryState.REFUSED:
            self._record(line_id, LineOutcome(line, OutcomeKind.REFUSED, error=error))
            self._journal.refused(line_id)
        else:
            self._record(line_id, LineOutcome(line, OutcomeKind.UNKNOWN, error=error))
            self._journal.lost(line_id, error)

    def _record(self, line_id: LineId, outcome: LineOutcome) -> None:
        self._outcomes[line_id] = outcome
        self._counts[outcome.kind] += 1
        self._done += 1

    def _stop_if_refused(self, error: PetClientError | None) -> None:
        if error is not None and error.status in _STOPPING:
            self._error = self._error or error

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._error = self._error or error

    async def _end_sending(self) -> None:
        """Wait a moment for the requests that are under way, then cancel them."""
        sending = tuple(self._sending)
        if not sending:
            return
        await asyncio.wait(sending, timeout=GRACE)
        for task in sending:
            task.cancel()
        await asyncio.wait(sending)

    # Progress

    async def _keep_reporting(self) -> None:
        """Report at most ten times a second, and about once a second at least."""
        loop = asyncio.get_running_loop()
        reported, reported_at = -1, 0.0
        while True:
            now = loop.time()
            if self._done != reported or now - reported_at >= _REPORT_AT_LEAST_EVERY:
                reported, reported_at = self._done, now
                self._report()
            await asyncio.sleep(_REPORT_EVERY)

    def _report(self) -> None:
        counts, total = self._counts, len(self._lines)
        remaining = total - counts.total()
        rate = self._rate(asyncio.get_running_loop().time())
        progress = ImportProgress(
            total,
            counts[OutcomeKind.ADDED],
            counts[OutcomeKind.REFUSED],
            counts[OutcomeKind.UNKNOWN],
            counts[OutcomeKind.ADDED_EARLIER],
            remaining,
            rate,
            remaining / rate if rate else None,
            self._adds.waiting_for,
            self._adds.tries_in,
        )
        self._on_progress(progress)

    def _rate(self, now: float) -> float:
        samples = self._samples
        samples.append((now, self._done))
        while now - samples[0][0] > _RATE_SECONDS:
            samples.popleft()
        seconds = now - samples[0][0]
        return (self._done - samples[0][1]) / seconds if seconds else 0.0


async def until_over(task: asyncio.Task[None]) -> None:
    """Wait until a task that ends soon is done, whatever its result.

    A cancellation meanwhile (by a second signal, or an app that exits) is ignored: the task's
    results would be lost.
    """
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait((task,))
