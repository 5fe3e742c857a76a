"""Logs: one JSON line an event, written without ever holding up whoever writes it.

``EventLog`` makes the lines and bounds how many anyone can cause, ``LogWriter`` writes them, and
``logged`` turns what libraries log into events. A line is ASCII without control characters and
at most ``WHOLE`` bytes: what comes from outside can neither break it nor steer a terminal, and
processes can share a pipe. ``docs/logs.md`` has the events and their fields.

In systemd's journal a line of what is wrong begins with its priority, ``<3>`` for an error and
``<4>`` for a warning (sd-daemon(3)), which the journal takes off.
"""

from __future__ import annotations

import io
import json
import logging
import os
import select
import threading
import time
from collections import deque
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol, TextIO

from pettui.build import build
from pettui.system.systemd import is_journal
from pettui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

LINES: Final = 10  # of one kind in a period; further ones are counted
PERIOD: Final = 60.0  # seconds
KINDS: Final = 1000  # that are counted at once
TEXT_MAXIMUM: Final = 500  # characters of a field
TRACEBACK_MAXIMUM: Final = 2500  # the end of it, which says most
# By the address first, so that no address hides what others do, nor all of them fill a disk.
BOUNDS: Final[Mapping[str, tuple[tuple[str, int], ...]]] = MappingProxyType(
    {"login refused": (("address", LINES), ("reason", 10 * LINES))}
)
BOUND: Final = (("reason", LINES),)  # of every other event

ERROR: Final = 3  # priorities, of syslog(3)
WARNING: Final = 4
PRIORITIES: Final[Mapping[str, int]] = MappingProxyType(  # of events without a level
    {
        **dict.fromkeys(("bug", "state away", "state failed", "outbox failed"), ERROR),
        **dict.fromkeys(("worker ended", "worker malformed", "worker not started"), ERROR),
        **dict.fromkeys(("worker unresponsive", "status unavailable"), ERROR),
        **dict.fromkeys(("lines dropped", "outbox waits", "shortage", "threads busy"), WARNING),
    }
)
LEVELS: Final[Mapping[object, int]] = MappingProxyType(  # of what loggers log
    {"critical": ERROR, "error": ERROR, "warning": WARNING}
)

CAPACITY: Final = 1024 * 1024  # bytes that may wait to be written
WHOLE: Final = 4096  # bytes that a pipe accepts whole or not at all (PIPE_BUF, pipe(7))
BATCH: Final = 0.01  # seconds; waking the thread up for every line would slow the writer down
MOMENT: Final = 0.1  # seconds to wait for a line, where it must not be lost with the process
RETRY: Final = 1.0  # seconds after an error, such as a full disk or a reader that is gone
RETRY_SOON: Final = 0.05  # seconds, where the descriptor is non-blocking, and full

Field = str | float | None


class Log(Protocol):
    """What lines can be written to: a ``LogWriter``, or any text stream."""

    def write(self, text: str, /) -> object:
        """Write whole lines, each with its newline."""
        ...

    def flush(self) -> None:
        """Flush the lines."""
        ...


@dataclass(slots=True)
class _Period:
    """The number of events of one kind in a period."""

    began: float
    lines: int = 0
    unwritten: int = 0


