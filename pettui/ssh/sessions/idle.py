"""When nothing is typed: a countdown, and the end."""

from __future__ import annotations

import asyncio
from math import ceil
from typing import TYPE_CHECKING

from pettui.ssh.options import COUNTDOWN
from pettui.terminal.guarded_calls import guarded

if TYPE_CHECKING:
    from collections.abc import Callable

SHORTEST = 0.1  # seconds between looks


class IdleClock:
    """Tells a session how long it has been idle; a key costs it one reading of the clock."""

    def __init__(
        self,
        timeout: float,
        note: Callable[[str], None],
        end: Callable[[], None],
        fail: Callable[[Exception], None],
    ) -> None:
        """Take what to call.

        Args:
            timeout: seconds without a key, after which the session ends; 0 for never.
            note: shows a line; "" takes it away.
            end: ends the session.
            fail: told of what a look raises: nobody else would catch it, nor look again.
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
        """Begin to count."""
        self._touched = asyncio.get_running_loop().time()
        if self._timeout:
            self._look()

    def touch(self) -> None:
        """Begin anew: something was typed."""
        self._touched = asyncio.get_running_loop().time()
        if self._is_noted:
            self._is_noted = False
            self._note("")

    def stop(self) -> None:
        """Count no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
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
        look = guarded(self._look, self._fail, otherwise=None)
        self._timer = loop.call_later(max(pause, SHORTEST), look)
