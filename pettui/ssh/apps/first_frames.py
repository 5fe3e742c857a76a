"""FirstFrames: the first frames that all users of a process's apps see alike."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.terminal.channel_driver import FirstFrame

FRAMES_MAXIMUM: Final = 16  # of different terminals
FRESH: Final = 600.0  # seconds until a frame is drawn again: it may tell a time, as a list does


class FirstFrames:
    """The first frames for the terminals of the latest users."""

    def __init__(self) -> None:
        """Start without any."""
        self._frames: dict[tuple[object, ...], FirstFrame] = {}  # the latest used last
        self._kept_at: dict[tuple[object, ...], float] = {}

    def find(self, terminal: ClientTerminal) -> FirstFrame | None:
        """Return the frame for a terminal, if there is one."""
        found = self._frames.pop(terminal.look, None)
        if found is not None:
            self._frames[terminal.look] = found
        return found

    def is_fresh(self, terminal: ClientTerminal) -> bool:
        """Whether there is a frame for a terminal that need not be drawn again soon."""
        kept_at = self._kept_at.get(terminal.look)
        return kept_at is not None and time.monotonic() - kept_at < FRESH

    def keep(self, terminal: ClientTerminal, frame: FirstFrame) -> None:
        """Keep the frame for a terminal; the one that was not used for longest is dropped."""
        self._frames.pop(terminal.look, None)
        self._frames[terminal.look] = frame
        self._kept_at[terminal.look] = time.monotonic()
        if len(self._frames) > FRAMES_MAXIMUM:
            dropped = next(iter(self._frames))
            del self._frames[dropped], self._kept_at[dropped]
