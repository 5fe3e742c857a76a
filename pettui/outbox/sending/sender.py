"""Sends what waits, in order; never twice by itself."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from pettui.outbox.entries import Entry, EntryState, OutboxError

if TYPE_CHECKING:
    from pettui.outbox.entry_cache import EntryCache
    from pettui.outbox.sending.circuit_breaker import CircuitBreaker
    from pettui.outbox.sending.pace import Pace
    from pettui.outbox.sending.send_attempts import Attempts

CUT_OFF = "pettui exited while this was being sent"


class Sender:
    """Takes the entries of a cache to the service, oldest first, a few at a time."""

    def __init__(
        self, cache: EntryCache, attempts: Attempts, breaker: CircuitBreaker, pace: Pace
    ) -> None:
        self._cache = cache
        self._attempts = attempts
        self._breaker = breaker
        self._pace = pace
        self._ready_at: dict[str, float] = {}  # in the timer's time, by key
        self._out: dict[str, asyncio.Task[None]] = {}  # requests that are out, by key
        self._wake = asyncio.Event()
        self._is_ending = False

    def wake(self) -> None:
        """Look again at what waits: something changed."""
        self._wake.set()

    def hurry(self) -> None:
        """Let what waits go out at once: nobody takes it back any more."""
        now = self._pace.timer.now()
        self._ready_at = {e.key: now for e in self._cache.entries if e.waits_here}
        self._wake.set()

    def goes_in(self, entry: Entry) -> float:
        """Return the seconds until an entry that waits here may go out; 0 for any other."""
        if not entry.waits_here or entry.key in self._out:
            return 0.0
        return max(self._ready(entry) - self._pace.timer.now(), 0.0)

    async def run(self) -> None:
        """Send what waits until cancelled; requests that are out go on until ``finish``."""
        while True:
            self._wake.clear()
            self._note_when_ready()
            wait = self._time_to_wait()
            if wait <= 0:
                await self._go_on()
            else:
                await self._pace.timer.wait(self._wake, wait)

    async def finish(self, grace: float) -> None:
        """Give the requests that are out so many seconds, then cut them off."""
        self._is_ending = True
        if self._out:
            await asyncio.wait(tuple(self._out.values()), timeout=grace)
        for task in tuple(self._out.values()):
            task.cancel()
        await asyncio.gather(*self._out.values(), return_exceptions=True)

    def _time_to_wait(self) -> float:
        entry = self._oldest_waiting()
        trip = self._breaker.trip
        most_out = 1 if trip or self._breaker.is_wary else self._pace.at_once
        if entry is None or len(self._out) >= most_out:
            return math.inf
        until = max(self._ready(entry), trip.until if trip else 0.0)
        return until - self._pace.timer.now()

    def _note_when_ready(self) -> None:
        waiting = [one for one in self._cache.entries if one.state is EntryState.WAITING]
        self._ready_at = {entry.key: self._ready(entry) for entry in waiting}

    def _oldest_waiting(self) -> Entry | None:
        for entry in self._cache.entries:
            if entry.waits_here and entry.key not in self._out:
                return entry
        return None

    def _ready(self, entry: Entry) -> float:
        """Return the timer's time at which an entry may go.

        The wall clock is asked once an entry, and believed up to the delay: whatever it does
        afterwards, nothing goes out early or stays for ever.
        """
        if entry.key not in self._ready_at:
            seconds = min(max(entry.due - self._pace.clock(), 0.0), self._pace.delay)
            self._ready_at[entry.key] = self._pace.timer.now() + seconds
        return self._ready_at[entry.key]

    async def _go_on(self) -> None:
        trip = self._breaker.trip
        if trip is not None and trip.probe_first:
            await self._attempts.ask()
            self._tell_oldest()
            return
        entry = self._oldest_waiting()
        if entry is not None:
            self._out[entry.key] = task = asyncio.create_task(self._send(entry))
            task.add_done_callback(lambda _: self._finished(entry.key))

    def _finished(self, key: str) -> None:
        del self._out[key]
        self.wake()

    async def _send(self, entry: Entry) -> None:
        sending = entry.becoming(EntryState.SENDING)
        try:
            if not await self._mark(entry, sending):
                return
        except asyncio.CancelledError:
            # Kept as being sent by now, or in a moment: the disk is slow.
            await self._cache.record(sending, entry)
            raise
        if self._is_ending:
            await self._cache.record(sending, entry)
            return
        result = entry.becoming(EntryState.UNKNOWN, error=CUT_OFF)
        try:
            result = await self._attempts.add(sending)
        finally:
            # Cut off in the middle, whatever by, it stays UNKNOWN.
            await self._cache.record(sending, result)

    async def _mark(self, entry: Entry, sending: Entry) -> bool:
        """Keep for good that an entry may be out from now on; what cannot be kept is not sent."""
        try:
            return await self._cache.change(entry, sending)
        except OutboxError as error:
            self._breaker.pause(str(error))
            self._cache.tell(entry)
            return False

    def _tell_oldest(self) -> None:
        waiting = self._oldest_waiting()
        if waiting is not None:
            self._cache.tell(waiting)
