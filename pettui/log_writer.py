"""LogWriter: a log that never blocks its writer."""

from __future__ import annotations

import os
import select
import threading
from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from typing import TextIO

CAPACITY: Final = 1024 * 1024  # bytes that may wait to be written
WHOLE: Final = 4096  # bytes that a pipe accepts whole or not at all (PIPE_BUF, pipe(7))
BATCH: Final = 0.01  # seconds; waking the thread up for every line would slow the writer down
RETRY: Final = 1.0  # seconds after an error, such as a full disk or a reader that is gone
RETRY_SOON: Final = 0.05  # seconds, where the descriptor is non-blocking, and full


class Log(Protocol):
    """What lines can be written to: a ``LogWriter``, or any text stream."""

    def write(self, text: str, /) -> object:
        """Write whole lines, each with its newline."""
        ...

    def flush(self) -> None:
        """Flush the lines."""
        ...

    def fileno(self) -> int:
        """Return the file descriptor."""
        ...


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
        self._capacity = capacity
        self._lines: deque[bytes] = deque()
        self._size = 0  # bytes of the lines
        self._rest = b""  # of what the thread is writing
        self._dropped = 0
        # Reentrant: an object that is garbage-collected while the lock is held may log, such as a
        # task whose error was never retrieved.
        self._changed = threading.Condition(threading.RLock())
        self._thread: threading.Thread | None = None
        self._is_ending = False

    def write(self, text: str, /) -> int:
        """Queue whole lines, or drop them if too many wait; never block, never raise."""
        if self._descriptor < 0:
            return len(text)
        line = text.encode(errors="backslashreplace")
        with self._changed:
            if self._size + len(line) > self._capacity:
                self._dropped += 1
            else:
                self._report_dropped()
                self._put(line)
            self._start_thread()
            self._changed.notify()
        return len(text)

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
        if self._dropped:
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            self._put(f'{{"time":"{now}","dropped":{self._dropped}}}\n'.encode())
            self._dropped = 0

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
                    self._changed.wait()
                    self._changed.wait_for(lambda: self._is_ending, BATCH)
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
