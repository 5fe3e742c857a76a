"""When unused memory is collected: when nobody types.

Python looks for cycles when so many objects were made. With a hundred apps a full look takes most
of a second, in which nobody's key is answered; an ended app is one big cycle, and only a full
look finds it.
"""

from __future__ import annotations

import asyncio
import gc
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Young objects are many and die soon; full looks are made here.
THRESHOLDS = (50_000, 20, 1_000_000)
LOOK = 0.5  # seconds between looks at whether it is time
IDLE = 0.25  # seconds without a key, after which nobody is held up
ENDED_MAXIMUM = 50  # sessions that ended, after which it is time though users type
OVERDUE = 60.0  # seconds after the first one that ended, after which it is, too

# What Textual imports with the first app; where a module is gone, the server does not start.
IMPORTED_LATE = ("textual.layouts.factory", "textual.scrollbar", "textual.widgets._label")


def freeze(imported_late: Iterable[str] = ()) -> None:
    """Let collections look at nothing of what is there now, nor copy its pages.

    Before the first app exists: it would be there for good.

    Args:
        imported_late: names of modules that the first app would import, and its first keys.
    """
    for module in (*imported_late, *IMPORTED_LATE):
        import_module(module)
    gc.collect()
    gc.freeze()


class GcSchedule:
    """Knows when somebody last typed, and how many sessions ended since the last full look."""

    def __init__(self) -> None:
        self._typed = 0.0  # seconds of the loop's clock
        self._ended = 0
        self._since = 0.0  # when the first of them ended

    def typed(self) -> None:
        """Note that somebody typed."""
        self._typed = asyncio.get_running_loop().time()

    def session_ended(self) -> None:
        """Note that there is an app to be found."""
        if not self._ended:
            self._since = asyncio.get_running_loop().time()
        self._ended += 1

    async def wait(self, longest: float) -> None:
        """Wait until nobody types, but no longer than this many seconds."""
        loop = asyncio.get_running_loop()
        until = loop.time() + longest
        left = 1.0
        while left > 0:
            left = min(self._typed + IDLE, until) - loop.time()
            await asyncio.sleep(max(left, 0))

    async def collect(self) -> None:
        """Collect unused memory whenever it is time, until cancelled."""
        gc.set_threshold(*THRESHOLDS)
        while True:
            await asyncio.sleep(LOOK)
            if self._is_time():
                self._ended = 0
                gc.collect()

    def _is_time(self) -> bool:
        now = asyncio.get_running_loop().time()
        if not self._ended:
            return False
        is_overdue = self._ended >= ENDED_MAXIMUM or now - self._since > OVERDUE
        return is_overdue or now - self._typed > IDLE
