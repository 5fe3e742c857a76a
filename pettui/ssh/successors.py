"""Successors: processes that are starting, to replace others."""

from __future__ import annotations

import math
import signal
import time
from typing import TYPE_CHECKING, Final

from pettui.ssh.process_signals import WATCHED, send_signal, wait_for_signal

if TYPE_CHECKING:
    from pettui.ssh.process_signals import ReceivedSignal

START_MAXIMUM: Final = 30.0  # seconds until a successor must accept connections
END_MAXIMUM: Final = 30.0  # seconds until an empty process that was told to end must have done so


class Successors:
    """Which process replaces which; the predecessor accepts no connections meanwhile."""

    def __init__(self) -> None:
        """Start without successors."""
        self._predecessors: dict[int, int] = {}  # predecessors, by successor
        self._deadlines: dict[int, float] = {}  # of both, monotonic time
        self._replaced: set[int] = set()  # until they have ended

    def __contains__(self, process: int) -> bool:
        """Whether a process is a successor that isn't ready yet."""
        return process in self._predecessors

    def is_waiting(self, process: int) -> bool:
        """Whether a process waits for its successor."""
        return process in self._predecessors.values()

    def add(self, process: int, predecessor: int) -> None:
        """Register a process that was just started to replace another one."""
        self._predecessors[process] = predecessor
        self._deadlines[process] = time.monotonic() + START_MAXIMUM

    def pop(self, process: int) -> int:
        """Remove a successor that is ready or has ended; return its predecessor."""
        del self._deadlines[process]
        return self._predecessors.pop(process)

    def expect_end(self, predecessor: int) -> None:
        """Register a process that was replaced, and told to end."""
        self._replaced.add(predecessor)
        self._deadlines[predecessor] = time.monotonic() + END_MAXIMUM

    def is_end_of_predecessor(self, process: int) -> bool:
        """Whether a process that has ended was replaced, or waited for that: it was empty."""
        if process not in self._replaced:
            return self.is_waiting(process)
        self._replaced.remove(process)
        del self._deadlines[process]
        return True

    def next_signal(self, seconds: float) -> ReceivedSignal | None:
        """Return the next watched signal, or None if there is none so long.

        Meanwhile processes that take too long to start or to end are killed.
        """
        self._kill_late()
        deadline = min(self._deadlines.values(), default=math.inf)
        left = min(max(deadline - time.monotonic(), 0.0), seconds)
        return wait_for_signal(WATCHED, None if left == math.inf else left)

    def _kill_late(self) -> None:
        now = time.monotonic()
        for process, deadline in self._deadlines.items():
            if deadline <= now:
                self._deadlines[process] = now + START_MAXIMUM
                send_signal(process, signal.SIGKILL)
