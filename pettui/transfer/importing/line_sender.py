"""LineSender: sends lines to the service, a few at once, each recorded before it is sent."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Final

from pettui.background_tasks import Bugs
from pettui.outbox import Backoff, Entry, EntryState, Sending
from pettui.transfer.importing.line_states import LineOutcome, OutcomeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.client import Notice, PetClient, PetClientError
    from pettui.outbox import Timer
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.reading.import_lines import GoodLine

GRACE: Final = 2.0  # seconds for requests under way when the import is stopped
_STOPPING: Final = frozenset({401, 403})  # the key is refused, and would be for the next line


class LineSender:
    """Sends each line once, behind the same kind of circuit breaker as the outbox."""

    def __init__(
        self,
        client: PetClient,
        journal: Journal,
        on_outcome: Callable[[LineKey, LineOutcome], None],
        *,
        parallel: int,
        backoff: Backoff | None,
        timer: Timer,
        report: Callable[[Exception], None] | None,
    ) -> None:
        """Create a sender that records and reports each outcome; nothing is sent yet."""
        self._journal = journal
        self._on_outcome = on_outcome
        self._parallel = parallel
        self._timer = timer
        # While every response is lost, only few lines become unknown: those sent at once, and at
        # most four more.
        tolerated = min(parallel - 1, 4)
        self._adds = Sending(client, backoff or Backoff(), timer, Bugs(report), tolerated=tolerated)
        self._ready: deque[tuple[LineKey, GoodLine]] = deque()  # planned in the journal
        self._is_all_planned = False
        self._error: BaseException | None = None  # nothing more is sent after it
        self._is_ending = False
        self._sending: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._has_room = asyncio.Event()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the latest createPet response announces."""
        return self._adds.notices

    def waiting(self) -> tuple[str | None, float]:
        """Return why nothing is sent now, in one raw line, and the seconds until it goes on."""
        return self._adds.waiting_for, self._adds.tries_in

    async def send_all(self, lines: Sequence[tuple[LineKey, GoodLine]]) -> None:
        """Send lines, roughly in order.

        Raises:
            PetClientError: the service refused the key.
            JournalError: the journal cannot be written.
        """
        planning = asyncio.create_task(self._plan_all(lines))
        planning.add_done_callback(self._finished)
        try:
            await self._start_all()
            if self._sending:  # after an error: requests under way still finish
                await asyncio.wait(self._sending)
        finally:
            self._is_ending = True
            planning.cancel()
            await self._finish()
            await asyncio.wait((planning,))
        if self._error is not None:
            raise self._error

    async def _finish(self) -> None:
        """Wait a moment for the requests that are under way, then cancel them."""
        sending = tuple(self._sending)
        if not sending:
            return
        await asyncio.wait(sending, timeout=GRACE)
        for task in sending:
            task.cancel()
        await asyncio.wait(sending)

    async def _plan_all(self, lines: Sequence[tuple[LineKey, GoodLine]]) -> None:
        size = self._journal.plan_size(self._parallel)
        rest = iter(lines)
        while group := tuple(islice(rest, size)):
            while len(self._ready) >= size:
                self._has_room.clear()
                await self._has_room.wait()
            self._journal.plan([key for key, _ in group])
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
                task.add_done_callback(self._finished)

    def _time_to_wait(self) -> float:
        trip = self._adds.trip
        most = 1 if trip or self._adds.is_half_open else self._parallel
        if not self._ready or len(self._sending) >= most:
            return math.inf
        return trip.until - self._timer.now() if trip else 0.0

    async def _send_on(self, key: LineKey, line: GoodLine) -> None:
        """Send a line, and the following ones as long as nothing is wrong."""
        if self._is_ending or self._error is not None:  # since this task was made
            return
        await self._send(key, line)
        while self._is_all_well():
            await self._send(*self._next())

    def _is_all_well(self) -> bool:
        is_held = self._adds.trip is not None or self._adds.is_half_open
        return bool(self._ready) and self._error is None and not is_held and not self._is_ending

    def _next(self) -> tuple[LineKey, GoodLine]:
        self._has_room.set()
        return self._ready.popleft()

    async def _send(self, key: LineKey, line: GoodLine) -> None:
        self._journal.send(key)
        entry, refusal = await self._adds.add(_entry(key, line))
        self._stop_if_refused(refusal)
        error = entry.error or ""
        if entry.state is EntryState.WAITING:
            self._ready.appendleft((key, line))
            self._journal.postponed(key)
        elif entry.state is EntryState.ADDED and entry.pet_id is not None:
            self._on_outcome(key, LineOutcome(line, OutcomeKind.ADDED, entry.pet_id, error))
            self._journal.added(key, entry.pet_id)
        elif entry.state is EntryState.REFUSED:
            self._on_outcome(key, LineOutcome(line, OutcomeKind.REFUSED, error=error))
            self._journal.refused(key)
        else:
            self._on_outcome(key, LineOutcome(line, OutcomeKind.UNKNOWN, error=error))
            self._journal.lost(key, error)

    def _stop_if_refused(self, error: PetClientError | None) -> None:
        if error is not None and error.status in _STOPPING:
            self._error = self._error or error

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._error = self._error or error


def _entry(key: LineKey, line: GoodLine) -> Entry:
    pet = line.new_pet
    return Entry(key, pet.name, pet.category_id, pet.status, EntryState.SENDING, due=0.0)
