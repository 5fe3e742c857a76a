"""FrameClock: draws a screen at once, or a period after its previous frame.

Textual's own clock is a task for each screen that sleeps after each frame, and wakes up to find
nothing to do: with a key now and then, that is a second wake-up for each key.
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
    """Draws one screen; it replaces the ``Timer`` that Textual resumes and pauses."""

    def __init__(self, draw: Callable[[], None]) -> None:
        """Start paused; ``draw`` must not raise."""
        self._draw = draw
        self._drawn_at = -inf  # by the loop's clock
        self._handle: asyncio.Handle | None = None

    def resume(self) -> None:
        """Schedule the next frame, in the context of the caller."""
        if self._handle is not None:
            return
        loop = asyncio.get_running_loop()
        wait = self._drawn_at + PERIOD - loop.time()
        # After callbacks that are already scheduled: their changes belong in the same frame.
        self._handle = loop.call_later(wait, self._due) if wait > 0 else loop.call_soon(self._tick)

    def pause(self) -> None:
        """Cancel the next frame."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _due(self) -> None:
        # Not at once: a loop with priorities decides when.
        self._handle = asyncio.get_running_loop().call_soon(self._tick)

    def _tick(self) -> None:
        self._handle = None
        self._drawn_at = asyncio.get_running_loop().time()
        self._draw()
