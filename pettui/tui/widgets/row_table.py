"""RowTable: rows under a fixed header, one of them with the cursor; only what is in sight is drawn.

A key redraws two rows without layout, and new rows do not reset the cursor. Textual's DataTable
lays out and resets. The table draws its own lines: no text is parsed as markup.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from pettui.tui.widgets.line_widget import emphasis_of, style_of
from pettui.tui.widgets.runs import Run, cut_runs
from pettui.tui.widgets.scrolling import ThinlyScrolled

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from rich.style import Style
    from textual import events

    from pettui.appearance.glyphs import GlyphSet

Row = TypeVar("Row")


class RowTable(ScrollView, ThinlyScrolled, Generic[Row], can_focus=True, inherit_bindings=False):
    """A header over rows; a divider may stand between two of them."""

    HEADER_ROWS: ClassVar[int] = 1
    CLICKS: ClassVar[int] = 2  # that open a row

    cursor: reactive[int] = reactive(0, repaint=False)

    class Highlighted(Message, bubble=False):
        """The cursor is on another row, or on none; posted to the screen."""

        def __init__(self, row: Any) -> None:
            super().__init__()
            self.row = row

    class Opened(Message):
        """The row under the cursor was clicked to open it."""

    def __init__(self, glyphs: GlyphSet) -> None:
        """Show no rows yet."""
        super().__init__(classes="rows" if self.can_focus else None)
        self.glyphs = glyphs
        self.rows: Sequence[Row] = ()  # from top to bottom
        self.divided_at = 0  # the index of the row below the divider; 0 for none
        self.tells_cursor = False  # the screen is told which row is under it
        self._at = Cursor()  # on its row even while none are shown
        # Where the find began that is being typed: each letter may hide the cursor's row.
        self._found_from: tuple[Cursor, Sequence[Row]] | None = None
        self._own: Style | None = None

    @property
    def highlighted(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    # What a table is of, and what it draws

    def identity(self, row: Row) -> Hashable:
        """Return what makes it the same row after a change."""
        return id(row)

    def header(self, width: int) -> Sequence[Run]:  # noqa: ARG002
        """Return the titles of the columns."""
        return ()

    def runs_of(self, row: Row, sign: str, width: int) -> Sequence[Run]:
        """Return a row behind a sign, which shows where the cursor is."""
        raise NotImplementedError

    def divider(self) -> Sequence[Run]:
        """Return the line between two groups of rows."""
        return ()

    def empty_lines(self) -> Sequence[Sequence[Run]]:
        """Return what stands in place of rows."""
        return ()

    # The cursor, and the scroll offset that goes with it

    def put_rows(
        self, rows: Sequence[Row], cursor: int | None = None, *, divided_at: int = 0
    ) -> None:
        """Show other rows; the cursor's row, which has another index now, stays where it is drawn.

        Args:
            rows: from top to bottom.
            cursor: its index; None: it stays on its row.
            divided_at: the index of the row below the divider; 0 for none.
        """
        if cursor is None:
            at, before = self._found_from or (self._at, self.rows)
            self._at = moved_cursor(at, before, rows, self.identity)
            cursor = self._at.index
        else:
            self._at = cursor_at(cursor, rows, self.identity)
        top = self.scroll_offset.y
        offset = self._line_of(self.cursor) - top
        self.rows, self.divided_at = rows, divided_at
        self.set_reactive(RowTable.cursor, self.validate_cursor(cursor))
        self._measure_height()
        line = self._line_of(self.cursor)
        keeps_top = top == 0 and line < self._visible_lines
        self.scroll_to(y=0 if keeps_top else line - offset, animate=False, force=True)
        self._scroll_to_cursor()
        self.refresh()

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, len(self.rows) - 1))

    def begin_find(self) -> None:
        """Let the cursor depend on the whole of what is typed, and not on each letter of it."""
        self._found_from = self._at, self.rows

    def end_find(self) -> None:
        """Let the cursor go on from where it is."""
        self._found_from = None

    def watch_cursor(self, old: int, new: int) -> None:
        """Redraw only the two rows."""
        self._at, self._found_from = cursor_at(new, self.rows, self.identity), None
        # To the screen and first, so that what goes with the cursor is drawn in the same frame.
        self.tell_cursor()
        for index in (old, new):
            self.refresh_row(index)
        self._scroll_to_cursor()

    def tell_cursor(self) -> None:
        """Tell the screen which row is under the cursor, if it wants to know."""
        if self.tells_cursor:
            self.screen.post_message(self.Highlighted(self.highlighted))

    def move_to(self, index: int) -> None:
        """Move the cursor to a row, or to the one nearest to that."""
        self.cursor = index

    def go_to(self, identity: object) -> bool:
        """Move the cursor to a row; return whether it is shown."""
        index = next((i for i, row in enumerate(self.rows) if self.identity(row) == identity), None)
        if index is not None:
            self.cursor = index
        return index is not None

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self.move_to(self.cursor + rows)

    def action_move_page(self, pages: float) -> None:
        """Move the cursor by pages, or a part of one."""
        self.move_to(self.cursor + int(pages * max(self._visible_lines, 2)))

    def action_top(self) -> None:
        """Go to the first row."""
        self.move_to(0)

    def action_end(self) -> None:
        """Go to the last row."""
        self.move_to(len(self.rows) - 1)

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the click, which may open the row."""
        if event.y < self.HEADER_ROWS:
            self.click_header(event.x)
            return
        index = self._row_at(event.y - self.HEADER_ROWS + self.scroll_offset.y)
        if index is not None:
            self.move_to(index)
            # A prompt for an API key keeps the focus.
            if event.chain >= self.CLICKS and (self.has_focus or not self.can_focus):
                self.post_message(self.Opened())

    def click_header(self, x: int) -> None:
        """Do what a click on the header does."""

    @property
    def _visible_lines(self) -> int:
        return max(self.scrollable_content_region.height - self.HEADER_ROWS, 1)

    def _line_of(self, index: int) -> int:
        return index + (0 < self.divided_at <= index)

    @property
    def cursor_screen_offset(self) -> Offset:
        """Where the row under the cursor begins on the screen, for the terminal's own cursor."""
        x, y, *_ = self.region
        return Offset(x, y + self.HEADER_ROWS + self._line_of(self.cursor) - self.scroll_offset.y)

    def _row_at(self, line: int) -> int | None:
        """Return the index of the row that is drawn on a line; None for none."""
        if line == self.divided_at > 0:
            return None
        index = line - (0 < self.divided_at < line)
        return index if index < len(self.rows) else None

    def _measure_height(self) -> None:
        lines = self._line_of(len(self.rows) - 1) + 1 if self.rows else 0
        self.virtual_size = Size(self.size.width, lines + self.HEADER_ROWS)

    def _scroll_to_cursor(self, *, at_once: bool = False) -> None:
        top, visible = self.scroll_offset.y, self._visible_lines
        line = self._line_of(self.cursor)
        if line < top:
            self.scroll_to(y=line, animate=False, force=True, immediate=at_once)
        elif line >= top + visible:
            self.scroll_to(y=line - visible + 1, animate=False, force=True, immediate=at_once)

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self._measure_height()
        self._scroll_to_cursor(at_once=True)  # not a frame later, without the cursor

    # Drawing

    @property
    def drawn_width(self) -> int:
        """The cells of a row; before the layout, those of the terminal."""
        return self.scrollable_content_region.width or self.app.size.width

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

    def refresh_row(self, index: int) -> None:
        """Have a row drawn again, and nothing of the scroll bar beside it."""
        y = self._line_of(index) + self.HEADER_ROWS - self.scroll_offset.y
        self.refresh(Region(0, y, self.scrollable_content_region.width, 1))

    def on_focus(self) -> None:
        """Redraw the cursor for the new focus."""
        self.refresh_row(self.cursor)

    on_blur = on_focus

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines. A table has no border and no padding, which Textual would look for."""
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
        index = self._row_at(y - self.HEADER_ROWS + self.scroll_offset.y)
        if y < self.HEADER_ROWS:
            titles = self.header(width)
            return self._strip(titles, width, "table-header" if titles else "")
        if index is None:
            return self._strip(self._line_between(y), width)
        if index != self.cursor:
            return self._strip(self.runs_of(self.rows[index], " ", width), width)
        runs = self.runs_of(self.rows[index], self.glyphs.cursor, width)
        is_blurred = self.can_focus and not self.has_focus
        return self._strip(runs, width, "cursor-blurred" if is_blurred else "cursor")

    def _line_between(self, y: int) -> Sequence[Run]:
        line = y - self.HEADER_ROWS + self.scroll_offset.y
        if self.rows:
            return self.divider() if line == self.divided_at else ()
        texts = self.empty_lines()
        return texts[line] if line < len(texts) else ()

    def _strip(self, runs: Sequence[Run], width: int, bar: str = "") -> Strip:
        """Return runs as a line of exactly ``width`` cells, cut with an ellipsis.

        A bar has one style, so that its colours are sent once. Only the matches of a find stand
        out.
        """
        runs, own = cut_runs(self.glyphs, runs, width), self.own_style
        base = own + style_of(self, bar) if bar else own
        styles = dict.fromkeys((name for _, name in runs), base)
        if not bar:
            styles = {name: own + style_of(self, name) if name else own for name in styles}
        elif "found" in styles:
            styles["found"] = base + emphasis_of(style_of(self, "found"))
        same = groupby(runs, key=lambda run: styles[run[1]])
        segments = [Segment("".join(text for text, _ in some), style) for style, some in same]
        return Strip(segments).adjust_cell_length(width, base)


# The cursor of a table: which row it is on, also after other rows are shown.


@dataclass(frozen=True, slots=True)
class Cursor:
    """The cursor's row, and what makes it the same row elsewhere."""

    index: int = 0  # also 0 where there are no rows
    identity: Hashable = None  # while there are no rows, of the one that it was on last


