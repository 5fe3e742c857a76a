"""A log that never holds up whoever writes to it."""

from __future__ import annotations

import os
import select
import threading
from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from typing import TextIO

CAPACITY: Final = 1024 * 1024  # bytes that wait to be written
WHOLE: Final = 4096  # bytes that a pipe takes whole or not at all (PIPE_BUF, pipe(7))
BATCH: Final = 0.01  # seconds; a wake of the thread for every line would slow its writer
RETRY: Final = 1.0  # seconds after an error, as of a full disk or a reader that is gone
RETRY_SOON: Final = 0.05  # where the descriptor does not block, and is full


class Log(Protocol):
    """Whatever takes lines: a ``LogWriter``, or any stream of text."""

    def write(self, text: str, /) -> object:
        """Take whole lines, each with its newline."""
        ...

    def flush(self) -> None:
        """Let them go out."""
        ...

    def fileno(self) -> int:
        """Return the descriptor below."""
        ...


class LogWriter:
    """Writes lines to a stream in a thread of its own.

    A pipe that nobody reads, a full disk and a reader that is gone cost lines, and never the
    caller: what does not fit is dropped, and a line says how many once there is room again.
    The thread is started by the first line, and by any later one that finds it ended; ``drain``
    ends it. A process that forks drains before, and its child makes a writer of its own.
    """

    def __init__(self, stream: TextIO | None, capacity: int = CAPACITY) -> None:
        """Take a stream with a descriptor, which is duplicated: closing the stream is no matter.

        None, as ``sys.stderr`` is where there is no standard error, takes lines to nowhere.

        Raises:
            OSError: the stream has no descriptor, or there is none left.
        """
        self._descriptor = -1 if stream is None else os.dup(stream.fileno())
        self._capacity = capacity
        self._lines: deque[bytes] = deque()
        self._size = 0  # bytes of the lines
        self._rest = b""  # of what the thread is writing
        self._dropped = 0
        # One that its holder may take again: what is collected as garbage meanwhile may have
        # something to log, like a task whose error nobody asked for.
        self._changed = threading.Condition(threading.RLock())
        self._thread: threading.Thread | None = None
        self._is_ending = False

    def write(self, text: str, /) -> int:
        """Queue whole lines, or drop them where too many wait; never blocks, never raises."""
        if self._descriptor < 0:
            return len(text)
        line = text.encode(errors="backslashreplace")
        with self._changed:
            if self._size + len(line) > self._capacity:
                self._dropped += 1
            else:
                self._say_what_was_dropped()
                self._put(line)
            self._start_thread()
            self._changed.notify()
        return len(text)

    def flush(self) -> None:
        """Do nothing: the thread writes what there is as soon as it can."""

    def fileno(self) -> int:
        """Return the descriptor, or -1 where there is none."""
        return self._descriptor

    def drain(self, seconds: float) -> bool:
        """Wait until all is written and the thread ended, for so long at most.

        Returns:
            Whether all was written.
        """
        with self._changed:
            if self._lines or self._rest:
                self._start_thread()
            thread = self._thread
            self._is_ending = True
            self._changed.notify()
            if thread is None:
                self._write_here()
        if thread is not None:
            thread.join(seconds)
        return not (self._lines or self._rest)

    def close(self, seconds: float = 1.0) -> None:
        """Drain, and give the descriptor back; what nobody took in that time is lost."""
        self.drain(seconds)
        with self._changed:
            # A thread that is stuck still has the descriptor: its number must not be another's.
            if self._thread is None and self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1

    def _put(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line)

    def _say_what_was_dropped(self) -> None:
        if self._dropped:
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            self._put(f'{{"time":"{now}","dropped":{self._dropped}}}\n'.encode())
            self._dropped = 0

    def _start_thread(self) -> None:
        if self._descriptor < 0 or (self._thread is not None and self._thread.is_alive()):
            return
        self._is_ending = False
        # A daemon: one that is stuck in writing must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        try:
            self._thread.start()
        except (RuntimeError, MemoryError):  # no room for a thread: the next line tries again
            self._thread = None

    def _write_here(self) -> None:
        """Write what is taken without waiting: no thread can be had for it."""
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
        """Wait for lines, and make the next ones the rest; False where the thread is to end."""
        with self._changed:
            while not self._rest:
                if not self._lines:
                    self._say_what_was_dropped()
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
        """Wait a moment; False where the thread is to end."""
        with self._changed:
            if isinstance(error, BlockingIOError):
                self._changed.wait(RETRY_SOON)
            elif self._changed.wait_for(lambda: self._is_ending, RETRY):
                self._thread = None
                return False
            return True
