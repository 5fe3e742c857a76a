"""TtyOutput: writes to a tty, and never keeps the app waiting for it.

A write to a terminal that takes nothing any more would stand still, and the app with it, deaf to
every signal. To make the terminal's descriptor non-blocking would make it so for the shell too: so
the terminal is opened once more, and only what it does not take at once is left to a thread, which
would have to wait for its turn while the app is busy.
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
SIZE_MAXIMUM = (1000, 500)  # of what is drawn; more cells than a screen has take minutes
AHEAD = 4096  # bytes that may wait before there is no room: modes, and a frame or two
LAST_WRITES = 1.0  # seconds that the end waits for the terminal to take the rest


class TtyOutput:
    """What was written stays in order; a terminal that is gone takes everything, and shows none."""

    def __init__(self, descriptor: int, caught_up: Callable[[], None]) -> None:
        """Start writing.

        Args:
            descriptor: of the terminal.
            caught_up: called, in another thread, once there is room again after there was none.
        """
        self._descriptor = descriptor
        self._never_waits = _opened_again(descriptor)
        self._caught_up = caught_up
        self._changed = threading.Condition()
        self._waiting: deque[bytes] = deque()
        self._size = 0  # bytes that wait, or are being written
        self._is_awaited = self._is_over = self._is_gone = False
        self._thread = threading.Thread(target=self._run, daemon=True, name="terminal output")
        self._thread.start()

    def write(self, text: str) -> None:
        """Have a text written."""
        data = text.encode("utf-8", "replace")
        with self._changed:
            if not self._size:
                data = data[self._write_at_once(data) :]
            if data and not self._is_gone:
                self._waiting.append(data)
                self._size += len(data)
                self._changed.notify()

    def has_room(self) -> bool:
        """Whether the terminal took what was sent before; if not, ``caught_up`` comes later."""
        with self._changed:
            self._is_awaited = self._size > AHEAD
            return not self._is_awaited

    @property
    def is_writing(self) -> bool:
        """Whether the terminal may still be written to."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Write the rest, where the terminal takes it, and end."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        self._thread.join(LAST_WRITES)
        with self._changed:
            if self._never_waits is not None:
                os.close(self._never_waits)
            self._never_waits = None

    def _write_at_once(self, data: bytes) -> int:
        """Write as much as the terminal takes without waiting; returns the number of bytes."""
        if self._never_waits is None:
            return 0
        try:
            return os.write(self._never_waits, data)
        except BlockingIOError:
            return 0
        except OSError:  # EIO: as in the thread, which ends
            self._is_gone = True
            self._changed.notify()
            return 0

    def _run(self) -> None:
        """Write until the end, or until the terminal is gone."""
        while data := self._next():
            try:
                while data:
                    written = os.write(self._descriptor, data)
                    data = data[written:]
                    self._count(written)
            except OSError:  # EIO: hung up; whoever reads from it ends the app
                with self._changed:
                    self._is_gone, self._size = True, 0
                    self._waiting.clear()
                return

    def _next(self) -> bytes:
        """Return all that waits, once there is something; b"" at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_over or self._is_gone)
            data = b"".join(self._waiting)
            self._waiting.clear()
            return data

    def _count(self, written: int) -> None:
        with self._changed:
            self._size -= written
            if not self._is_awaited or self._size > AHEAD or self._is_over:
                return
            self._is_awaited = False
        self._caught_up()


def _opened_again(descriptor: int) -> int | None:
    """Return a descriptor of the same terminal that never waits; None where it cannot be had."""
    flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        again = os.open(os.ttyname(descriptor), flags)
    except OSError:  # no terminal, or another user's, as after su
        return None
    if os.path.sameopenfile(again, descriptor):
        return again
    os.close(again)  # in a container the name may be of another one's terminal
    return None


def terminal_size(descriptor: int) -> tuple[int, int]:
    """Return the terminal's columns and rows, also where standard output is no terminal.

    No more than can be drawn: it is told what to say, by ``stty`` or ``COLUMNS``.
    """
    try:
        columns, rows = os.get_terminal_size(descriptor)
    except OSError:  # gone
        columns, rows = 0, 0
    found = shutil.get_terminal_size((columns or UNKNOWN_SIZE[0], rows or UNKNOWN_SIZE[1]))
    return min(found.columns, SIZE_MAXIMUM[0]), min(found.lines, SIZE_MAXIMUM[1])
