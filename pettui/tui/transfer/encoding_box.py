"""The box that asks which encoding a file is in."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui.keyboard import actions
from pettui.transfer.reading import ENCODINGS
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.screens.boxes import ChoiceLines, TextLines
from pettui.tui.widgets.bindings import bindings, key_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.binding import BindingType

    from pettui.appearance.glyphs import GlyphSet

QUESTION = "It is not UTF-8. In which line are the names right?"


class EncodingScreen(BoxScreen):
    """Returns the encoding that was chosen, or None; other keys do nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.ENCODING_BOX,
        **{
            f"encoding_{number}": f"choose('{encoding}')"
            for number, encoding in enumerate(ENCODINGS, start=1)
        },
        close_encodings="dismiss",
    )
    HINT = "{close_encodings} Close"

    def __init__(self, glyphs: GlyphSet, file: str, names: Mapping[str, Sequence[str]]) -> None:
        """Show what the first names of a file would be in each encoding."""
        self._names = {each: glyphs.line(", ".join(read)) for each, read in names.items()}
        self._lines = ChoiceLines(glyphs)
        super().__init__(glyphs, file, [TextLines(glyphs, QUESTION), self._lines])

    def on_mount(self) -> None:
        """Show a line for each key; Textual calls the base's handler too."""
        width = max(map(len, ENCODINGS))
        self._lines.choices = [
            (key_of(self, f"encoding_{number}"), f"{encoding:<{width}}", self._names[encoding])
            for number, encoding in enumerate(ENCODINGS, start=1)
        ]
