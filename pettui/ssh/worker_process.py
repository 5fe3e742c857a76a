"""A worker as its parent knows it: the messages between them, and whether it still responds.

Messages are lines of JSON over a socket pair. Each worker sends one from its event loop, every few
seconds at least. What is counted is the time for which it could have done so: not while the machine
or the whole server is suspended, since the checks stop then, too; not while a debugger or a disk
holds the worker up; and while it wants the processor only what it got of that, since a busy machine
is no fault of its own.
"""

from __future__ import annotations

import json
import math
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.ssh.load import BINS, LoadHistory

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping

MESSAGE_MAXIMUM: Final = 16 * 1024 * 1024  # bytes; the longest one has every client of a queue
_READ: Final = 65_536  # bytes at once
CHECKS: Final = 6  # and messages, until a worker is unresponsive
_TICK: Final = 1 / os.sysconf("SC_CLK_TCK")  # seconds
_STATE, _USER_TIME, _SYSTEM_TIME = 0, 11, 12  # fields after the name (proc_pid_stat(5))


def encoded(message: tuple[object, ...]) -> bytes:
    """Return a message as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


class MalformedMessageError(ValueError):
    """A line is no message of a worker's: anything else in its process may have written it."""


def _is_number(value: Any, maximum: int = 2**53) -> bool:
    return type(value) is int and 0 <= value <= maximum


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value.isascii()


def _are_counts(value: Any, is_counted: Callable[[Any], bool]) -> bool:
    """Whether it is a list of what is counted, each with its number."""
    return isinstance(value, list) and all(
        isinstance(one, list) and len(one) == 2 and is_counted(one[0]) and _is_number(one[1], 10**6)
        for one in value
    )


_CONTENTS: Final[Mapping[str, tuple[Callable[[Any], bool], ...]]] = MappingProxyType(
    {
        "ask": (_is_number, _is_text, lambda who: isinstance(who, dict)),
        "release": (_is_number,),
        "replace": (),
        "status": (_is_text,),
        "unusable": (),
        "report": (
            _is_number,
            lambda bins: _are_counts(bins, lambda index: _is_number(index, BINS - 1)),
            lambda refused: _are_counts(refused, _is_text),
        ),
    }
)


def parsed(line: bytes) -> list[Any]:
    """Return a message of a worker's.

    Raises:
        MalformedMessageError: it is none.
    """
    try:
        kind, *content = json.loads(line)
        checks = _CONTENTS[kind]
        is_whole = all(check(one) for check, one in zip(checks, content, strict=True))
    except (ValueError, TypeError, LookupError, RecursionError):
        is_whole = False
    if not is_whole:
        raise MalformedMessageError(f"a line of {len(line)} bytes is none of its messages")
    return [kind, *content]


class Link:
    """The parent's end of a socket pair, which never blocks."""

    def __init__(self, end: socket.socket) -> None:
        """Use one end of a pair."""
        end.setblocking(False)
        self._end = end
        self._received = b""  # the beginning of a message
        self._unsent = bytearray()

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._end.fileno()

    @property
    def is_behind(self) -> bool:
        """Whether the worker has not read yet what was sent before."""
        return bool(self._unsent)

    def send(self, *message: object) -> None:
        """Send a message, as far as there is room; the rest waits for ``flush``."""
        self._unsent += encoded(message)
        self.flush()

    def flush(self) -> None:
        """Send what waits."""
        try:
            del self._unsent[: self._end.send(self._unsent)]
        except BlockingIOError:
            return
        except OSError:  # the worker has ended, which ``receive`` tells
            self._unsent.clear()

    def receive(self) -> list[list[Any]] | None:
        """Return the messages that have arrived, perhaps none; None once the worker has ended.

        Raises:
            MalformedMessageError: something else has arrived.
        """
        try:
            more = self._end.recv(_READ)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not more:
            return None
        *lines, self._received = (self._received + more).split(b"\n")
        if len(self._received) > MESSAGE_MAXIMUM:
            raise MalformedMessageError("a line without end")
        return [parsed(line) for line in lines]

    def close(self) -> None:
        """Close this end."""
        self._end.close()


@dataclass(slots=True, eq=False)
class WorkerProcess:
    """A worker, as its parent knows it."""

    number: int  # of its sockets, from 0
    pid: int
    link: Link
    since: float  # its start
    load: LoadHistory = field(default_factory=LoadHistory)
    messages: int = 0  # from it so far
    is_linked: bool = True  # it may send further ones
    ends_by: float = math.inf  # when it is killed, once it was replaced

    @property
    def is_replaced(self) -> bool:
        """Whether another one has its sockets."""
        return self.ends_by < math.inf


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
        return [one for one, silence in self._silences.items() if silence.seconds >= self._limit]

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
