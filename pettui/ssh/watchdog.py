"""Whether the workers respond.

Each worker sends its parent a message from its event loop, every few seconds at least. What is
counted is the time for which it could have done so: not while the machine or the whole server is
suspended, since the checks stop then, too; not while a debugger or a disk holds the worker up; and
while it wants the processor only what it got of that, since a busy machine is no fault of its own.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CHECKS: Final = 6  # and messages, until a worker is unresponsive
_TICK: Final = 1 / os.sysconf("SC_CLK_TCK")  # seconds
_STATE, _USER_TIME, _SYSTEM_TIME = 0, 11, 12  # fields after the name (proc_pid_stat(5))


@dataclass(frozen=True, slots=True)
class Activity:
    """What a process is doing, by the letters of proc_pid_stat(5)."""

    state: str  # of the main thread, which runs the event loop
    is_runnable: bool  # any of its threads runs, or waits for the processor
    cpu: float  # seconds that it has used


def read_activity(process: int) -> Activity | None:
    """Return what a process is doing; None if it has ended, or the system does not tell."""
    directory = Path(f"/proc/{process}")
    try:
        fields = _fields(directory / "stat")
        threads = [_fields(path / "stat")[_STATE] for path in (directory / "task").iterdir()]
    except OSError:
        return None
    ticks = int(fields[_USER_TIME]) + int(fields[_SYSTEM_TIME])
    return Activity(fields[_STATE], "R" in threads, ticks * _TICK)


def _fields(path: Path) -> list[str]:
    """Return the fields after the name, which is in parentheses and may contain anything."""
    return path.read_text(errors="replace").rpartition(")")[2].split()


@dataclass(slots=True)
class _Silence:
    """How long a worker has not responded."""

    messages: int  # from it, when it last did
    seconds: float = 0.0
    activity: Activity | None = None  # at the last check, if it was silent already


class Watchdog:
    """Checks whether all workers send messages."""

    def __init__(
        self,
        limit: float,
        clock: Callable[[], float] = time.monotonic,
        read: Callable[[int], Activity | None] = read_activity,
    ) -> None:
        """Start without a check.

        Args:
            limit: seconds without a message, after which a worker is unresponsive.
            clock: seconds.
            read: returns what a process is doing.
        """
        can_read = read(os.getpid()) is not None
        self._interval = limit / CHECKS if can_read else math.inf
        self._limit = limit
        self._clock = clock
        self._read = read
        self._checked = clock()
        self._silences: dict[int, _Silence] = {}  # by process id

    def unresponsive(self, workers: Mapping[int, int]) -> list[int]:
        """Return the processes that do not respond, to be killed; none soon after the last check.

        Args:
            workers: the number of messages of each process so far, by its id.
        """
        now = self._clock()
        if now - self._checked < self._interval:
            return []
        elapsed = min(now - self._checked, 2 * self._interval)
        self._checked = now
        self._silences = {
            process: self._silence(process, messages, elapsed)
            for process, messages in workers.items()
            if messages  # it has begun to serve
        }
        late = [one for one, silence in self._silences.items() if silence.seconds >= self._limit]
        for one in late:  # its end may take longer than until the next check
            self._silences[one].seconds = 0.0
        return late

    def _silence(self, process: int, messages: int, elapsed: float) -> _Silence:
        """Return how long a worker has not responded now; its first silent check counts nothing."""
        silence = self._silences.get(process)
        if silence is None or silence.messages != messages:
            return _Silence(messages)
        before, now = silence.activity, self._read(process)
        if before is not None and now is not None:
            silence.seconds += _countable(before, now, elapsed)
        silence.activity = now
        return silence


def _countable(before: Activity, now: Activity, elapsed: float) -> float:
    """Return for how many of the seconds between two checks a worker could have responded."""
    if now.state in "tD":  # traced by a debugger, or waiting for a disk
        return 0.0
    return min(now.cpu - before.cpu, elapsed) if now.is_runnable else elapsed
