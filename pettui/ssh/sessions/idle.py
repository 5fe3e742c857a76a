"""IdleClock: warns an idle user with a countdown, and then ends the session."""

from __future__ import annotations

import asyncio
from math import ceil
from typing import TYPE_CHECKING

from pettui.ssh.options import COUNTDOWN
from pettui.terminal.guarded_calls import guarded

if TYPE_CHECKING:
    from collections.abc import Callable

CHECK_MINIMUM = 0.1  # seconds between two checks


class IdleClock:
    """Measures the time since the last input; a key costs one reading of the clock."""

    def __init__(
        self,
        timeout: float,
        note: Callable[[str], None],
        end: Callable[[], None],
        fail: Callable[[Exception], None],
    ) -> None:
        """Create a clock that is not running yet.

        Args:
            timeout: seconds without a key, after which the session ends; 0 for never.
            note: shows a line over the screen; "" removes it.
            end: ends the session.
            fail: called with an exception in a check, after which there are no more checks.
        """
        self._timeout = timeout
        self._note = note
        self._end = end
        self._fail = fail
        self._timer: asyncio.TimerHandle | None = None
        self._touched = 0.0
        self._is_noted = False

    @property
    def timeout_text(self) -> str:
        """The timeout in words: 15 minutes, 90 seconds."""
        minutes, seconds = divmod(round(self._timeout), 60)
        count, unit = (round(self._timeout), "second") if seconds else (minutes, "minute")
        return f"{count} {unit}{'' if count == 1 else 's'}"

    def start(self) -> None:
        """Start the timer."""
        self._touched = asyncio.get_running_loop().time()
        if self._timeout:
            self._check()

    def touch(self) -> None:
        """Restart the timer, because something was typed."""
        self._touched = asyncio.get_running_loop().time()
        if self._is_noted:
            self._is_noted = False
            self._note("")

    def stop(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        loop = asyncio.get_running_loop()
        left = self._touched + self._timeout - loop.time()
        if left <= 0:
            self._end()
            return
        if left <= COUNTDOWN:
            self._is_noted = True
            self._note(
                f"No input for a while: this session ends in {ceil(left)} s. Press any key to stay."
            )
            pause = left % 1.0
        else:
            pause = left - COUNTDOWN
        check = guarded(self._check, self._fail, otherwise=None)
        self._timer = loop.call_later(max(pause, CHECK_MINIMUM), check)
