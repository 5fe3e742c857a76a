"""PetLines: draws the rows of the list in columns that fit what is loaded.

It draws its own lines: there is no layout, and no text is parsed as markup.
"""

from __future__ import annotations

from functools import lru_cache
from operator import is_
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Region
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from pettui.client import UnreadablePet
from pettui.rows import ShownRows, id_of
from pettui.tui.lists.merging import NO_MARKS
from pettui.tui.widgets.column_widths import Contents, contents_of, layout_for, shows_all
from pettui.tui.widgets.line_styles import style_of
from pettui.tui.widgets.row_painter import RowPainter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.style import Style

    from pettui.glyphs import GlyphSet
    from pettui.models import Pet
    from pettui.rows import Element
    from pettui.tui.lists.merging import Marks
    from pettui.tui.widgets.column_widths import Layout

HEADER_ROWS = 1
TEXT_MAXIMUM = 1000  # characters of a text that are measured
KNOWN_TEXTS = 20_000  # texts whose widths are cached: a response may be a long list


class PetLines(ScrollView):
    """A fixed header over rows, one of them with the cursor."""

    cursor: reactive[int] = reactive(0, repaint=False)
    empty_text: reactive[str] = reactive("")  # in place of rows

    def __init__(self, glyphs: GlyphSet, category_name: Callable[[int], str]) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.shown = ShownRows()
        self.rows: Sequence[Element] = ()  # those shown, from top to bottom
        self.marks: Marks = NO_MARKS
        self.selected: frozenset[int] = frozenset()  # ids of the rows that the clerk marked
        self._contents = Contents()  # of all that is loaded: the columns do not jump in a find
        self._category_name = category_name
        self._odd_text_width = lru_cache(KNOWN_TEXTS)(lambda text: cell_len(glyphs.line(text)))
        self._painter = RowPainter(glyphs, category_name, self._style)
        self._layout: tuple[int, Layout] | None = None
        self._own: Style | None = None

    @property
    def highlighted(self) -> Element | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    @property
    def highlighted_pet(self) -> Pet | None:
        """The animal under the cursor; None on an unreadable row, or without rows."""
        row = self.highlighted
        return None if isinstance(row, UnreadablePet) else row

    def measure(self, loaded: Sequence[Element]) -> None:
        """Measure the columns; if rows were only appended, measure only those."""
        known = self.shown.loaded
        is_continued = len(loaded) >= len(known) and all(map(is_, known, loaded))
        rows = loaded[len(known) :] if is_continued else loaded
        appended = contents_of(rows, self._category_name, self._text_width)
        contents = self._contents.union(appended) if is_continued else appended
        if contents != self._contents:
            self._contents, self._layout = contents, None

    def _text_width(self, text: str) -> int:
        is_plain = text.isascii() and text.isprintable()
        return len(text) if is_plain else self._odd_text_width(text[:TEXT_MAXIMUM])

    def shows_all_in(self, width: int) -> bool:
        """Whether rows of this width show everything about what is loaded."""
        return shows_all(self._contents, width, self.app.size.width)

    def layout_of(self, width: int) -> Layout:
        """Return the columns for a width, which changes as the scroll bar comes and goes."""
        if self._layout is None or self._layout[0] != width:
            screen_width = self.app.size.width
            self._layout = (width, layout_for(self._contents, width, screen_width))
        return self._layout[1]

    def reset_layout(self) -> None:
        """Recompute the columns, after a resize."""
        self._layout = None

    def _style(self, name: str) -> Style:
        if name == "cursor" and not self.has_focus:
            name = "cursor-blurred"
        return style_of(self, name) if name else self.own_style

    @property
    def own_style(self) -> Style:
        """The style of plain text."""
        if self._own is None:
            self._own = self.rich_style
        return self._own

    def notify_style_update(self) -> None:
        """Forget the style of another theme."""
        self._own = None
        super().notify_style_update()

    def refresh_line(self, y: int) -> None:
        """Have a line of the table drawn again, and nothing of the scroll bar beside it."""
        width = self.scrollable_content_region.width
        self.refresh(Region(0, y - self.scroll_offset.y, width, 1))

    def show_selected(self, ids: frozenset[int]) -> None:
        """Show which rows the clerk marked; if only the cursor's row changed, redraw only that."""
        changed, self.selected = self.selected ^ ids, ids
        if changed == {id_of(self.highlighted)}:
            self.refresh_line(self.cursor + HEADER_ROWS)
        elif changed:
            self.refresh()

    def on_focus(self) -> None:
        """Redraw the cursor for the new focus."""
        self.refresh_line(self.cursor + HEADER_ROWS)

    on_blur = on_focus

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines. The table has no border and no padding, which Textual would look for."""
        width = self.scrollable_content_region.width
        strips = [
            self._line(y, width).adjust_cell_length(crop.right, self.own_style)
            for y in crop.line_range
        ]
        for line_filter in self.get_line_filters():
            background = self.background_colors[1]
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        return [strip.crop(crop.x) for strip in strips] if crop.x else strips

    def render_line(self, y: int) -> Strip:
        """Draw the header or a row."""
        return self._line(y, self.scrollable_content_region.width)

    def _line(self, y: int, width: int) -> Strip:
        layout = self.layout_of(width)
        index = y - HEADER_ROWS + self.scroll_offset.y
        if y < HEADER_ROWS:
            return self._painter.header(layout, width, self.shown.view)
        if index < len(self.rows):
            row = self.rows[index]
            return self._painter.row(
                row,
                self.marks,
                self.shown.words,
                layout,
                width,
                is_cursor=index == self.cursor,
                is_selected=id_of(row) in self.selected,
            )
        if not self.rows and y == HEADER_ROWS + 1:
            text = self.glyphs.fit(f"   {self.empty_text}", width)
            return Strip([Segment(text, self.own_style + style_of(self, "muted"))], width)
        return Strip.blank(width, self.own_style)
