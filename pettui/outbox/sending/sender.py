"""Sender: sends what waits, in order; never twice by itself."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from pettui.background_tasks import stopped
from pettui.outbox.entries import Entry, EntryState, OutboxError

if TYPE_CHECKING:
    from pettui.outbox.entry_cache import EntryCache
    from pettui.outbox.sending.circuit_breaker import CircuitBreaker
    from pettui.outbox.sending.pace import Pace
    from pettui.outbox.sending.send_attempts import Attempts

CUT_OFF = "pettui exited while this was being sent"


class Sender:
    """Sends the entries of a cache, oldest first, one at a time."""

    def __init__(
        self, cache: EntryCache, attempts: Attempts, breaker: CircuitBreaker, pace: Pace
    ) -> None:
        self._cache = cache
        self._attempts = attempts
        self._breaker = breaker
        self._pace = pace
        self._ready_at: dict[str, float] = {}  # in the timer's time, by key
        self._request: asyncio.Task[None] | None = None  # that is out
        self._sent_key = ""  # of its entry
        self._wake = asyncio.Event()
        self._is_ending = False

    def wake(self) -> None:
        """Look again at what waits: something changed."""
        self._wake.set()

    def hurry(self) -> None:
        """Send what waits at once: nobody takes it back any more."""
        now = self._pace.timer.now()
        self._ready_at = {e.key: now for e in self._cache.entries if e.waits_here}
        self._wake.set()

    def goes_in(self, entry: Entry) -> float:
        """Return the seconds until an entry that waits here may go out; 0 for any other."""
        if not entry.waits_here or self._is_out(entry):
            return 0.0
        return max(self._ready(entry) - self._pace.timer.now(), 0.0)

    async def run(self) -> None:
        """Send what waits until cancelled; a request that is out goes on until ``finish``."""
        while True:
            self._wake.clear()
            self._note_when_ready()
            wait = self._time_to_wait()
            if wait <= 0:
                await self._send_next()
            else:
                await self._pace.timer.wait(self._wake, wait)

    async def finish(self, grace: float) -> None:
        """Wait at most so many seconds for the request that is out, then cancel it."""
        self._is_ending = True
        if self._request is not None:
            await asyncio.wait([self._request], timeout=grace)
            await stopped(self._request)

    def _time_to_wait(self) -> float:
        entry = self._oldest_waiting()
        trip = self._breaker.trip
        if entry is None or self._request is not None:
            return math.inf
        until = max(self._ready(entry), trip.until if trip else 0.0)
        return until - self._pace.timer.now()

    def _note_when_ready(self) -> None:
        waiting = [one for one in self._cache.entries if one.state is EntryState.WAITING]
        self._ready_at = {entry.key: self._ready(entry) for entry in waiting}

    def _oldest_waiting(self) -> Entry | None:
        for entry in self._cache.entries:
            if entry.waits_here and not self._is_out(entry):
                return entry
        return None

    def _is_out(self, entry: Entry) -> bool:
        return self._request is not None and entry.key == self._sent_key

    def _ready(self, entry: Entry) -> float:
        """Return the timer's time at which an entry may go.

        The wall clock is read once an entry, and trusted up to the delay: if it is changed
        afterwards, nothing goes out early or waits for ever.
        """
        if entry.key not in self._ready_at:
            seconds = min(max(entry.due - self._pace.clock(), 0.0), self._pace.delay)
            self._ready_at[entry.key] = self._pace.timer.now() + seconds
        return self._ready_at[entry.key]

    async def _send_next(self) -> None:
        trip = self._breaker.trip
        if trip is not None and trip.probe_first:
            await self._attempts.probe()
            self._notify_of_oldest()
            return
        entry = self._oldest_waiting()
        if entry is not None:
            self._sent_key = entry.key
            self._request = asyncio.create_task(self._send(entry))
            self._request.add_done_callback(self._finished)

    def _finished(self, _: asyncio.Task[None]) -> None:
        self._request = None
        self.wake()

    async def _send(self, entry: Entry) -> None:
        sending = entry.becoming(EntryState.SENDING)
        try:
            if not await self._mark(entry, sending):
                return
        except asyncio.CancelledError:
            # It is kept as being sent already, or will be in a moment.
            await self._cache.record(sending, entry)
            raise
        if self._is_ending:
            await self._cache.record(sending, entry)
            return
        result = entry.becoming(EntryState.UNKNOWN, error=CUT_OFF)
        try:
            result = await self._attempts.add(sending)
        finally:
            # Whatever interrupts it, it is UNKNOWN then.
            await self._cache.record(sending, result)

    async def _mark(self, entry: Entry, sending: Entry) -> bool:
        """Save that an entry may be out from now on; return False if it must not be sent."""
        try:
            return await self._cache.change(entry, sending)
        except OutboxError as error:
            self._breaker.back_off(str(error))
            self._cache.notify(entry)
            return False

    def _notify_of_oldest(self) -> None:
        waiting = self._oldest_waiting()
        if waiting is not None:
            self._cache.notify(waiting)
