"""How soon entries are sent, and by which clock: the running loop's, or a test's."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Timer(Protocol):
    """A clock that only goes forward, and waiting by it."""

    def now(self) -> float:
        """Return the seconds since some moment."""
        ...

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Wait for the event, at most so many seconds; inf is without a limit."""
        ...


class LoopTimer:
    """The clock of the running loop."""

    def now(self) -> float:
        """Return the loop's time."""
        return asyncio.get_running_loop().time()

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Wait for the event, at most so many seconds."""
        try:
            async with asyncio.timeout(None if seconds == math.inf else seconds):
                await event.wait()
        except TimeoutError:
            return


@dataclass(frozen=True, slots=True)
class Pace:
    """How soon entries are sent."""

    delay: float  # seconds in which an entry can be taken back
    clock: Callable[[], float]  # wall-clock seconds
    timer: Timer
