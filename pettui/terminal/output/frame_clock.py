"""FrameClock: when a screen is drawn: at once, unless it was drawn just before.

Textual's own is a task of each screen, which sleeps after each frame, and wakes to find nothing to
do: where people type now and then, that is a second awakening for each key.
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING

from textual.constants import MAX_FPS

if TYPE_CHECKING:
    from collections.abc import Callable

PERIOD = 1 / MAX_FPS  # seconds from one frame to the next


class FrameClock:
    """Draws one screen; it stands in for the ``Timer`` that Textual resumes and pauses."""

    def __init__(self, draw: Callable[[], None]) -> None:
        """Begin with nothing to draw; ``draw`` raises nothing."""
        self._draw = draw
        self._drawn_at = -inf  # by the loop's clock
        self._handle: asyncio.Handle | None = None

    def resume(self) -> None:
        """Have the screen drawn, in the context of whoever calls."""
        if self._handle is not None:
            return
        loop = asyncio.get_running_loop()
        wait = self._drawn_at + PERIOD - loop.time()
        # Not before the others had their turn: what they change comes in the same frame.
        self._handle = loop.call_later(wait, self._tick) if wait > 0 else loop.call_soon(self._tick)

    def pause(self) -> None:
        """Draw no more until it is resumed."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _tick(self) -> None:
        self._handle = None
        self._drawn_at = asyncio.get_running_loop().time()
        self._draw()
