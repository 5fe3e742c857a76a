"""When a server's unused memory is collected, and what of it is never looked at.

With a hundred apps a full look takes most of a second, in which nobody's key is answered; an ended
app is one big cycle, and only a full look finds it.
"""

from __future__ import annotations

import asyncio
import gc
from importlib import import_module
from typing import TYPE_CHECKING

from pettui.idle_collection import IDLE, LOOK, IdleCollection, collect_young_objects_alone

if TYPE_CHECKING:
    from collections.abc import Iterable

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


class GcSchedule(IdleCollection):
    """Knows how many sessions ended since the last full look: little else is left to be found."""

    def __init__(self) -> None:
        super().__init__()
        self._ended = 0
        self._since = 0.0  # when the first of them ended

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
        collect_young_objects_alone()
        while True:
            await asyncio.sleep(LOOK)
            self.collect_if_time()

    def _is_due(self) -> bool:
        return self._ended > 0

    def _is_overdue(self) -> bool:
        waited = asyncio.get_running_loop().time() - self._since
        return self._ended >= ENDED_MAXIMUM or (self._ended > 0 and waited > OVERDUE)

    def _begin_anew(self) -> None:
        self._ended = 0
