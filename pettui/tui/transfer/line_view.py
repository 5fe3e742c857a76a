"""The box that shows one line of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui.keyboard import actions
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.transfer.pasted_lines import PastedLines
from pettui.tui.widgets.bindings import bindings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.appearance.glyphs import GlyphSet
    from pettui.transfer.lines import GoodLine
    from pettui.tui.session.categories import Categories


class LineViewScreen(BoxScreen):
    """The animals of a file; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.LINE_BOX, close_lines="dismiss")
    HINT = "{close_lines} Close"

    def __init__(self, glyphs: GlyphSet, lines: Sequence[GoodLine], categories: Categories) -> None:
        super().__init__(glyphs, "To add", [PastedLines(glyphs, lines, categories)])
