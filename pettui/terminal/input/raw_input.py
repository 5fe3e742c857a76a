"""RawInput: a tty that hands over each key as it is typed, and shows none by itself (termios)."""

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
    """How a terminal took input before, to be restored; one that is gone is left alone."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._before: list[Any] | None = None  # while it is taken

    def take(self) -> None:
        """Take keys raw.

        From the background this stops the process, and all of its job, until the shell gives it
        the terminal (SIGTTOU).
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
    def is_others(self) -> bool:
        """Whether another program has the terminal, as the shell has it after ``bg``."""
        try:
            return os.tcgetpgrp(self._descriptor) != os.getpgrp()
        except OSError:  # it is gone, or nobody's
            return False

    def leave(self) -> None:
        """Restore it; what was typed and not read, reports of the mouse among it, is dropped.

        Another program that has the terminal by now has set it as it needs it.
        """
        before, self._before = self._before, None
        if self.is_others:
            return
        with suppress(termios.error):
            termios.tcflush(self._descriptor, termios.TCIFLUSH)
            if before is not None:
                termios.tcsetattr(self._descriptor, termios.TCSANOW, before)
