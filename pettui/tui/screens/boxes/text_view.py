"""TextViewScreen: shows the full text of something that was cut, made safe."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui import actions
from pettui.tui.keys.bindings import bindings
from pettui.tui.screens.boxes.box_screen import BoxScreen
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.glyphs import GlyphSet
    from pettui.tui.wording.text_runs import Run, Section

CHARACTERS = 4000
ROWS = 200
TITLE = "Full text"  # of several


class TextLines(LineWidget):
    """A text in its own lines, below its title if it has one."""

    def __init__(self, glyphs: GlyphSet, text: str, title: str = "") -> None:
        super().__init__(glyphs)
        self._title = title
        self._text = text[:CHARACTERS] + (glyphs.ellipsis if len(text) > CHARACTERS else "")

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines, long ones wrapped."""
        rows = [
            row
            for line in self._text.splitlines()
            for row in self.glyphs.wrap(self.glyphs.safe(line), width, ROWS)
        ]
        if len(rows) > ROWS:
            rows[ROWS - 1 :] = [self.glyphs.ellipsis]
        title = [[(self.glyphs.line(self._title), "strong")]] if self._title else []
        return [*title, *([(row, "")] for row in rows)]


class TextViewScreen(BoxScreen):
    """The box; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.TEXT_BOX, close_text="dismiss")
    HINT = "{close_text} Close"

    def __init__(self, glyphs: GlyphSet, sections: Sequence[Section]) -> None:
        if len(sections) == 1:
            title, text = sections[0]
            super().__init__(glyphs, title, [TextLines(glyphs, text)])
            return
        lines = [
            [TextLines(glyphs, text, title), TextLines(glyphs, " ")] for title, text in sections
        ]
        super().__init__(glyphs, TITLE, [line for pair in lines for line in pair][:-1])
