"""HelpScreen: the keys of the screen below, made from its bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len

from pettui import actions
from pettui.tui.keys.bindings import bindings
from pettui.tui.screens.boxes.box_screen import BoxScreen
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.glyphs import GlyphSet
    from pettui.tui.keys.help_sections import HelpSection
    from pettui.tui.wording.text_runs import Run


class KeyTable(LineWidget):
    """Two columns, keys and what they do, by the field that they work in."""

    def __init__(self, glyphs: GlyphSet, sections: Sequence[HelpSection]) -> None:
        super().__init__(glyphs)
        self._sections = sections

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return a line for each action."""
        longest = max(cell_len(key) for _, keys in self._sections for key, _ in keys)
        column = min(longest + 2, width // 2)
        lines: list[list[Run]] = []
        for title, keys in self._sections:
            if title:
                lines += [[], [(title, "strong")]]
            lines += [[(self.glyphs.fit(key, column), "key"), (what, "")] for key, what in keys]
        return lines


class HelpScreen(BoxScreen):
    """The box; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.HELP_BOX, close_help="dismiss")
    HINT = "{close_help} Close"

    def __init__(self, glyphs: GlyphSet, sections: Sequence[HelpSection]) -> None:
        super().__init__(glyphs, "Keys", [KeyTable(glyphs, sections)])
