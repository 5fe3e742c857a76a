"""RowPainter: draws the header and the rows of the table."""

from __future__ import annotations

from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pettui.client import UnreadablePet
from pettui.rows import NOTHING_FOUND, Column, highlights
from pettui.tui.widgets.columns import GAP, Columns
from pettui.tui.widgets.pet_cells import pet_cells
from pettui.tui.wording.listing_texts import direction_sign

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pettui.glyphs import GlyphSet
    from pettui.rows import Element, RowView
    from pettui.tui.lists.merging import Marks
    from pettui.tui.wording.text_runs import Run

HEADERS: Final[Mapping[Column, tuple[str, ...]]] = MappingProxyType(
    {
        Column.ID: ("Id",),
        Column.NAME: ("Name",),
        Column.CATEGORY: ("Category", "Cat"),
        Column.STATUS: ("Status",),
    }
)
"""The names of the columns, and shorter ones for less room."""


class RowPainter:
    """Draws in given columns, with the styles of the table."""

    def __init__(
        self,
        glyphs: GlyphSet,
        category_name: Callable[[int], str],
        style_of: Callable[[str], Style],
    ) -> None:
        self._glyphs = glyphs
        self._category_name = category_name
        self._style_of = style_of

    def header(self, columns: Columns, width: int, view: RowView) -> Strip:
        """Draw the names of the columns, and the sort order."""
        widths = (columns.id, columns.name, columns.category, columns.status)
        headers = (
            self._column_header(column, width, view)
            for column, width in zip(Column, widths, strict=True)
        )
        id_header, *others = headers
        cells = (id_header.strip().rjust(columns.id), *others)
        style = self._on("table-header", self._style_of(""))
        text = f"   {(' ' * GAP).join(cells)} "
        return Strip([Segment(text, style)]).adjust_cell_length(width, style)

    def _column_header(self, column: Column, width: int, view: RowView) -> str:
        """Return the name of a column and its sort sign; with little room the name is shortened."""
        sign = f" {direction_sign(self._glyphs, view)}" if column is view.column else ""
        names = HEADERS[column] if width > 1 else ("",)
        texts = (f"{name}{sign}".strip() for name in (*names, ""))
        text = next((text for text in texts if len(text) <= width), "")
        return self._glyphs.fit(text, width)

    def row(
        self,
        row: Element,
        marks: Marks,
        words: Collection[str],
        columns: Columns,
        width: int,
        *,
        is_cursor: bool,
        is_selected: bool,
    ) -> Strip:
        """Draw an animal, or an unreadable row.

        The cursor's row has one style: it reads as a bar, and its colours are sent once. Only the
        matches of a find stand out.
        """
        glyphs = self._glyphs
        sign = self._sign(row, marks)
        runs: list[Run] = [
            (glyphs.cursor if is_cursor else " ", ""),
            (sign, "" if sign == " " else "mark"),
            (glyphs.selected, "accent") if is_selected else (" ", ""),
        ]
        if isinstance(row, UnreadablePet):
            text = f"row {row.index + 1} unreadable: {row.reason}"
            runs.append((glyphs.fit(glyphs.line(text), width - 4), "error"))
        else:
            found = highlights(row, words, self._category_name) if words else NOTHING_FOUND
            runs += pet_cells(glyphs, row, self._category_name, columns, found)
        own = self._style_of("")
        base = self._on("cursor", own) if is_cursor else own
        styles = dict.fromkeys((name for _, name in runs), base)
        if not is_cursor:
            styles = {name: self._on(name, base) if name else base for name in styles}
        elif "found" in styles:
            styles["found"] = base + emphasis_of(self._style_of("found"))
        same = groupby(runs, key=lambda run: styles[run[1]])
        segments = [Segment("".join(text for text, _ in some), style) for style, some in same]
        return Strip(segments).adjust_cell_length(width, base)

    def _sign(self, row: Element, marks: Marks) -> str:
        if isinstance(row, UnreadablePet):
            return " "
        if row.id in marks.new:
            return self._glyphs.new
        return self._glyphs.changed if row.id in marks.changed else " "

    def _on(self, name: str, base: Style) -> Style:
        """Return a style on the background of the row."""
        return base + self._style_of(name)


def emphasis_of(style: Style) -> Style:
    """Return a style without its colours, for a background with its own."""
    return Style(bold=style.bold, underline=style.underline, reverse=style.reverse)
