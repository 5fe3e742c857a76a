"""CellApp: a Textual app that a ``CellDriver`` draws, which sends the cells that changed.

Any app becomes one by this base class: ``class ServedApp(CellApp[None], TheApp)``. With another
driver it is drawn as Textual draws it.

Of Textual's own it uses, and ``tests/terminal/test_private_names.py`` fails without them:

- ``App._driver``: where it changes, every frame is sent whole.
- ``App._get_screen``, ``Screen._compositor``: where they change, pushed screens are drawn as
  Textual draws them.
- ``App._display``: where it changes, nothing is drawn.
- ``DOMNode._css_bases``, ``_inherit_css``: where they change, the DEFAULT_CSS and the component
  classes of an app that follows this class among the bases of another one are not found.
- ``App._batch_count``: where it changes, frames are sent within a batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import App, ReturnType
from textual.dom import DOMNode

from pettui.terminal.compositor import PieceCompositor, PiecesUpdate
from pettui.terminal.driver import CellDriver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.screen import Screen
    from textual.widget import AwaitMount


class CellApp(App[ReturnType]):
    """Passes what changed on its screens to its driver, as cells."""

    @classmethod
    def _css_bases(  # type: ignore[override]  # which is cached
        cls, base: type[DOMNode]
    ) -> Sequence[type[DOMNode]]:
        """Return all bases; Textual follows the first alone, which does not lead to the app."""
        bases: list[type[DOMNode]] = []
        for each in base.__mro__:
            if issubclass(each, DOMNode):
                bases.append(each)
                if not each._inherit_css:  # noqa: SLF001
                    break
        return bases

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
        is_ours = isinstance(screen._compositor, PieceCompositor)  # noqa: SLF001
        if self.cell_driver is not None and not is_ours:
            screen._compositor = PieceCompositor()  # noqa: SLF001

    def _display(self, screen: Screen[Any], renderable: object) -> None:
        """Pass on what changed as cells; Textual would make one string of it, with padding."""
        driver = self.cell_driver
        if driver is None:
            super()._display(screen, renderable)  # type: ignore[arg-type]
            return
        is_shown = self.is_running and self.return_code is None and not self._batch_count
        if is_shown and isinstance(renderable, PiecesUpdate):
            driver.paint(renderable.pieces, self.cursor_position)
        self.post_display_hook()
