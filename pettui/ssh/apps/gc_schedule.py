"""When a server runs a full garbage collection, and which objects are exempt from it.

With a hundred apps a full collection takes most of a second, in which no key is handled. An app
that has ended is one big reference cycle, which only a full collection frees.
"""

from __future__ import annotations

import asyncio
import gc
from importlib import import_module
from typing import TYPE_CHECKING

from pettui.idle_collection import CHECK_SECONDS, IDLE, IdleCollection

if TYPE_CHECKING:
    from collections.abc import Iterable

# Young collections of a millisecond, since apps start while others type; the oldest generation is
# collected only here.
THRESHOLDS = (5_000, 400, 1_000_000)
ENDED_MAXIMUM = 50  # ended sessions, after which a collection is overdue
OVERDUE = 60.0  # seconds after the first of them ended, after which it is overdue, too

# What Textual imports with the first app; if a module is gone, the server does not start.
IMPORTED_LATE = ("textual.layouts.factory", "textual.scrollbar", "textual.widgets._label")


def freeze(imported_late: Iterable[str] = ()) -> None:
    """Exempt all present objects from collections, which would also copy their memory pages.

    Call it before the first app exists: that would never be freed.

    Args:
        imported_late: names of modules that the first app, or its first keys, would import.
    """
    for module in (*imported_late, *IMPORTED_LATE):
        import_module(module)
    gc.collect()
    gc.freeze()


class GcSchedule(IdleCollection):
    """Counts the sessions that ended since the last collection: there is little else to free."""

    def __init__(self) -> None:
        super().__init__()
        self._ended = 0
        self._first_ended_at = 0.0
        self._has_ended = asyncio.Event()

    def session_ended(self) -> None:
        """Count an ended session, whose app can be freed."""
        if not self._ended:
            self._first_ended_at = asyncio.get_running_loop().time()
        self._ended += 1
        self._has_ended.set()

    async def wait(self, longest: float) -> None:
        """Wait until nobody types, but no longer than this many seconds."""
        loop = asyncio.get_running_loop()
        until = loop.time() + longest
        left = 1.0
        while left > 0:
            left = min(self._typed + IDLE, until) - loop.time()
            await asyncio.sleep(max(left, 0))

    async def collect(self) -> None:
        """Run collections when they are due, until cancelled."""
        gc.set_threshold(*THRESHOLDS)
        while True:
            await self._has_ended.wait()
            await asyncio.sleep(CHECK_SECONDS)
            self.collect_if_time()

    def _is_due(self) -> bool:
        return self._ended > 0

    def _is_overdue(self) -> bool:
        waited = asyncio.get_running_loop().time() - self._first_ended_at
        return self._ended >= ENDED_MAXIMUM or (self._ended > 0 and waited > OVERDUE)

    def _reset(self) -> None:
        self._ended = 0
        self._has_ended.clear()
