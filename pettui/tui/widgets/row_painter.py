"""RowPainter: draws the header and the rows of the table."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pettui.client import UnreadablePet
from pettui.finding import found_spans
from pettui.tui.widgets.column_widths import GAP
from pettui.tui.wording.listing_texts import direction_sign
from pettui.tui.wording.text_runs import cut_runs, highlighted_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from pettui.glyphs import GlyphSet
    from pettui.models import Pet
    from pettui.rows import Element, RowView
    from pettui.tui.lists.merging import Marks
    from pettui.tui.widgets.column_widths import Layout, PlacedColumn
    from pettui.tui.wording.text_runs import Run


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

    def header(self, layout: Layout, width: int, view: RowView) -> Strip:
        """Draw the titles of the columns, and the sort order."""
        cells = (self._title(placed, view) for placed in layout)
        style = self._on("table-header", self._style_of(""))
        text = f"   {(' ' * GAP).join(cells)} "
        return Strip([Segment(text, style)]).adjust_cell_length(width, style)

    def _title(self, placed: PlacedColumn, view: RowView) -> str:
        """Return the title of a column and its sort sign; with little room it is shortened."""
        column, width, _ = placed
        sign = f" {direction_sign(self._glyphs, view)}" if column is view.column else ""
        titles = (*column.titles, "") if width > 1 else ("",)
        texts = (f"{title}{sign}".strip() for title in titles)
        text = next((text for text in texts if len(text) <= width), "")
        return text.rjust(width) if column.is_number else self._glyphs.fit(text, width)

    def row(
        self,
        row: Element,
        marks: Marks,
        words: Collection[str],
        layout: Layout,
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
            runs += self._cells(row, words, layout)
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

    def _cells(self, pet: Pet, words: Collection[str], layout: Layout) -> Iterator[Run]:
        """Return runs of exactly the widths of the columns, with gaps between them."""
        for index, placed in enumerate(layout):
            if index:
                yield " " * GAP, "muted"
            runs = cut_runs(self._glyphs, self._content(pet, words, placed), placed.width)
            style = next((style for _, style in reversed(runs) if style != "found"), "")
            padding = " " * (placed.width - width_of(runs)), style
            yield from (padding, *runs) if placed.column.is_number else (*runs, padding)

    def _content(self, pet: Pet, words: Collection[str], placed: PlacedColumn) -> list[Run]:
        """Return an animal's texts in a column, with the words of a find highlighted."""
        column, _, has_all = placed
        value = column.value(pet)
        texts = column.texts(value, self._category_name)
        style = column.style
        runs: list[Run] = []
        if column.look is not None:
            look = column.look(value)
            style = look.style
            runs.append((self._glyphs.glyph_of(look), style))
        for text in texts if has_all else texts[: 1 - len(runs)]:
            spans = found_spans(text, words) if words else ()
            if runs and text:
                runs.append((" ", style))
            runs += highlighted_runs(
                self._glyphs, text, spans, style=style, found_style="found", limit=column.longest
            )
        return runs if runs or not column.empty else [(column.empty, "not-set")]

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
