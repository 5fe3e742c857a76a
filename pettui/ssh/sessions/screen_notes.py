"""ScreenNotes: what a session's user is told above the screen, one thing at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class ScreenNotes:
    """A line over the screen: that others wait, or else that nothing was typed."""

    def __init__(self, show: Callable[[str], None]) -> None:
        """Begin with none.

        Args:
            show: lays a line over the screen; "" takes it away.
        """
        self._show = show
        self._idle = self._time = ""

    def idle(self, text: str) -> None:
        """Say how long there is until an idle session ends; "" for nothing."""
        self._idle = text
        self._show(self._time or text)

    def time(self, text: str) -> None:
        """Say how long there is while others wait; "" for nothing."""
        self._time = text
        self._show(text or self._idle)