def cursor_at(index: int, rows: Sequence[Row], identity_of: Callable[[Row], Hashable]) -> Cursor:
    """Return a cursor on the row at an index, or on the nearest row to that."""
    if not rows:
        return Cursor()
    index = max(0, min(index, len(rows) - 1))
    return Cursor(index, identity_of(rows[index]))


def moved_cursor(
    cursor: Cursor,
    before: Sequence[Row],
    after: Sequence[Row],
    identity_of: Callable[[Row], Hashable],
) -> Cursor:
    """Return the cursor in the rows after a find, a sort, a filter, a refresh or a page.

    It stays on its row. If that is gone, it moves to the nearest former row that is still shown; of
    two at the same distance to the lower one, which moves up. If none is, it keeps its index.
    """
    if not after:
        return replace(cursor, index=0)
    here = slice(cursor.index, cursor.index + 1)
    if before[here] and after[here] and before[cursor.index] is after[cursor.index]:
        return cursor_at(cursor.index, after, identity_of)
    identities = [*map(identity_of, after)]
    shown = set(identities)
    if not before and cursor.identity in shown:
        return Cursor(identities.index(cursor.identity), cursor.identity)
    for row in _nearest_first(cursor.index, len(before)):
        if (identity := identity_of(before[row])) in shown:
            return Cursor(identities.index(identity), identity)
    return cursor_at(cursor.index, after, identity_of)


def _nearest_first(index: int, count: int) -> Iterator[int]:
    """Yield the indexes of so many rows, the nearest to an index first."""
    for distance in range(count):
        for each in (index + distance, index - distance):
            if 0 <= each < count:
                yield each
