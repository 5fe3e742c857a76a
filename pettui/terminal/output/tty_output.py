"""TtyOutput: writes to a tty without ever blocking the app.

A write to a terminal that accepts nothing would block the app, which could not even handle signals.
A non-blocking descriptor would be non-blocking for the shell, too: so the terminal is opened a
second time. Only what it does not accept at once is left to a thread, which would otherwise have to
wait while the app is busy.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

UNKNOWN_SIZE = (80, 24)  # columns and rows
SIZE_MAXIMUM = (1000, 500)  # that is drawn; more cells than any screen has take minutes
QUEUE_MAXIMUM = 4096  # bytes that may wait while there is still room: modes, and a frame or two
LAST_WRITES = 1.0  # seconds that ``stop`` waits for the terminal to accept the rest


class TtyOutput:
    """Writes in order; what is written to a terminal that is gone is discarded."""

    def __init__(self, descriptor: int, caught_up: Callable[[], None]) -> None:
        """Start writing.

        Args:
            descriptor: of the terminal.
            caught_up: called in another thread once there is room again after there was none.
        """
        self._descriptor = descriptor
        self._nonblocking = _opened_nonblocking(descriptor)
        self._caught_up = caught_up
        self._changed = threading.Condition()
        self._queue: deque[bytes] = deque()
        self._size = 0  # bytes that are queued, or being written
        self._is_awaited = self._is_over = self._is_gone = False
        self._thread = threading.Thread(target=self._run, daemon=True, name="terminal output")
        self._thread.start()

    def write(self, text: str) -> None:
        """Write a text, or queue it for the thread."""
        data = text.encode("utf-8", "replace")
        with self._changed:
            if not self._size:
                data = data[self._write_at_once(data) :]
            if data and not self._is_gone:
                self._queue.append(data)
                self._size += len(data)
                self._changed.notify()

    def has_room(self) -> bool:
        """Whether the terminal accepted what was sent before; if not, ``caught_up`` is called."""
        with self._changed:
            self._is_awaited = self._size > QUEUE_MAXIMUM
            return not self._is_awaited

    @property
    def is_writing(self) -> bool:
        """Whether the terminal may still be written to."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Write the rest if the terminal accepts it in time, and end the thread."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        self._thread.join(LAST_WRITES)
        with self._changed:
            if self._nonblocking is not None:
                os.close(self._nonblocking)
            self._nonblocking = None

    def _write_at_once(self, data: bytes) -> int:
        """Write what the terminal accepts without blocking; return the number of bytes."""
        if self._nonblocking is None:
            return 0
        try:
            return os.write(self._nonblocking, data)
        except BlockingIOError:
            return 0
        except OSError:  # EIO: the terminal is gone, and the thread ends
            self._is_gone = True
            self._changed.notify()
            return 0

    def _run(self) -> None:
        """Write until ``stop``, or until the terminal is gone."""
        while data := self._next():
            try:
                while data:
                    written = os.write(self._descriptor, data)
                    data = data[written:]
                    self._count(written)
            except OSError:  # EIO: hung up; the driver's reader ends the app
                with self._changed:
                    self._is_gone, self._size = True, 0
                    self._queue.clear()
                return

    def _next(self) -> bytes:
        """Return all that is queued, once there is something; b"" at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._is_over or self._is_gone)
            data = b"".join(self._queue)
            self._queue.clear()
            return data

    def _count(self, written: int) -> None:
        with self._changed:
            self._size -= written
            if not self._is_awaited or self._size > QUEUE_MAXIMUM or self._is_over:
                return
            self._is_awaited = False
        self._caught_up()


def _opened_nonblocking(descriptor: int) -> int | None:
    """Return a non-blocking descriptor of the same terminal; None where there can be none."""
    flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        again = os.open(os.ttyname(descriptor), flags)
    except OSError:  # no terminal, or another user's, as after su
        return None
    if os.path.sameopenfile(again, descriptor):
        return again
    os.close(again)  # in a container, another terminal may have the name
    return None


def terminal_size(descriptor: int) -> tuple[int, int]:
    """Return the terminal's columns and rows, even where standard output is no terminal.

    They are capped at SIZE_MAXIMUM: ``stty`` and ``COLUMNS`` can set any size.
    """
    try:
        columns, rows = os.get_terminal_size(descriptor)
    except OSError:  # gone
        columns, rows = 0, 0
    found = shutil.get_terminal_size((columns or UNKNOWN_SIZE[0], rows or UNKNOWN_SIZE[1]))
    return min(found.columns, SIZE_MAXIMUM[0]), min(found.lines, SIZE_MAXIMUM[1])
