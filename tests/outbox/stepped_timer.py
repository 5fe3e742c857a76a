"""A clock on which hours take no time."""

from __future__ import annotations

import asyncio
import math


class SteppedTimer:
    """A clock on which waiting takes no time, up to an end where it stops."""

    def __init__(self, end: float = math.inf) -> None:
        self.time = 0.0
        self._end = end
        self.has_ended = asyncio.Event()

    def now(self) -> float:
        return self.time

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        for _ in range(10):  # what is out comes first
            await asyncio.sleep(0)
        if seconds == math.inf:
            await event.wait()
        elif not event.is_set() and self.time + seconds > self._end:
            self.has_ended.set()
            await event.wait()
        elif not event.is_set():
            self.time += seconds
