"""CellApp: a Textual app that a ``CellDriver`` draws, which sends the cells that changed.

Any app becomes one by this base class: ``class ServedApp(CellApp[None], TheApp)``. With another
driver it is drawn as Textual draws it.

Of Textual's own it uses, and ``tests/terminal/test_private_names.py`` fails without them:

- ``App._driver``: where it changes, every frame is sent whole.
- ``App._get_screen``, ``Screen._compositor``: where they change, pushed screens are drawn as
  Textual draws them.
- ``Screen._on_timer_update``, ``Screen._Screen__update_timer``: where they change, Textual's timers
  draw screens.
- ``App._exit``: where it changes, nothing is drawn.
- ``App._display``: where it changes, nothing is drawn.
- ``App._closed``, ``_batch_count``: where they change, frames are sent after the end, or within a
  batch.
"""

from __future__ import annotations

import asyncio
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from textual.app import App, ReturnType
from textual.constants import MAX_FPS

from pettui.terminal.compositor import PieceCompositor, PiecesUpdate
from pettui.terminal.driver import CellDriver
from pettui.terminal.guarded_calls import guarded

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen
    from textual.widget import AwaitMount


class CellApp(App[ReturnType]):
    """Passes what changed on its screens to its driver, as cells."""

    @property
    def cell_driver(self) -> CellDriver | None:
        """The driver, if there is one yet and it draws cells."""
        return self._driver if isinstance(self._driver, CellDriver) else None

    def get_default_screen(self) -> Screen[Any]:
        """Return the first screen."""
        screen = super().get_default_screen()
        self._draw_in_pieces(screen)
        return screen

    def _get_screen(self, screen: Screen[Any] | str) -> tuple[Screen[Any], AwaitMount]:
        found, mounted = super()._get_screen(screen)
        self._draw_in_pieces(found)
        return found, mounted

    def _draw_in_pieces(self, screen: Screen[Any]) -> None:
        driver = self.cell_driver
        if driver is not None and not isinstance(screen._compositor, PieceCompositor):  # noqa: SLF001
            screen._compositor = PieceCompositor()  # noqa: SLF001
            draw = guarded(partial(self._draw, screen), driver.fail, otherwise=None)
            screen._Screen__update_timer = FrameClock(draw)  # type: ignore[attr-defined]  # noqa: SLF001

    def _draw(self, screen: Screen[Any]) -> None:
        if not self._exit:
            screen._on_timer_update()  # noqa: SLF001

    def _display(self, screen: Screen[Any], renderable: object) -> None:
        """Pass on what changed as cells; Textual would make one string of it, with padding."""
        driver = self.cell_driver
        if driver is None:
            super()._display(screen, renderable)  # type: ignore[arg-type]
            return
        is_shown = self.is_running and not (self._closed or self._batch_count)
        if is_shown and isinstance(renderable, PiecesUpdate):
            driver.paint(renderable.pieces, self.cursor_position)
        self.post_display_hook()


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
