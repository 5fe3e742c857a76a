"""TerminalOutput: writes to a terminal in the background, and never keeps the app waiting for it.

Textual's own thread ends at the first error, and its queue holds 30 texts: with a terminal that is
gone, or takes nothing any more, the app would wait for room for good, deaf to every signal.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HELD_MAXIMUM = 1_000_000  # bytes; beyond, what is held is dropped, and the screen drawn anew
LAST_WRITES = 1.0  # seconds that the end waits for the terminal to take the rest


class TerminalOutput(threading.Thread):
    """What was written stays in order; a terminal that is gone takes everything, and shows none."""

    def __init__(self, descriptor: int, redraw: Callable[[], None]) -> None:
        """Take the terminal.

        Args:
            descriptor: of the terminal.
            redraw: draws all of the screen, once the terminal takes something again; called in
                this thread.
        """
        super().__init__(daemon=True, name="terminal output")
        self._descriptor = descriptor
        self._redraw = redraw
        self._changed = threading.Condition()
        self._held: deque[bytes] = deque()
        self._size = 0
        self._has_dropped = self._is_over = self._is_gone = False

    def write(self, text: str) -> None:
        """Have a text written; what does not fit is dropped with all that is held."""
        data = text.encode("utf-8", "replace")
        with self._changed:
            if self._is_gone:
                return
            if self._size + len(data) > HELD_MAXIMUM:
                self._held.clear()
                self._size, self._has_dropped = 0, True
            self._held.append(data)
            self._size += len(data)
            self._changed.notify()

    def run(self) -> None:
        """Write until the end, or until the terminal is gone."""
        while data := self._next():
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:  # EIO: hung up; whoever reads from it ends the app
                with self._changed:
                    self._is_gone = True
                    self._held.clear()
                return
            self._draw_what_was_dropped()

    def _next(self) -> bytes:
        """Return all that is held, once there is something; b"" at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._held or self._is_over)
            data = b"".join(self._held)
            self._held.clear()
            self._size = 0
            return data

    def _draw_what_was_dropped(self) -> None:
        with self._changed:
            has_dropped, self._has_dropped = self._has_dropped, False
        if has_dropped:
            self._redraw()

    def stop(self) -> None:
        """Write the rest, where the terminal takes it, and end."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        self.join(LAST_WRITES)
