"""The animals that an add could be, one a row, and what is known of the add above them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from rich.cells import cell_len

from pettui.keyboard import actions
from pettui.models.statuses import WIDEST_WORD, look_of
from pettui.rows.widths import Width, divided
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
SEEN: Final = ("seen before it was sent", "seen before", "seen")  # the longest that leaves …
NAME_ROOM: Final = 14  # … a longer name so many cells
NAME_LEAST: Final = 6
NAME_MAXIMUM: Final = 60
SIGN: Final = 2
GAP: Final = "  "
FIELDS_LEAST: Final = 12  # cells of further fields, which have no column
ROWS_EACH: Final = 2  # of a text about the add


class Candidate(NamedTuple):
    """A listed animal that an add could be."""

    pet: Pet
    was_seen: bool  # before the add was sent, so that it is hardly that one


class CandidateColumns(NamedTuple):
    """The cells of each column, without the gaps; further fields get the rest."""

    id: int
    name: int
    status: int
    seen: str  # what is said of an animal that was seen before; "" where there is none


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
        columns, name = self._columns(width), name_run(self.glyphs, row.pet.name)[0]
        is_cut = cell_len(name) > columns.name or width_of(self.runs_of(row, " ", width)) > width
        has_more = bool(row.pet.others) and not self._fields_room(columns, width)
        return [(f"id {row.pet.id}", row.pet.to_json())] if is_cut or has_more else []

    def empty_lines(self) -> Sequence[Sequence[Run]]:
        """Return what the screen says of it, wrapped, below the place of the titles."""
        width = max(self.drawn_width - SIGN, 1)
        rows = self.glyphs.wrap(self.glyphs.line(self.empty_text), width, ROWS_EACH + 1)
        return [[(" " * SIGN + row, "muted")] for row in rows]

    def header(self, width: int) -> Sequence[Run]:
        """Return the titles of the columns, if there are animals."""
        if not self.rows:
            return ()
        columns, fit = self._columns(width), self.glyphs.fit
        status = "Status" if columns.status > 1 else ""
        titles = ("Id".rjust(columns.id), fit("Name", columns.name), fit(status, columns.status))
        return [(" " * SIGN + GAP.join(titles), "table-header")]

    def runs_of(self, row: Candidate, sign: str, width: int) -> list[Run]:
        """Return an animal in the columns; those that were there before stand back."""
        glyphs, columns, pet = self.glyphs, self._columns(width), row.pet
        name, style = name_run(glyphs, pet.name)
        is_worded = columns.status > 1
        status = glyphs.status_text(pet.status, is_worded=is_worded)
        runs: list[Run] = [
            (f"{sign} ", ""),
            (f"{pet.id}".rjust(columns.id) + GAP, "muted"),
            (glyphs.fit(name, columns.name), "muted" if row.was_seen else style or "strong"),
            (GAP, ""),
            (glyphs.fit(status, columns.status), look_of(pet.status).style),
        ]
        if columns.seen:
            seen = columns.seen if row.was_seen else ""
            runs.append((f"{GAP}{seen.ljust(len(columns.seen))}", "notice"))
        if pet.others and (room := self._fields_room(columns, width)):
            texts = (f"{name}: {text}" for name, text in pet.other_texts.items())
            fields = glyphs.line(", ".join(texts))
            runs += [(GAP, ""), *cut_runs(glyphs, [(fields, "muted")], room)]
        return runs

    def _fields_room(self, columns: CandidateColumns, width: int) -> int:
        """Return the cells that are left for further fields; 0 for too few."""
        seen = len(GAP) + len(columns.seen) if columns.seen else 0
        taken = SIGN + columns.id + columns.name + columns.status + seen + 3 * len(GAP)
        return width - taken if width - taken >= FIELDS_LEAST else 0

    def _columns(self, width: int) -> CandidateColumns:
        pets = [row.pet for row in self.rows]
        pet_id = max((len(f"{pet.id}") for pet in pets), default=2)
        names = (cell_len(name_run(self.glyphs, pet.name)[0]) for pet in pets)
        longest = min(max(*names, len("Name"), 0), NAME_MAXIMUM)
        status = 2 + WIDEST_WORD if width >= WORDED_FROM else 1
        seen = [len(text) for text in SEEN] if any(row.was_seen for row in self.rows) else [0] * 3
        shorter, least = {2: seen[1], 3: seen[2]}, {1: NAME_ROOM, 4: NAME_LEAST}
        columns = [
            Width(max(pet_id, 2)),
            Width(longest, least=least, gap=len(GAP)),
            Width(status, gap=len(GAP)),
            Width(seen[0], shorter, gap=len(GAP)),
        ]
        _, (pet_id, name, status, said) = divided(columns, width - SIGN)
        return CandidateColumns(pet_id, name, status, SEEN[seen.index(said)] if said else "")


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
