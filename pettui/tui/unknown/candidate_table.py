"""The animals that an add could be, one a row, and what is known of the add above them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from rich.cells import cell_len

from pettui.keyboard import actions
from pettui.models.statuses import WIDEST_WORD, look_of
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.line_widget import CuttingWidget, Drawing
from pettui.tui.widgets.row_table import RowTable
from pettui.tui.widgets.runs import Run, Section, cut_runs, name_run, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.appearance.glyphs import GlyphSet
    from pettui.models.pets import Pet

WORDED_FROM: Final = 60  # cells, from which on a status has its word
STATUS: Final = 2 + WIDEST_WORD  # cells
NAME_LEAST: Final = 6
SEEN: Final = "seen before it was sent"
SIGN: Final = 2
GAP: Final = "  "
ROWS_EACH: Final = 2  # of a text about the add


class Candidate(NamedTuple):
    """A listed animal that an add could be."""

    pet: Pet
    was_seen: bool  # before the add was sent, so that it is hardly that one


class CandidateTable(RowTable[Candidate]):
    """Id, name and status of each, and whether it was there before the add was sent."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.CANDIDATE_ROWS, moves="candidate_")

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__(glyphs)
        self.empty_text = ""  # in place of rows; raw
        self.tells_cursor = True

    def identity(self, row: Candidate) -> int:
        """Return the animal's id."""
        return row.pet.id

    def cut_sections(self) -> list[Section]:
        """Return the animal under the cursor whole, if its row cuts something."""
        row, width = self.highlighted, self.drawn_width
        if row is None:
            return []
        name, cells = name_run(self.glyphs, row.pet.name)[0], self._cells_of(width)[1]
        is_cut = cell_len(name) > cells or width_of(self.runs_of(row, " ", width)) > width
        return [(f"id {row.pet.id}", row.pet.to_json())] if is_cut else []

    def empty_lines(self) -> Sequence[Sequence[Run]]:
        """Return what the screen says of it, wrapped, below the place of the titles."""
        width = max(self.drawn_width - SIGN, 1)
        rows = self.glyphs.wrap(self.glyphs.line(self.empty_text), width, ROWS_EACH + 1)
        return [[(" " * SIGN + row, "muted")] for row in rows]

    def header(self, width: int) -> Sequence[Run]:
        """Return the titles of the columns, if there are animals."""
        if not self.rows:
            return ()
        pet_id, name, is_worded = self._cells_of(width)
        titles = ("Id".rjust(pet_id), self.glyphs.fit("Name", name), "Status" * is_worded)
        return [(" " * SIGN + GAP.join(titles), "table-header")]

    def runs_of(self, row: Candidate, sign: str, width: int) -> list[Run]:
        """Return an animal in the columns; those that were there before stand back."""
        glyphs, pet = self.glyphs, row.pet
        pet_id, cells, is_worded = self._cells_of(width)
        name, style = name_run(glyphs, pet.name)
        status = glyphs.status_text(pet.status, is_worded=is_worded)
        runs: list[Run] = [
            (f"{sign} ", ""),
            (f"{pet.id}".rjust(pet_id) + GAP, "muted"),
            (glyphs.fit(name, cells), "muted" if row.was_seen else style or "strong"),
            (GAP, ""),
            (glyphs.fit(status, STATUS if is_worded else 1), look_of(pet.status).style),
        ]
        if row.was_seen:
            runs.append((GAP + SEEN, "notice"))
        if pet.others:
            texts = (f"{name}: {text}" for name, text in pet.other_texts.items())
            runs.append((GAP + glyphs.line(", ".join(texts)), "muted"))
        return runs

    def _cells_of(self, width: int) -> tuple[int, int, bool]:
        """Return the cells of ids and names, and whether a status has its word."""
        pets, is_worded = [row.pet for row in self.rows], width >= WORDED_FROM
        pet_id = max(2, *(len(f"{pet.id}") for pet in pets), 0)
        names = (cell_len(name_run(self.glyphs, pet.name)[0]) for pet in pets)
        most = max((width - pet_id) // 2, NAME_LEAST)
        return pet_id, min(max(*names, len("Name"), 0), most), is_worded


class AddLines(CuttingWidget):
    """What was added: its name and kind, when it was sent, and how far it was looked for."""

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__(glyphs)
        self._shown: tuple[str, str, Sequence[Run], int] = ("", "", (), ROWS_EACH)

    def show(self, name: str, kind: str, texts: Sequence[Run], rows_each: int) -> None:
        """Show other raw texts, each in at most so many rows; a notice among them gets a glyph."""
        if self._shown != (shown := (name, kind, texts, rows_each)):
            self._shown = shown
            self.on_resize()
            self.refresh()

    def on_resize(self) -> None:
        """Take as many rows as there are.

        Textual (8.2.8) keeps an automatic height of a layout that comes between two changes.
        """
        self.styles.height = len(self.lines(self.drawn_width))

    def drawing(self, width: int) -> Drawing:
        """Return a row for the name, and those of the texts, wrapped between words."""
        name, kind, texts, rows_each = self._shown
        shown, style = name_run(self.glyphs, name)
        first = [(shown, style or "strong"), (f"{GAP}{self.glyphs.line(kind)}", "muted")]
        lines: list[Sequence[Run]] = [cut_runs(self.glyphs, first, width)]
        is_cut = width_of(first) > width
        cut: list[Section] = [("Unknown", f"{name}\n\n{kind}")] if is_cut else []
        for text, style in texts:
            signed = f"{self.glyphs.notice} {text}" if style == "notice" else text
            rows, is_cut = self.glyphs.shown(signed, width, rows_each)
            lines += [[(row, style)] for row in rows]
            cut += [("Unknown", text)] if is_cut else []
        return Drawing(lines, cut)
