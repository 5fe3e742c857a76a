"""The limits of a session in time: idle users, and those who have to make room for others."""

from __future__ import annotations

import asyncio
from math import ceil
from typing import TYPE_CHECKING

from pettui.ssh.options import COUNTDOWN
from pettui.terminal.guarded_calls import guarded

if TYPE_CHECKING:
    from collections.abc import Callable

CHECK_MINIMUM = 0.1  # seconds between two checks


class ScreenNotes:
    """One line over the screen: the time limit has precedence over the idle timeout."""

    def __init__(self, show: Callable[[str], None]) -> None:
        """Start without a notice.

        Args:
            show: shows a line over the screen; "" removes it.
        """
        self._show = show
        self._idle = self._time = ""

    def idle(self, text: str) -> None:
        """Set the notice of an idle session; "" for none."""
        self._idle = text
        self._show(self._time or text)

    def time(self, text: str) -> None:
        """Set the notice of a session that has to make room; "" for none."""
        self._time = text
        self._show(text or self._idle)


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
        check = guarded(self._check, self._fail)
        self._timer = loop.call_later(max(pause, CHECK_MINIMUM), check)


class TimeLimit:
    """Counts down while a session is asked to leave; the countdown stops if nobody waits."""

    def __init__(self, notice: float, note: Callable[[str], None], end: Callable[[], None]) -> None:
        """Start without a countdown.

        Args:
            notice: seconds from when the session is asked to leave to when it ends.
            note: shows a line over the screen; "" removes it.
            end: ends the session.
        """
        self._notice = notice
        self._note = note
        self._end = end
        self._until: float | None = None  # when it ends, by the loop's clock

    def check(self, *, is_asked: bool) -> None:
        """Continue the countdown if the session is asked to leave, and stop it otherwise."""
        now = asyncio.get_running_loop().time()
        if not is_asked:
            if self._until is not None:
                self._until = None
                self._note("")
            return
        if self._until is None:
            self._until = now + self._notice
        left = self._until - now
        if left <= 0:
            self._end()
        else:
            self._note(f"Others are waiting: this session ends in {ceil(left)} s.")
