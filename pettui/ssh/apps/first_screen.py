"""FirstScreen: the first screen of an app, whose frames wait until what it shows is there.

Of Textual's own it uses, and ``tests/ssh/apps/test_first_screen.py`` fails without them:

- ``Screen._compositor``: where it changes, the first frame is drawn in parts.
- ``Screen._compositor_refresh``: where it changes, what differs from a first frame is not drawn.
"""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from textual.geometry import Region

from pettui.ssh.fair_loop import activity_context
from pettui.terminal.compositor import PieceCompositor

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

    from pettui.terminal.cell_app import CellApp

SETTLING: Final = 3  # updates after the first rows, until all sizes are final
LATER: Final = 5.0  # seconds until all is drawn behind a first frame, since others come meanwhile
ROWS: Final = 8  # that are drawn at once behind a first frame


class FirstScreen:
    """Draws a screen when it is complete, or behind a first frame that is shown already.

    Behind one there is nothing to draw but the first row, which tells the time: all else would be
    the same. It is drawn even so, some seconds later, some rows at a time while nobody types, in
    case that something differs.
    """

    def __init__(
        self,
        app: CellApp[Any],
        screen: Screen[Any],
        presented: Callable[[], None],
        *,
        needs_user: bool,
    ) -> None:
        """Hold the frames of a screen that was not drawn yet.

        Args:
            app: that shows it.
            screen: to hold.
            presented: called when a user who sees a first frame may type.
            needs_user: whether it is not to be drawn before ``begin``.
        """
        self._app = app
        self._screen = screen
        self._presented = presented
        self._needs_user = needs_user
        self._is_complete = False
        self._is_behind = False
        self._drawing: asyncio.TimerHandle | None = None  # all of it, later
        self._context = copy_context()  # of the app
        compositor = screen._compositor  # noqa: SLF001
        self._compositor = compositor if isinstance(compositor, PieceCompositor) else None
        if self._compositor is not None:
            self._compositor.is_held = True

    @property
    def is_held(self) -> bool:
        """Whether nothing of it is drawn."""
        return self._compositor is not None and self._compositor.is_held

    def complete(self) -> None:
        """Notice that everything it shows is there."""
        self._is_complete = True
        if self._is_behind:
            self._screen.call_after_refresh(self._settle, SETTLING)
        elif self._compositor is not None and not self._needs_user:
            self._compositor.release()

    def begin(self, *, is_behind: bool, longest: float) -> None:
        """Draw it for a user from now on.

        Args:
            is_behind: whether the terminal shows a first frame already.
            longest: seconds until it is drawn although something is missing.
        """
        self._is_behind, self._needs_user = is_behind, False
        if not is_behind and self._is_complete:
            self.draw()
        elif self._is_complete:
            self._show()
        else:
            self._context.copy().run(self._draw_after, longest)

    def _draw_after(self, longest: float) -> None:
        self._app.set_timer(longest, self.draw)

    def draw(self) -> None:
        """Draw it although something is missing."""
        if self._compositor is not None and self._compositor.is_held:
            self._compositor.release()
            self._screen.refresh()

    def _settle(self, updates: int) -> None:
        """Wait for so many updates: rows bring scroll bars, and new sizes."""
        if updates:
            self._screen.call_after_refresh(self._settle, updates - 1)
        else:
            self._show()

    def _show(self) -> None:
        if self._compositor is None or not self._compositor.is_held:
            return
        driver = self._app.cell_driver
        if driver is not None and driver.is_resized:  # the first frame is to be cleared
            self.draw()
            return
        self._compositor.release(is_shown=True)
        self._presented()
        self._draw_rows(Region(0, 0, self._app.size.width, 1))
        self._drawing = asyncio.get_running_loop().call_later(LATER, self._draw_all)

    def stop(self) -> None:
        """Draw nothing later, since the app ends."""
        if self._drawing is not None:
            self._drawing.cancel()

    def _draw_all(self) -> None:
        """Draw all rows, in case that something differs from the first frame."""
        context, _ = self._context.copy().run(activity_context)
        loop = asyncio.get_running_loop()
        width, height = self._app.size
        for y in range(0, height, ROWS):
            loop.call_soon(partial(self._draw_rows, Region(0, y, width, ROWS)), context=context)

    def _draw_rows(self, rows: Region) -> None:
        """Draw some rows of the screen on top.

        Textual's ``Screen.refresh`` of a region would drop what other widgets have to draw.
        """
        if not (self._app.is_running and self._app.screen_stack):
            return
        screen = self._app.screen
        if isinstance(screen._compositor, PieceCompositor):  # noqa: SLF001
            screen._compositor.change(rows)  # noqa: SLF001
            screen._compositor_refresh()  # noqa: SLF001
