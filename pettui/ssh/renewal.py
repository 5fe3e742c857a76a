"""Renewal: a process that has grown and that nobody is in any more is replaced by a fresh one.

Of the memory of people who left, Python and the C library give little back: pages are left in which
a few objects live on.
"""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.server_state import ServerState

LOOK: Final = 1.0  # seconds between looks at whether anybody is there


class Renewal:
    """Looks whether a process is to be replaced: it has grown, and nobody was there for a while."""

    def __init__(
        self,
        state: ServerState,
        due: Callable[[], None],
        measure: Callable[[], int] | None = None,
    ) -> None:
        """Take what it looks at.

        Args:
            state: of the process, which nobody was in yet.
            due: called when it is time, and again as long as it is.
            measure: returns the bytes that the process has; measured unless told.
        """
        self._state = state
        self._due = due
        self._measure = measure or own_memory
        self._began = 0  # the most that it had before the first person
        self._was_used = False

    async def watch(self) -> None:
        """Look again and again, until cancelled."""
        loop, options = asyncio.get_running_loop(), self._state.options
        empty_since = loop.time()
        while True:
            now = loop.time()
            if self._state.connections or self._state.sessions:
                self._was_used, empty_since = True, now
            elif not self._was_used:
                self._began = max(self._began, self._measure())  # while apps are made ready
            elif now - empty_since >= options.renew_after:
                empty_since = now
                if self._measure() >= self._began * options.growth:
                    self._due()
            await asyncio.sleep(min(LOOK, options.renew_after))


def own_memory() -> int:
    """Return the bytes of this process that are in memory, shared ones included."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # no descriptor is left, or this is no Linux: the most that it ever had
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * resource.getpagesize()
