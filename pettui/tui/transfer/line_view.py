"""The box that shows the lines of a file that would be sent, and takes single ones out."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.containers import Vertical

from pettui.keyboard import actions
from pettui.models.statuses import WIDEST_WORD, look_of
from pettui.rows.widths import Width, divided
from pettui.transfer.importing import Choice, Likeness
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.transfer.pasted_lines import pets_summary
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.row_table import RowTable
from pettui.tui.widgets.runs import name_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.appearance.glyphs import GlyphSet
    from pettui.transfer.importing import Import
    from pettui.transfer.lines import GoodLine
    from pettui.tui.session.categories import Categories
    from pettui.tui.widgets.runs import Run

NAME_MOST: Final = 40  # cells
NAME_LEAST: Final = 8
CATEGORY_MOST: Final = 20
WORDED_FROM: Final = 60  # cells: below, a status is its glyph alone
GAP: Final = "  "
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
        names = (cell_len(self._name_of(line)[0]) for line in lines)
        labels = (cell_len(self._label_of(line)) for line in lines)
        self._name_width = min(max(names, default=0), NAME_MOST)
        self._label_width = min(max(labels, default=0), CATEGORY_MOST)
        self._number_width = max((len(str(line.position.number)) for line in lines), default=1)
        words = [len(self._state_of(line)[0]) for line in lines]
        self._state_width = max(*words, len(LEFT_OUT)) if any(words) else 0

    def header(self, width: int) -> Sequence[Run]:  # noqa: ARG002
        """Return how many animals would be sent, and of which category."""
        pets = [line.new_pet for line in self._import.to_send]
        return [(f" {pets_summary(pets, self._categories)}", "table-header")]

    def runs_of(self, row: GoodLine, sign: str, width: int) -> Sequence[Run]:
        """Return number, name, category and status of a line, and what is done with it."""
        glyphs, is_worded = self.glyphs, width >= WORDED_FROM
        status = glyphs.status_text(row.new_pet.status, is_worded=is_worded)
        status_width = 2 + WIDEST_WORD if is_worded else 1
        state, state_style = self._state_of(row)
        around = 2 + self._number_width + status_width + self._state_width + 4 * len(GAP)
        columns = (
            Width(self._name_width, least={1: NAME_LEAST}),
            Width(self._label_width, least={2: 0}),
        )
        _, (name_width, label_width) = divided(columns, width - around)
        name, style = self._name_of(row)
        is_out = self._import.choice_of(row) is Choice.LEFT_OUT
        return [
            (f"{sign} ", ""),
            (f"{row.position.number:>{self._number_width}}{GAP}", "muted"),
            (glyphs.fit(name, name_width), "muted" if is_out else style),
            (f"{GAP}{glyphs.fit(self._label_of(row), label_width)}{GAP}", "muted"),
            (glyphs.fit(status, status_width), look_of(row.new_pet.status).style),
            (f"{GAP}{state}", state_style),
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

    def _name_of(self, line: GoodLine) -> Run:
        return name_run(self.glyphs, line.new_pet.name, NAME_MOST * 2)

    def _label_of(self, line: GoodLine) -> str:
        label = self._categories.label(line.new_pet.category_id)
        return self.glyphs.line(label, CATEGORY_MOST * 2)


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
