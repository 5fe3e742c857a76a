"""Renewal: an empty process that has grown is replaced by a new one.

Python and the C library return little memory of ended sessions: many pages still contain a few
objects.
"""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pettui.background_tasks import next_tick

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.server_state import ServerState

INTERVAL: Final = 1.0  # seconds between two checks


class Renewal:
    """Checks whether a process has grown and has been without connections for a while."""

    def __init__(
        self,
        state: ServerState,
        on_due: Callable[[], None],
        measure: Callable[[], int] | None = None,
    ) -> None:
        """Start without a measurement.

        Args:
            state: of the process, before its first connection.
            on_due: called when the process should be replaced, again after each ``renew_after``.
            measure: returns the memory of the process in bytes; ``own_memory`` if None.
        """
        self._state = state
        self._on_due = on_due
        self._measure = measure or own_memory
        self._baseline = 0  # bytes, the most before the first connection
        self._connection_count = 0  # at the last check

    async def watch(self) -> None:
        """Check periodically, until cancelled."""
        loop, options = asyncio.get_running_loop(), self._state.options
        empty_since = loop.time()
        while True:
            now = loop.time()
            if self._state.sessions or self._has_connections():
                empty_since = now
            elif not self._connection_count:
                self._baseline = max(self._baseline, self._measure())  # while apps are prepared
            elif now - empty_since >= options.renew_after:
                empty_since = now
                if self._measure() >= self._baseline * options.growth:
                    self._on_due()
            await next_tick(min(INTERVAL, options.renew_after))

    def _has_connections(self) -> bool:
        """Whether there are connections, or have been some since the last check."""
        count, self._connection_count = self._connection_count, self._state.connection_count
        return self._state.has_connections or count != self._connection_count


def own_memory() -> int:
    """Return the bytes of this process that are in memory, shared ones included."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # no descriptor is left, or not Linux: the peak
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * resource.getpagesize()
