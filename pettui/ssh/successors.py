"""Successors: processes that are to take the place of others, until they can."""

from __future__ import annotations

import signal
import time
from typing import Final

from pettui.ssh.process_signals import WATCHED, tell

START_MAXIMUM: Final = 30.0  # seconds that one gets until it accepts connections


class Successors:
    """Which process is to take whose place; the one before it waits, and accepts nobody."""

    def __init__(self) -> None:
        """Begin with none."""
        self._before: dict[int, int] = {}  # by the successor
        self._deadlines: dict[int, float] = {}  # likewise

    def __contains__(self, process: int) -> bool:
        """Whether a process is a successor that isn't ready yet."""
        return process in self._before

    def is_waiting(self, process: int) -> bool:
        """Whether a process waits for its successor."""
        return process in self._before.values()

    def add(self, process: int, before: int) -> None:
        """Take note of one that was just started, for the one before it."""
        self._before[process] = before
        self._deadlines[process] = time.monotonic() + START_MAXIMUM

    def pop(self, process: int) -> int:
        """Forget one, which is ready or has ended; return the process before it."""
        del self._deadlines[process]
        return self._before.pop(process)

    def next_signal(self) -> signal.struct_siginfo:
        """Return the next signal of those that are watched; meanwhile kill who takes too long."""
        while self._deadlines:
            left = max(min(self._deadlines.values()) - time.monotonic(), 0.0)
            if (told := signal.sigtimedwait(WATCHED, left)) is not None:
                return told
            self._kill_late()
        return signal.sigwaitinfo(WATCHED)

    def _kill_late(self) -> None:
        now = time.monotonic()
        for process, deadline in self._deadlines.items():
            if deadline <= now:
                self._deadlines[process] = now + START_MAXIMUM
                tell(process, signal.SIGKILL)
