"""Watchdog: notices worker processes that no longer respond, so that they can be replaced.

Each worker sets a heartbeat from its event loop. What is counted is the time for which it could
have done so: not while the machine or the whole server is suspended, since the checks stop then,
too; not while a debugger or a disk holds the worker up; and while it wants the processor only what
it got of that, since a busy machine is no fault of the worker's.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pettui.background_tasks import next_tick

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pettui.ssh.load import ProcessLoad, SharedLoads

CHECKS: Final = 6  # and heartbeats, until a worker is unresponsive
_TICK: Final = 1 / os.sysconf("SC_CLK_TCK")  # seconds
_STATE, _USER_TIME, _SYSTEM_TIME = 0, 11, 12  # fields after the name (proc_pid_stat(5))


@dataclass(frozen=True, slots=True)
class Activity:
    """What a process is doing, by the letters of proc_pid_stat(5)."""

    state: str  # of the main thread, which runs the event loop
    is_runnable: bool  # any of its threads runs, or waits for the processor
    cpu: float  # seconds that it has used

    @property
    def is_stopped(self) -> bool:
        """Whether SIGSTOP or SIGTSTP has stopped it."""
        return self.state == "T"


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
    return path.read_text().rpartition(")")[2].split()


@dataclass(slots=True)
class _Silence:
    """How long a worker has not responded."""

    heartbeats: int  # when it last did
    seconds: float = 0.0
    activity: Activity | None = None  # at the last check, if it was silent already


class Watchdog:
    """Checks the heartbeats of all workers."""

    def __init__(
        self,
        loads: SharedLoads,
        limit: float,
        on_unresponsive: Callable[[int, int], None],
        clock: Callable[[], float] = time.monotonic,
        read: Callable[[int], Activity | None] = read_activity,
    ) -> None:
        """Start without a check.

        Args:
            loads: with the heartbeats.
            limit: seconds without one, after which a worker is unresponsive.
            on_unresponsive: called with a worker's index and process id, to kill it.
            clock: seconds.
            read: returns what a process is doing.
        """
        can_read = read(os.getpid()) is not None
        self.interval = limit / CHECKS if can_read else math.inf
        self._loads = loads
        self._limit = limit
        self._on_unresponsive = on_unresponsive
        self._clock = clock
        self._read = read
        self._checked = clock()
        self._silences: dict[int, _Silence] = {}  # by process id

    def check(self, workers: Mapping[int, int]) -> None:
        """Look for a process that does not respond, unless the last check was just now.

        One at a time is reported, first those that are stopped: the others may wait for what it
        has locked.

        Args:
            workers: the index of each process, by its id.
        """
        now = self._clock()
        if now - self._checked < self.interval:
            return
        elapsed = min(now - self._checked, 2 * self.interval)
        self._checked = now
        self._silences = {
            process: self._silence(process, self._loads.processes[worker], elapsed)
            for process, worker in workers.items()
            if self._loads.processes[worker].pid == process  # it has begun to serve
        }
        silent = [one for one, silence in self._silences.items() if silence.seconds >= self._limit]
        if silent:
            process = max(silent, key=self._urgency)
            self._silences.clear()
            self._on_unresponsive(workers[process], process)

    def _silence(self, process: int, load: ProcessLoad, elapsed: float) -> _Silence:
        """Return how long a worker has not responded now; its first silent check counts nothing."""
        silence = self._silences.get(process)
        if silence is None or silence.heartbeats != load.heartbeats:
            return _Silence(load.heartbeats)
        before, now = silence.activity, self._read(process)
        if before is not None and now is not None:
            silence.seconds += _countable(before, now, elapsed)
        silence.activity = now
        return silence

    def _urgency(self, process: int) -> tuple[bool, float]:
        silence = self._silences[process]
        is_stopped = silence.activity is not None and silence.activity.is_stopped
        return is_stopped, silence.seconds


def _countable(before: Activity, now: Activity, elapsed: float) -> float:
    """Return for how many of the seconds between two checks a worker could have responded."""
    if now.state in "tD":  # traced by a debugger, or waiting for a disk
        return 0.0
    return min(now.cpu - before.cpu, elapsed) if now.is_runnable else elapsed


async def beat(load: ProcessLoad, limit: float) -> None:
    """Set a worker's heartbeat, until cancelled."""
    while True:
        load.beat()
        await next_tick(limit / CHECKS)
