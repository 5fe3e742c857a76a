"""ScreenNotes: notices over a session's screen, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


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
