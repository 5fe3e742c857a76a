"""TimeLimit: ends a session that has to make room, after a countdown."""

from __future__ import annotations

import asyncio
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


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
