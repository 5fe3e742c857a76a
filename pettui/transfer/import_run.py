"""ImportRun: sends the lines of a file, each once, a few at the same time, with their progress.

A list at the start asks whether a store promises to add once what comes with a key. If one does, a
line that got no answer is sent again by itself, with the same key, while others go on past it. What
an earlier run left so comes first. Without the promise such a line is unknown.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count, islice
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.client import Backoff, Notice, OnWait, PetClient, PetClientError
from pettui.outbox.entries import Entry, EntryState, Refusal
from pettui.outbox.outcome import EARLIER_TRY, is_of_other_store
from pettui.outbox.sending import NO_PROMISE, LoopTimer, Sending, random_key
from pettui.settings.settings import PARALLEL_DEFAULT
from pettui.system.background_tasks import Bugs
from pettui.text.amounts import duration, seconds_text
from pettui.transfer.files import TransferError
from pettui.transfer.journal import Journal, JournalError
from pettui.transfer.results import LineOutcome, OutcomeKind
from pettui.transfer.runs import AddedLine, LineId, UnknownLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pettui.transfer.lines import GoodLine

GRACE: Final = 2.0  # seconds for requests under way when the import is stopped
PATIENCE: Final = 300.0  # seconds in a row without an answer to an add, while lists are answered
_TRIES: Final = 8  # of a line without an answer; the next run goes on
_OTHER_STORES: Final = 8  # answers in a row of another store, after which nothing more is sent
OTHER_STORE: Final = "the service has another store now"
_STOPPING: Final = frozenset({401, 403})  # the key is refused, and would be for the next line
_REPORT_EVERY: Final = 0.1  # seconds, while something changes
_REPORT_AT_LEAST_EVERY: Final = 1.0
_RATE_SECONDS: Final = 10.0  # over which the rate is measured


class HeldError(TransferError):
    """The service answers, but for too long no add; the next run goes on."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What is sent, and how many at once."""

    again: bool = False  # also lines that the file's own run added
    retry_unknown: bool = False  # also lines whose outcome is unknown
    parallel: int = PARALLEL_DEFAULT  # requests at once
    gone: frozenset[LineId] = frozenset()  # with ``again``: only these, if there are any


def known_outcome(journal: Journal, line_id: LineId, line: GoodLine) -> LineOutcome:
    """Return the outcome of a line that the journal has recorded."""
    match state := journal.state(line_id):
        case AddedLine():
            return LineOutcome(line, OutcomeKind.ADDED_EARLIER, state.pet_id)
        case UnknownLine():
            is_repeated = state.promise is not None
            return LineOutcome(line, OutcomeKind.UNKNOWN, None, state.reason, is_repeated)
        case None:
            return LineOutcome(line, OutcomeKind.NOT_SENT)


def is_to_be_sent(journal: Journal, line_id: LineId, options: ImportOptions) -> bool:
    """Whether an import with these options sends a line.

    What a store promised to add once is sent again by itself, if it is that store.
    """
    match state := journal.state(line_id):
        case AddedLine():
            is_meant = options.again and (not options.gone or line_id in options.gone)
            return is_meant and not journal.is_added_now(state)
        case UnknownLine():
            return options.retry_unknown or state.promise is not None
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

    def bar(self, cells: int, *, is_ascii: bool) -> tuple[str, str]:
        """Return the full and the empty part of a bar of so many cells."""
        filled = cells * (self.total - self.remaining) // self.total if self.total else cells
        full, empty = ("#", "-") if is_ascii else ("█", "░")
        return full * filled, empty * (cells - filled)

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