class EventLog:
    """Writes the events of one process.

    Events of one kind, most of them with the same reason, get ten lines a minute, and then one
    line that counts the others as ``more``: thousands of attempts must neither fill the disk nor
    hide other events.
    """

    def __init__(self, log: Log, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._is_journal = isinstance(log, LogWriter) and log.is_journal
        self._clock = clock
        # Any thread logs, and any garbage collection, perhaps within the log: so there is no lock,
        # and a count may be one too low.
        self._periods: dict[tuple[str, str, Field], _Period] = {}  # the oldest first

    def write(self, event: str, **fields: Field) -> None:
        """Write the line of an event, unless too many of its kind have one."""
        if all(
            self.has_line(event, field, fields.get(field), maximum)
            for field, maximum in BOUNDS.get(event, BOUND)
        ):
            self.write_line(event, fields)

    def write_line(self, event: str, fields: Mapping[str, Field]) -> None:
        """Write the line of an event whose number is bounded by something else."""
        with suppress(OSError, ValueError):  # a log that cannot be written must not end a session
            self._log.write(event_line(event, fields, with_priority=self._is_journal))
            self._log.flush()

    def write_now(self, event: str, fields: Mapping[str, Field]) -> None:
        """Write the line of an event, and wait a moment until it is out of this process."""
        self.write_line(event, fields)
        if isinstance(self._log, LogWriter):
            self._log.wait_a_moment()

    def has_line(self, event: str, field: str, value: Field, maximum: int) -> bool:
        """Count an event whose kind is one value of a field; whether it is to have a line."""
        self._write_counts()
        kind = event, field, value
        if kind not in self._periods and len(self._periods) >= KINDS:
            kind = event, field, "others"
        period = self._periods.setdefault(kind, _Period(self._clock()))
        if period.lines < maximum:
            period.lines += 1
            return True
        period.unwritten += 1
        return False

    @property
    def dropped(self) -> int:
        """How many lines its writer had no room for so far."""
        return self._log.dropped if isinstance(self._log, LogWriter) else 0

    def close(self) -> None:
        """Write the counts of events without a line; the caller closes the log."""
        self._write_counts(is_last=True)

    def _write_counts(self, *, is_last: bool = False) -> None:
        now = self._clock()
        for kind, period in tuple(self._periods.items()):
            if now - period.began < PERIOD and not is_last:
                return
            if self._periods.pop(kind, None) is period and period.unwritten:
                event, field, value = kind
                self.write_line(event, {field: value, "more": period.unwritten})


def event_line(event: str, fields: Mapping[str, Field], *, with_priority: bool = False) -> str:
    """Return the line of an event that happens now."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    priority = LEVELS.get(fields.get("level")) or PRIORITIES.get(event)
    before = f"<{priority}>" if with_priority and priority else ""
    line = before + _encoded(now, event, fields)
    if len(line) <= TEXT_MAXIMUM:  # so no field is longer
        return line
    for maximum in (TEXT_MAXIMUM, TEXT_MAXIMUM // 10, 0):
        shown = {name: _bounded(name, value, maximum) for name, value in fields.items()}
        line = before + _encoded(now, event, shown)
        if len(line) <= WHOLE:
            break
    return line


def _encoded(now: str, event: str, fields: Mapping[str, Field]) -> str:
    # JSON escapes every control character but DEL.
    text = _ENCODER.encode({"time": now, "event": event, **fields}).replace("\x7f", "\\u007f")
    return f"{text}\n"


_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))


def _bounded(name: str, value: Field, maximum: int) -> Field:
    if not isinstance(value, str) or len(value) <= maximum:
        return value
    if name == "traceback" and maximum == TEXT_MAXIMUM:
        return value[-TRACEBACK_MAXIMUM:]
    return f"{value[:maximum]}…"


class EventHandler(logging.Handler):
    """Writes what loggers log as events.

    A record may name its event and further fields: ``extra={"event": …, "fields": {…}}``. Others
    are of one kind if they have the same text before anything is put into it.
    """

    def __init__(self, event_log: EventLog) -> None:
        super().__init__(logging.WARNING)
        self._event_log = event_log

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record as an event."""
        event = getattr(record, "event", "error" if record.levelno >= logging.ERROR else "warning")
        fields: dict[str, Field] = {"level": record.levelname.lower()}
        fields |= getattr(record, "fields", {"logger": record.name, "reason": record.getMessage()})
        if record.exc_info:
            fields["traceback"] = logging.Formatter().formatException(record.exc_info)
        if self._event_log.has_line(event, "reason", str(record.msg), LINES):
            self._event_log.write_line(event, fields)


class EventStream(io.TextIOBase):
    """Standard error of a server: each line that Python or a library prints is an event."""

    def __init__(self, event_log: EventLog) -> None:
        self._event_log = event_log
        self._rest = ""  # the beginning of a line

    def write(self, text: str) -> int:
        """Write each line that is complete."""
        *lines, rest = (self._rest + text).split("\n")
        self._rest = rest[:TEXT_MAXIMUM]
        for line in filter(None, lines):
            self._event_log.write("print", message=line)
        return len(text)


@contextmanager
def logged(event_log: EventLog) -> Iterator[None]:
    """Write what all loggers warn of as events during the block."""
    handler = EventHandler(event_log)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


def announce(lines: Iterable[str], stream: TextIO | None) -> None:
    """Say that a server has started: in words on a terminal, anywhere else as events.

    A full pipe or disk does not hold it up.
    """
    with closing(LogWriter(stream)) as log:
        if stream is not None and stream.isatty():
            log.write("".join(f"pettui: {safe(line)}\n" for line in lines))
        else:
            event_log = EventLog(log)
            for line in lines:
                event_log.write_line("start", {"message": line, "build": build()})


class LogWriter:
    """Writes lines to a stream in a thread of its own.

    A pipe that nobody reads, a full disk or a reader that is gone never blocks the caller: lines
    that do not fit are dropped, and a line says how many once there is room again. The thread is
    started by the first line, and by any later one that finds it ended; ``drain`` ends it. A
    process drains before it forks, and its child creates a writer of its own.
    """

    def __init__(self, stream: TextIO | None, capacity: int = CAPACITY) -> None:
        """Duplicate the stream's descriptor: the stream itself may be closed.

        For None, as ``sys.stderr`` is without a standard error, lines are discarded.

        Raises:
            OSError: the stream has no descriptor, or there is none left.
        """
        self._descriptor = -1 if stream is None else os.dup(stream.fileno())
        self.is_journal = is_journal(self._descriptor)
        self.dropped = 0  # lines, since the start
        self._capacity = capacity
        self._lines: deque[bytes] = deque()
        self._size = 0  # bytes of the lines
        self._rest = b""  # of what the thread is writing
        self._untold = 0  # of those that were dropped
        # Reentrant: an object that is garbage-collected while the lock is held may log, such as a
        # task whose error was never retrieved.
        lock = threading.RLock()
        self._changed = threading.Condition(lock)
        self._written = threading.Condition(lock)  # all that was queued
        self._is_hurried = False  # somebody waits for that
        self._is_stuck = False  # … and has waited in vain
        self._thread: threading.Thread | None = None
        self._is_ending = False

    def write(self, text: str, /) -> int:
        """Queue whole lines, or drop them if too many wait; never block, never raise."""
        if self._descriptor < 0:
            return len(text)
        line = text.encode(errors="backslashreplace")
        with self._changed:
            is_first = not self._lines
            if self._size + len(line) > self._capacity:
                self.dropped += 1
                self._untold += 1
            else:
                self._report_dropped()
                self._put(line)
            self._start_thread()
            if is_first:  # otherwise the thread is awake, or will be in a moment
                self._changed.notify()
        return len(text)

    def wait_a_moment(self) -> None:
        """Wait until all is written; but for a moment alone, and once where nobody reads."""
        with self._changed:
            if self._descriptor >= 0 and not self._is_stuck:
                self._is_hurried = True
                self._changed.notify()
                is_written = self._written.wait_for(lambda: not (self._lines or self._rest), MOMENT)
                self._is_stuck = not is_written

    def flush(self) -> None:
        """Do nothing: the thread writes as soon as it can."""

    def fileno(self) -> int:
        """Return the descriptor; -1 for none."""
        return self._descriptor

    def drain(self, seconds: float) -> bool:
        """Wait at most this long until all is written and the thread has ended.

        Returns:
            Whether all was written.
        """
        with self._changed:
            if self._lines or self._rest:
                self._start_thread()
            thread = self._thread
            self._is_ending = True
            self._changed.notify()
            if thread is None and self._descriptor >= 0:
                self._write_here()
        if thread is not None:
            thread.join(seconds)
        return not (self._lines or self._rest)

    def close(self, seconds: float = 1.0) -> None:
        """Drain, and close the descriptor; what could not be written in time is lost."""
        self.drain(seconds)
        with self._changed:
            # A stuck thread still uses the descriptor: its number must not be reused.
            if self._thread is None and self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1

    def _put(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line)

    def _report_dropped(self) -> None:
        if self._untold:
            fields: dict[str, Field] = {"dropped": self._untold}
            line = event_line("lines dropped", fields, with_priority=self.is_journal)
            self._put(line.encode())
            self._untold = 0

    def _start_thread(self) -> None:
        if self._descriptor < 0 or (self._thread is not None and self._thread.is_alive()):
            return
        self._is_ending = False
        # A daemon: a thread that is stuck in a write must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        try:
            self._thread.start()
        except (RuntimeError, MemoryError):  # no room for a thread: the next line retries
            self._thread = None

    def _write_here(self) -> None:
        """Write what can be written without blocking: no thread could be started."""
        ready = select.poll()
        ready.register(self._descriptor, select.POLLOUT)
        while self._rest or self._lines:
            if not self._rest:
                self._take_lines()
            try:
                if not ready.poll(0):
                    return
                self._rest = self._rest[os.write(self._descriptor, self._rest[:WHOLE]) :]
            except OSError:
                return

    def _run(self) -> None:
        while True:
            try:
                if not self._next_part():
                    return
                while self._rest:
                    self._rest = self._rest[os.write(self._descriptor, self._rest) :]
            except (OSError, MemoryError) as error:
                if not self._wait_to_retry(error):
                    return

    def _next_part(self) -> bool:
        """Wait for lines, and move the next ones to the rest; False if the thread is to end."""
        with self._changed:
            while not self._rest:
                if not self._lines:
                    self._report_dropped()
                if self._lines:
                    self._take_lines()
                elif self._is_ending:
                    self._thread = None
                    return False
                else:
                    self._is_hurried = self._is_stuck = False
                    self._written.notify_all()
                    self._changed.wait()
                    self._changed.wait_for(lambda: self._is_ending or self._is_hurried, BATCH)
            return True

    def _take_lines(self) -> None:
        while self._lines and (not self._rest or len(self._rest) + len(self._lines[0]) <= WHOLE):
            line = self._lines.popleft()
            self._size -= len(line)
            self._rest += line

    def _wait_to_retry(self, error: BaseException) -> bool:
        """Wait a moment; False if the thread is to end."""
        with self._changed:
            if isinstance(error, BlockingIOError):
                self._changed.wait(RETRY_SOON)
            elif self._changed.wait_for(lambda: self._is_ending, RETRY):
                self._thread = None
                return False
            return True
