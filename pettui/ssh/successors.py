"""Successors: processes that are starting, to replace others."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING, Final

from pettui.ssh.process_signals import WATCHED, send_signal, wait_for_signal

if TYPE_CHECKING:
    from pettui.ssh.process_signals import ReceivedSignal

START_MAXIMUM: Final = 30.0  # seconds until one must accept connections


class Successors:
    """Which process replaces which; the predecessor accepts no connections meanwhile."""

    def __init__(self) -> None:
        """Start without successors."""
        self._predecessors: dict[int, int] = {}  # predecessors, by successor
        self._deadlines: dict[int, float] = {}  # by successor, monotonic time

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

    def next_signal(self) -> ReceivedSignal:
        """Wait for the next watched signal; meanwhile kill successors that take too long."""
        while True:
            deadline = min(self._deadlines.values(), default=None)
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            if (received := wait_for_signal(WATCHED, left)) is not None:
                return received
            self._kill_late()

    def _kill_late(self) -> None:
        now = time.monotonic()
        for process, deadline in self._deadlines.items():
            if deadline <= now:
                self._deadlines[process] = now + START_MAXIMUM
                send_signal(process, signal.SIGKILL)
