"""The box that shows the lines of a file that would be sent, and takes single ones out."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Vertical

from pettui.keyboard import actions
from pettui.transfer.importing import Choice, Import, Likeness
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.transfer.pasted_lines import GAP, LineColumns, pets_summary
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.row_table import RowTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.appearance.glyphs import GlyphSet
    from pettui.transfer.lines import GoodLine
    from pettui.tui.session.categories import Categories
    from pettui.tui.widgets.runs import Run

LEFT_OUT: Final = "left out"
SENT_TOO: Final = "sent too"
NOT_ALIKE: Final = "neither a duplicate nor changed?"


class FileLines(RowTable["GoodLine"]):
    """One line of the file a row; what is like an animal that is there has a word behind it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.LINE_ROWS, moves="line_")

    def __init__(self, glyphs: GlyphSet, importing: Import, categories: Categories) -> None:
        super().__init__(glyphs)
        self._import = importing
        self._categories = categories
        lines = importing.candidates
        self._columns = LineColumns(glyphs, categories, lines)
        words = [len(self._state_of(line)[0]) for line in lines]
        self._state_width = max(*words, len(LEFT_OUT)) if any(words) else 0

    def header(self, width: int) -> Sequence[Run]:  # noqa: ARG002
        """Return how many animals would be sent, and of which category."""
        pets = [line.new_pet for line in self._import.to_send]
        return [(f" {pets_summary(pets, self._categories)}", "table-header")]

    def runs_of(self, row: GoodLine, sign: str, width: int) -> Sequence[Run]:
        """Return a line, and what is done with it."""
        state, style = self._state_of(row)
        room = width - 2 - self._state_width - len(GAP)
        is_out = self._import.choice_of(row) is Choice.LEFT_OUT
        return [
            (f"{sign} ", ""),
            *self._columns.runs(row, room, is_muted=is_out),
            (f"{GAP}{state}", style),
        ]

    def _state_of(self, line: GoodLine) -> Run:
        """Return what is done with a line that is alike; "" of any other."""
        match self._import.choice_of(line):
            case None:
                return "", ""
            case Choice.LEFT_OUT:
                return LEFT_OUT, "muted"
            case Choice.SENT:
                return SENT_TOO, "notice"
            case Choice.UNDECIDED:
                is_changed = self._import.likeness(line) is Likeness.CHANGED
                return "changed?" if is_changed else "duplicate", "error"


class LineViewScreen(BoxScreen):
    """The animals of a file; space takes one out that is alike, or puts it in; Esc closes it."""

    AUTO_FOCUS = ""
    BOX = Vertical
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.LINE_BOX, close_lines="dismiss")
    HINT = "{toggle_line} Take out or put in  {close_lines} Close"

    def __init__(self, glyphs: GlyphSet, importing: Import, categories: Categories) -> None:
        self._import = importing
        self.list = FileLines(glyphs, importing, categories)
        super().__init__(glyphs, "To add", [self.list])

    def on_mount(self) -> None:
        """Show the lines; Textual calls the base's handler too."""
        self.set_focus(self.list)
        self.list.put_rows(self._import.candidates, 0)

    def why_not(self, action: str) -> str | None:
        """Return why space does nothing, too."""
        line = self.list.highlighted
        if action == "toggle_line" and (line is None or self._import.choice_of(line) is None):
            return NOT_ALIKE
        return super().why_not(action)

    def action_toggle_line(self) -> None:
        """Take the line out that the cursor is on, or put it in, and go to the next one."""
        if (line := self.list.highlighted) is not None:
            is_out = self._import.choice_of(line) is Choice.LEFT_OUT
            self._import.choose_line(line, Choice.SENT if is_out else Choice.LEFT_OUT)
            self.list.refresh()
            self.list.move_to(self.list.cursor + 1)
