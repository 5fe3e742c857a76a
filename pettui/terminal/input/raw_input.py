"""RawInput: puts a tty into raw mode, and restores it (termios)."""

from __future__ import annotations

import os
import termios
from contextlib import suppress
from typing import Any

_INPUT, _LOCAL, _CHARACTERS = 0, 3, 6  # of tcgetattr's list
# Flow control by ctrl+s and ctrl+q; CR and NL as one another.
_INPUT_FLAGS = termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR
# Echo; lines; ctrl+v and its like; signals by ctrl+c, ctrl+z and ctrl+\.
_LOCAL_FLAGS = termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG


class RawInput:
    """Saves a terminal's input modes and restores them; one that is gone is left alone."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._before: list[Any] | None = None  # the modes to restore

    def start(self) -> None:
        """Switch to raw mode.

        In the background this stops the process and its whole job until the shell moves it to the
        foreground (SIGTTOU).
        """
        with suppress(termios.error):
            before = termios.tcgetattr(self._descriptor)
            raw = [*before[:_CHARACTERS], [*before[_CHARACTERS]]]
            raw[_INPUT] &= ~_INPUT_FLAGS
            raw[_LOCAL] &= ~_LOCAL_FLAGS
            raw[_CHARACTERS][termios.VMIN], raw[_CHARACTERS][termios.VTIME] = 1, 0
            termios.tcsetattr(self._descriptor, termios.TCSANOW, raw)
            self._before = self._before or before

    @property
    def is_in_background(self) -> bool:
        """Whether another program has the terminal, as the shell has after ``bg``."""
        try:
            return os.tcgetpgrp(self._descriptor) != os.getpgrp()
        except OSError:  # it is gone, or has no foreground process
            return False

    def stop(self) -> None:
        """Restore the modes, and drop unread input, such as mouse reports.

        In the background nothing is restored: the other program has set the modes that it needs.
        """
        before, self._before = self._before, None
        if self.is_in_background:
            return
        with suppress(termios.error):
            termios.tcflush(self._descriptor, termios.TCIFLUSH)
            if before is not None:
                termios.tcsetattr(self._descriptor, termios.TCSANOW, before)
