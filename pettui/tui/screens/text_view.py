"""TextViewScreen: the raw beginning of an answer, made safe, to be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from pettui.tui.widgets.drawn import STYLES, Drawn, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from pettui.tui.look import Look

CHARACTERS = 4000
ROWS = 200


class TextLines(Drawn):
    """Text as its sender broke it into lines."""

    def __init__(self, look: Look, text: str) -> None:
        super().__init__(look)
        self._text = text[:CHARACTERS]

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the lines, those that are too long broken."""
        rows = [
            row
            for line in self._text.splitlines()
            for row in self.look.wrap(self.look.safe(line), width, ROWS)
        ]
        return [[(row, "")] for row in rows[:ROWS]]


class TextViewScreen(ModalScreen[None]):
    """A box over the screen; Esc closes it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(STYLES)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f6,q,enter", "dismiss", "Close", id="close_text")
    ]

    def __init__(self, look: Look, title: str, text: str) -> None:
        super().__init__()
        self._look = look
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        """Lay out the box."""
        box = VerticalScroll(TextLines(self._look, self._text), classes="box")
        # A plain string would be parsed as markup.
        box.border_title = self._look.line(self._title, 60).replace("[", r"\[")
        box.border_subtitle = "esc Close"
        yield box
