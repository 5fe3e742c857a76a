"""Whether the workers respond.

Each worker sends its parent a message from its event loop, every few seconds at least. What is
counted is the time for which it could have done so: not while the machine or the whole server is
suspended, since the checks stop then, too; not while a debugger or a disk holds the worker up; and
while it wants the processor only what it got of that, since a busy machine is no fault of its own.

Mostly it is one app that holds up all others of its worker. So before that is replaced the parent
signals it at each check, and an ``Interrupter`` raises in what still runs then: that app ends
alone. Code in C that takes no notice of signals is found in the stack that ``faulthandler`` writes
at last.
"""

from __future__ import annotations

import faulthandler
import math
import os
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from textual._context import active_app

from pettui.ssh.fair_loop import is_of_client, running_callback

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping
    from types import FrameType

CHECKS: Final = 12  # and messages, until a worker is unresponsive
INTERRUPTED: Final = 1 / 3  # of the limit, after which what runs is interrupted at each check
NOTED: Final = INTERRUPTED - 1 / CHECKS  # at the check before
INTERRUPT: Final = signal.SIGUSR1  # what runs, if it is the same as at the one before
WRITE_STACK: Final = signal.SIGUSR2  # for the parent, which then kills
STACK_MAXIMUM: Final = 65_536  # bytes
_FRAME: Final = re.compile(r'^  File ".*$', re.MULTILINE)
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
            limit: seconds without a message, after which a worker is replaced.
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

    def due(self, workers: Mapping[int, int]) -> dict[int, signal.Signals]:
        """Return which signal is to be sent to which processes; nothing soon after the last check.

        Args:
            workers: the number of messages of each process so far, by its id.
        """
        now = self._clock()
        if now - self._checked < self._interval:
            return {}
        elapsed = min(now - self._checked, 2 * self._interval)
        self._checked = now
        self._silences = {
            process: self._silence(process, messages, elapsed)
            for process, messages in workers.items()
            if messages  # it has begun to serve
        }
        seconds = {process: silence.seconds for process, silence in self._silences.items()}
        return {
            process: WRITE_STACK if silent >= self._limit else INTERRUPT
            for process, silent in seconds.items()
            if silent >= NOTED * self._limit
        }

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


def parsed_stack(written: bytes) -> str:
    """Return what ``faulthandler`` wrote of a stack, in the order of tracebacks; "" for nothing."""
    return "\n".join(reversed(_FRAME.findall(written.decode(errors="replace"))))


# In a worker


class LoopBlockedError(BaseException):
    """Raised in what holds up the event loop; no ``Exception``, which is often caught in loops."""

    def __init__(self, seconds: float, *, is_of_app: bool) -> None:
        """Say for how long it did so; and whether it is of an app, which then ends by it."""
        super().__init__(f"it held up all users of its process for {seconds:g} seconds")
        self.is_of_app = is_of_app


class Interrupter:
    """Raises in a callback that runs at two signals, if a client has caused it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limit: float, stack: int) -> None:
        """Begin to handle the signals, in the main thread, which runs the loop.

        Args:
            loop: of the process.
            limit: seconds without a message to the parent, after which the worker is replaced.
            stack: a descriptor for the stack of what signals do not reach.
        """
        self._loop = loop
        self._seconds = INTERRUPTED * limit
        self._noted: ref[asyncio.Handle] | None = None  # what ran at the last signal
        signal.signal(INTERRUPT, self._interrupt)
        faulthandler.register(WRITE_STACK, file=stack, all_threads=False)

    def _interrupt(self, _number: int, frame: FrameType | None) -> None:
        running = running_callback(frame)
        if running is None:  # it has just ended
            return
        if self._noted is None or self._noted() is not running:
            self._noted = ref(running)
        elif is_of_client():
            app: Any = active_app.get(None)
            error = LoopBlockedError(self._seconds, is_of_app=app is not None)
            if app is not None:  # which may catch it
                self._loop.call_soon_threadsafe(app.end_with, error)
            raise error
