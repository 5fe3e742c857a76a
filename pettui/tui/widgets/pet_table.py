"""PetTable: the loaded animals, one a line; it keeps cursor and scroll by the animal's id.

It draws its own lines: a key paints the two rows that changed and lays nothing out, no text is
ever parsed as markup, and new rows do not throw the cursor back (Textual's DataTable does all
three otherwise).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from pettui import actions
from pettui.tui.keys.bindings import bindings
from pettui.tui.widgets.columns import Columns, columns_for
from pettui.tui.widgets.line_widget import style_of
from pettui.tui.widgets.row_painter import RowPainter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.style import Style
    from textual import events
    from textual.binding import BindingType
    from textual.geometry import Region

    from pettui.tui.listing import Row
    from pettui.tui.look import Look

HEADER_ROWS = 1


class PetTable(ScrollView, can_focus=True):
    """Rows of a listing under a fixed header, with a cursor."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_TABLE,
        up="move(-1)",
        down="move(1)",
        page_up="move_page(-1)",
        page_down="move_page(1)",
    )

    cursor: reactive[int] = reactive(0, repaint=False)
    stale: reactive[bool] = reactive(False)
    empty_text: reactive[str] = reactive("")  # what stands in place of rows

    class Highlighted(Message, bubble=False):
        """The cursor stands on a row, or on none; posted to the screen."""

        def __init__(self, row: Row | None) -> None:
            super().__init__()
            self.row = row

    class Opened(Message):
        """The row under the cursor was chosen to be opened."""

    def __init__(self, look: Look, category_name: Callable[[int], str]) -> None:
        super().__init__()
        self.look = look
        self.rows: Sequence[Row] = ()
        self._category_name = category_name
        self._painter = RowPainter(look, category_name, self._style)
        self._columns: tuple[int, Columns] | None = None
        self._own: Style | None = None  # of the drawing that is under way

    @property
    def highlighted(self) -> Row | None:
        """Give the row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def show_rows(self, rows: Sequence[Row], *, from_top: bool = False) -> None:
        """Show other rows; the cursor stays on its animal, and that where it stood."""
        before = self.highlighted
        offset = self.cursor - self.scroll_offset.y
        at_top = self.scroll_offset.y == 0
        self.rows = rows
        self._columns = None
        place = 0 if from_top else self._place_of(before)
        self.virtual_size = Size(self.size.width, len(rows) + HEADER_ROWS)
        self.set_reactive(PetTable.cursor, place)
        keeps_top = at_top and place < self._visible_rows
        self.scroll_to(y=0 if keeps_top else place - offset, animate=False)
        self._scroll_to_cursor()
        self.refresh()
        self.screen.post_message(self.Highlighted(self.highlighted))

    def go_to(self, pet_id: int) -> None:
        """Put the cursor on an animal, if it is there."""
        if (index := self._index_of(pet_id)) is not None:
            self.cursor = index

    def _index_of(self, pet_id: int) -> int | None:
        return next((i for i, row in enumerate(self.rows) if row.pet_id == pet_id), None)

    def _place_of(self, before: Row | None) -> int:
        last = max(len(self.rows) - 1, 0)
        if before is None or before.pet_id is None:
            return min(self.cursor, last)
        if self.cursor <= last and self.rows and self.rows[self.cursor].pet_id == before.pet_id:
            return self.cursor
        index = self._index_of(before.pet_id)
        return min(self.cursor, last) if index is None else index

    @property
    def _visible_rows(self) -> int:
        return max(self.scrollable_content_region.height - HEADER_ROWS, 1)

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, len(self.rows) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        """Paint the two rows alone."""
        # To the screen at once, and first: what it draws for the row comes in the same frame.
        self.screen.post_message(self.Highlighted(self.highlighted))
        for place in (old, new):
            self.refresh_line(place + HEADER_ROWS)
        self._scroll_to_cursor()

    def _scroll_to_cursor(self) -> None:
        top, visible = self.scroll_offset.y, self._visible_rows
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif self.cursor >= top + visible:
            self.scroll_to(y=self.cursor - visible + 1, animate=False)

    def on_resize(self) -> None:
        """Divide the new width, and keep the cursor in sight."""
        self._columns = None
        self.virtual_size = Size(self.size.width, len(self.rows) + HEADER_ROWS)
        self._scroll_to_cursor()

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self.cursor += rows

    def action_move_page(self, pages: int) -> None:
        """Move the cursor by what is in sight."""
        self.cursor += pages * self._visible_rows

    def action_top(self) -> None:
        """Go to the first row."""
        self.cursor = 0

    def action_end(self) -> None:
        """Go to the last row."""
        self.cursor = len(self.rows) - 1

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the click was; a second click opens."""
        place = event.y - HEADER_ROWS + self.scroll_offset.y
        if event.y >= HEADER_ROWS and place < len(self.rows):
            self.cursor = place
            if event.chain == 2:
                self.post_message(self.Opened())

    def on_focus(self) -> None:
        """Paint the cursor as that of the focused widget."""
        self.refresh_line(self.cursor + HEADER_ROWS)

    on_blur = on_focus

    def _style(self, name: str) -> Style:
        if name == "cursor" and not self.has_focus:
            name = "cursor-blurred"
        return style_of(self, name) if name else self.own_style

    @property
    def own_style(self) -> Style:
        """Give the style of plain text, looked up once a drawing."""
        if self._own is None:
            self._own = self.rich_style
        return self._own

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw what changed."""
        self._own = None
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw the header or a row."""
        width = self.scrollable_content_region.width
        columns = self._columns_for(width)
        place = y - HEADER_ROWS + self.scroll_offset.y
        if y < HEADER_ROWS:
            return self._painter.header(columns, width)
        if place < len(self.rows):
            return self._painter.row(self.rows[place], columns, width, place == self.cursor)
        if not self.rows and y == HEADER_ROWS + 1:
            text = self.look.fit(f"   {self.empty_text}", width)
            return Strip([Segment(text, self.own_style + style_of(self, "muted"))], width)
        return Strip.blank(width, self.own_style)

    def _columns_for(self, width: int) -> Columns:
        """Divide the width, which is another one when a scroll bar comes or goes."""
        if self._columns is None or self._columns[0] != width:
            screen_width = self.app.size.width
            columns = columns_for(self.rows, width, screen_width, self._category_name)
            self._columns = (width, columns)
        return self._columns[1]