class _Due(NamedTuple):
    """A line to send, or to send again; they are sent in this order."""

    at: float  # in the timer's time
    number: int  # unique, where it is sent again
    line_id: LineId
    line: GoodLine
    entry: Entry | None = None  # as it was sent
    tries: int = 0  # without an answer


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
        timer: LoopTimer | None = None,
        report: Callable[[Exception], None] | None = None,
        on_added: Callable[[LineId, GoodLine, int], None] | None = None,
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
            on_added: called with each line that was added, and its id, once the journal has it.
        """
        self._on_added = on_added
        self._client = client
        self._journal = journal
        self._lines = lines
        self._options = options
        self._on_progress = on_progress
        self._on_wait = on_wait
        self._timer = timer or LoopTimer()
        self._outcomes: dict[LineId, LineOutcome] = {}
        self._adds = Sending(client, backoff or Backoff(), self._timer, Bugs(report))
        self._ready: deque[tuple[LineId, GoodLine]] = deque()  # planned in the journal
        self._repeats: list[_Due] = []  # a heap
        self._numbers = count()
        self._since = 0  # when the run began, in wall-clock seconds
        self._store_id: str | None = None  # that promised then to add once
        self._recorded: str | None = None  # as the journal has it, synced
        self._recording = asyncio.Lock()
        self._other_stores = 0  # answers of another store, in a row
        self._held_since = (
            0.0  # in the timer's time: without an answer, though the service is there
        )
        self._error: BaseException | None = None  # nothing more is sent after it
        self._is_ending = False
        self._sending: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
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

        While the service is away it waits, without limit; while it answers lists, but no add, for
        five minutes in a row (``PATIENCE``). When cancelled it sends nothing more, and
        waits a moment for requests under way. ``outcomes`` is complete then, and after an error.

        Raises:
            PetClientError: the list at the start could not be loaded, so that nothing was sent;
                or the service refused the key (401, 403).
            TransferError: the journal cannot be written, or another store answers each time;
                nothing is sent after that.
            HeldError: adds wait for longer, though lists are answered.
        """
        to_send = self._choose()
        if to_send:
            self._report()  # the list may take its time
            await self._begin()
            await self._send_with_progress(list(filter(self._may_be_sent, to_send)))
        if self._options.again:
            self._journal.end_again()
        if not {each.kind for each in self.outcomes} & {OutcomeKind.NOT_SENT, OutcomeKind.UNKNOWN}:
            self._journal.finish()
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
                self._leave(line_id, known_outcome(self._journal, line_id, line))
        return to_send

    def _leave(self, line_id: LineId, outcome: LineOutcome) -> None:
        self._outcomes[line_id] = outcome
        self._counts[outcome.kind] += 1

    async def _begin(self) -> None:
        """Record when the run began, and what the service promises in answer to a new key."""
        key = random_key()
        page = await self._client.list_pets(1, on_wait=self._on_wait, idempotency_key=key)
        self._adds.store_id, self._adds.is_asked = page.store_id, True
        self._store_id = self._recorded = page.store_id
        self._since = int(time.time())
        self._journal.begin(self._since, self._store_id)

    def _may_be_sent(self, numbered: tuple[LineId, GoodLine]) -> bool:
        """Whether a line is sent after all: by itself only to the store that it was sent to."""
        state = self._journal.state(numbered[0])
        if self._options.retry_unknown or not isinstance(state, UnknownLine):
            return True
        if state.promise is not None and state.promise.store_id == self._store_id:
            return True
        why = NO_PROMISE if self._store_id is None else OTHER_STORE
        unknown = LineOutcome(numbered[1], OutcomeKind.UNKNOWN, error=f"{state.reason}; {why}")
        self._leave(numbered[0], unknown)
        return False

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
        try:
            try:
                await self._start_all(iter(lines))
            except JournalError as error:
                self._stop(error)
            if self._sending:  # after an error: requests under way still finish
                await asyncio.wait(self._sending)
        finally:
            self._is_ending = True
            await self._end_sending()
            with suppress(JournalError):  # it has recorded that they are sent
                for due in self._repeats:
                    self._journal.lost(due.line_id, _error_of(due))
        if self._error is not None:
            raise self._error

    def _stop(self, error: BaseException) -> None:
        """Send nothing more, because of the first error."""
        self._error = self._error or error

    async def _start_all(self, lines: Iterator[tuple[LineId, GoodLine]]) -> None:
        """Start a request whenever another may be sent, until all are done or there is an error."""
        size = self._journal.plan_size(self._options.parallel)
        self._held_since = self._timer.now()
        while self._error is None:
            self._wake.clear()
            if len(self._ready) < size and (group := [*islice(lines, size)]):
                self._journal.plan([line_id for line_id, _ in group])
                await self._journal.sync()
                self._ready.extend(group)
                continue
            if not (self._ready or self._repeats or self._sending):
                return
            wait = self._time_to_wait()
            if self._is_held(wait):
                self._stop(HeldError(self._why_held()))
            elif wait > 0:
                await self._timer.wait(self._wake, wait)
            elif self._adds.must_probe:
                error = await self._adds.probe()
                if error is not None and error.status in _STOPPING:
                    self._stop(error)
            else:
                task = asyncio.create_task(self._send_on(self._next()))
                self._sending.add(task)
                task.add_done_callback(self._task_done)

    def _time_to_wait(self) -> float:
        is_alone = self._adds.trip is not None or self._adds.is_half_open
        if len(self._sending) >= (1 if is_alone else self._options.parallel):
            return math.inf
        return max(self._next_at(), self._adds.next_at) - self._timer.now()

    def _is_held(self, wait: float) -> bool:
        """Whether the next request would come after too long a time without an answer to an add.

        The time while the service is away does not count. A wait that would end after it is not
        begun.
        """
        now = self._timer.now()
        if self._adds.is_service_away:
            self._held_since = now
        is_next = 0 < wait < math.inf and not self._sending
        return is_next and now + wait > self._held_since + PATIENCE

    def _why_held(self) -> str:
        reason, seconds = self._waiting()
        waits = seconds_text(max(seconds, PATIENCE))
        return f"adds would wait {waits} or longer, though the service answers: {reason}"

    def _next_at(self) -> float:
        """Return when a line can be sent; inf while there is none."""
        if self._ready:
            return -math.inf
        return self._repeats[0].at if self._repeats else math.inf

    async def _send_on(self, due: _Due) -> None:
        """Send a line, and the following ones as long as nothing is wrong."""
        if self._is_ending or self._error is not None:  # since this task was made
            return
        await self._send(due)
        while self._is_all_well():
            await self._send(self._next())

    def _is_all_well(self) -> bool:
        is_over = self._error is not None or self._is_ending
        is_held = self._adds.trip is not None or self._adds.is_half_open or self._adds.must_probe
        return not is_over and not is_held and self._next_at() <= self._timer.now()

    def _next(self) -> _Due:
        """Return what is due again, or else the next line."""
        if self._repeats and (not self._ready or self._repeats[0].at <= self._timer.now()):
            return heappop(self._repeats)
        self._wake.set()  # there is room to plan others
        return _Due(0.0, 0, *self._ready.popleft())

    async def _started(self, line_id: LineId, line: GoodLine) -> Entry:
        """Record that a line is being sent, and return it as it is sent."""
        await self._record_promise()
        before = self._journal.state(line_id)
        self._journal.send(line_id)
        state = self._journal.state(line_id)
        store_id, refusal = None, None
        if isinstance(state, UnknownLine) and state.promise is not None:
            store_id = state.promise.store_id
            if isinstance(before, UnknownLine) and before.promise is not None:
                refusal = Refusal(before.reason)  # it may be stored by now
        pet = line.new_pet
        return Entry(
            *(line_id, pet.name, pet.category_id, pet.status, EntryState.SENDING, 0.0),
            refusal=refusal,
            store_id=store_id,
        )

    async def _record_promise(self) -> None:
        """Record whether the store still promises, before anything is sent without that."""
        if self._promise == self._recorded:
            return
        async with self._recording:
            if (promise := self._promise) != self._recorded:
                self._journal.begin(self._since, promise)
                await self._journal.sync()
                self._recorded = promise

    @property
    def _promise(self) -> str | None:
        """The store that lines are sent to: that of the start, which refuses what is for another.

        Only an answer without any promise takes its promise back.
        """
        return None if self._adds.store_id is None else self._store_id

    async def _send(self, due: _Due) -> None:
        """Send a line once, and record what became of it."""
        line_id, line = due.line_id, due.line
        entry = due.entry or await self._started(line_id, line)
        failure: PetClientError | None = None
        if entry.store_id is not None and self._promise is None:
            entry = self._adds.not_promised(entry)
        else:
            key = self._journal.idempotency_key(line_id)
            entry, failure = await self._adds.add(entry, key)
        self._stop_if_refused(entry, failure)
        error = entry.error or ""
        if entry.state is EntryState.WAITING:
            self._ready.appendleft((line_id, line))
            self._journal.postponed(line_id)
        elif entry.state is EntryState.SENDING:
            self._repeat(due, entry, failure)
        elif entry.state is EntryState.ADDED and entry.pet_id is not None:
            self._other_stores = 0
            self._record(line_id, LineOutcome(line, OutcomeKind.ADDED, entry.pet_id, error))
            self._journal.added(line_id, entry.pet_id)
            if self._on_added is not None:
                self._on_added(line_id, line, entry.pet_id)
        elif entry.state is EntryState.REFUSED:
            self._journal.refused(line_id)
            self._record(line_id, self._refused(line_id, line, error))
        else:
            self._record(line_id, LineOutcome(line, OutcomeKind.UNKNOWN, error=error))
            self._journal.lost(line_id, error)

    def _refused(self, line_id: LineId, line: GoodLine, error: str) -> LineOutcome:
        """Return the outcome of a refused line: unknown where an earlier try may have added it."""
        if isinstance(self._journal.state(line_id), UnknownLine):
            return LineOutcome(line, OutcomeKind.UNKNOWN, error=f"{error}; {EARLIER_TRY}")
        return LineOutcome(line, OutcomeKind.REFUSED, error=error)

    def _repeat(self, due: _Due, entry: Entry, failure: PetClientError | None) -> None:
        """Send a line again later, or leave it to the next run: it may be stored by now."""
        is_counted = failure is None or not _is_waited_for(failure, entry)
        again = _Due(
            *(self._adds.repeats_at(entry), next(self._numbers), due.line_id, due.line),
            *(entry, due.tries + is_counted),
        )
        if again.tries < _TRIES:
            heappush(self._repeats, again)
            return
        error = _error_of(again)
        outcome = LineOutcome(due.line, OutcomeKind.UNKNOWN, error=error, is_repeated=True)
        self._record(due.line_id, outcome)
        self._journal.lost(due.line_id, error)

    def _record(self, line_id: LineId, outcome: LineOutcome) -> None:
        if outcome.kind is not OutcomeKind.UNKNOWN:
            self._held_since = self._timer.now()
        self._leave(line_id, outcome)
        self._done += 1

    def _stop_if_refused(self, entry: Entry, error: PetClientError | None) -> None:
        """Send nothing more if the key is refused, or another store answers each time."""
        if error is None:
            return
        # What may come from a proxy does not stop it while the store can still answer.
        is_refused = entry.state is not EntryState.SENDING or error.is_unauthorized
        if error.status in _STOPPING and is_refused:
            self._stop(error)
        if is_of_other_store(error):
            self._other_stores += 1
            if self._other_stores >= _OTHER_STORES:
                self._stop(TransferError(f"stopped: {error}"))

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._stop(error)

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
            *self._waiting(),
        )
        self._on_progress(progress)

    def _waiting(self) -> tuple[str | None, float]:
        """Return why nothing is sent now, and for how many seconds."""
        if self._adds.trip is None and self._repeats and not self._ready and not self._sending:
            first = self._repeats[0]
            return _error_of(first), max(first.at - self._timer.now(), 0.0)
        return self._adds.waiting_for, self._adds.tries_in

    def _rate(self, now: float) -> float:
        samples = self._samples
        samples.append((now, self._done))
        while now - samples[0][0] > _RATE_SECONDS:
            samples.popleft()
        seconds = now - samples[0][0]
        return (self._done - samples[0][1]) / seconds if seconds else 0.0


def _error_of(due: _Due) -> str:
    return "" if due.entry is None else due.entry.error or ""


def _is_waited_for(error: PetClientError, entry: Entry) -> bool:
    """Whether the service asks to wait, or cannot be reached: that is no try without an answer."""
    is_unsent = error.status is None and not error.maybe_sent
    is_away = error.status == 503 and error.store_id == entry.store_id
    return is_unsent or is_away or error.status in (401, 429)


async def until_over(task: asyncio.Task[None]) -> None:
    """Wait until a task that ends soon is done, whatever its result.

    A cancellation meanwhile (by a second signal, or an app that exits) is ignored: the task's
    results would be lost.
    """
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait((task,))
