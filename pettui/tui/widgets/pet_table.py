"""PetTable: the loaded animals, one a row; the cursor and the scroll offset follow the animal's id.

A key redraws two rows without layout, and new rows do not reset the cursor. Textual's DataTable
lays out and resets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.geometry import Size
from textual.message import Message

from pettui import actions
from pettui.rows import id_of
from pettui.tui.keys.bindings import bindings
from pettui.tui.keys.key_queue import KeyDone
from pettui.tui.lists.row_cursor import Cursor, cursor_at, moved_cursor
from pettui.tui.widgets.column_widths import column_at
from pettui.tui.widgets.pet_lines import HEADER_ROWS, PetLines

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.binding import BindingType

    from pettui.columns import Column
    from pettui.glyphs import GlyphSet
    from pettui.rows import Element, ShownRows
    from pettui.tui.lists.merging import Marks

FAR = 1_000_000  # rows; no list is as long


class PetTable(PetLines, can_focus=True):
    """The rows below a fixed header, with a cursor."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_TABLE,
        up="move(-1)",
        down="move(1)",
        page_up="move_page(-1)",
        page_down="move_page(1)",
        half_page_up="move_page(-0.5)",
        half_page_down="move_page(0.5)",
    )

    class Highlighted(Message, bubble=False):
        """The cursor is on another row, or on none; posted to the screen."""

        def __init__(self, element: Element | None) -> None:
            super().__init__()
            self.element = element

    class HeaderClicked(Message):
        """The header of a column was clicked."""

        def __init__(self, column: Column) -> None:
            super().__init__()
            self.column = column

    class PastEnd(Message, bubble=False):
        """A key would move the cursor past the last row; posted to the screen."""

        def __init__(self, rows: int) -> None:
            super().__init__()
            self.rows = rows  # how far past it

    class Opened(Message):
        """The row under the cursor was double-clicked."""

    def __init__(
        self, glyphs: GlyphSet, category_name: Callable[[int], str], is_loading: Callable[[], bool]
    ) -> None:
        """Show no rows yet; ``is_loading`` returns whether a request is running."""
        super().__init__(glyphs, category_name)
        self._is_request_out = is_loading
        self.is_followed = False  # whether the screen shows more of the row under the cursor
        self._last_cursor = Cursor()  # on its animal even while no rows are shown

    def post_message(self, message: Message) -> bool:
        """Pass keys directly to the screen, which has their bindings.

        Bubbling from widget to widget is half the cost of a cursor movement. While rows are loaded
        keys bubble: the rows of a fast service then arrive before the next key is handled.
        """
        if isinstance(message, events.Key | KeyDone) and not self.is_loading:
            return self.screen.post_message(message)
        return super().post_message(message)

    @property
    def is_loading(self) -> bool:
        """Whether other rows were asked for."""
        return self._is_request_out()

    def show_rows(self, shown: ShownRows, marks: Marks, *, from_top: bool = False) -> None:
        """Show other rows; the cursor stays on its animal, and the animal in its place."""
        offset = self.cursor - self.scroll_offset.y
        at_top = self.scroll_offset.y == 0
        before, rows = self.rows, shown.elements
        self.measure(shown.loaded)
        self.shown, self.rows, self.marks = shown, rows, marks
        if from_top:
            self._last_cursor = cursor_at(0, rows)
        else:
            self._last_cursor = moved_cursor(self._last_cursor, before, rows)
        index = self._last_cursor.index
        self.virtual_size = Size(self.size.width, len(rows) + HEADER_ROWS)
        self.set_reactive(PetTable.cursor, index)
        keeps_top = at_top and index < self._visible_rows
        self.scroll_to(y=0 if keeps_top else index - offset, animate=False, force=True)
        self._scroll_to_cursor()
        self.refresh()
        self._post_highlighted()

    def _post_highlighted(self) -> None:
        if self.is_followed:
            self.screen.post_message(self.Highlighted(self.highlighted))

    def go_to(self, pet_id: int) -> bool:
        """Move the cursor to an animal; return whether its row is shown."""
        index = next((i for i, pet in enumerate(self.rows) if id_of(pet) == pet_id), None)
        if index is not None:
            self.cursor = index
        return index is not None

    @property
    def _visible_rows(self) -> int:
        return max(self.scrollable_content_region.height - HEADER_ROWS, 1)

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, len(self.rows) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        """Redraw only the two rows."""
        self._last_cursor = cursor_at(new, self.rows)
        # To the screen and first, so that the preview is drawn in the same frame.
        self._post_highlighted()
        for index in (old, new):
            self.refresh_line(index + HEADER_ROWS)
        self._scroll_to_cursor()

    def _scroll_to_cursor(self) -> None:
        top, visible = self.scroll_offset.y, self._visible_rows
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + visible:
            self.scroll_to(y=self.cursor - visible + 1, animate=False, force=True)

    def on_resize(self) -> None:
        """Adapt the columns, and keep the cursor in sight."""
        self.reset_layout()
        self.virtual_size = Size(self.size.width, len(self.rows) + HEADER_ROWS)
        self._scroll_to_cursor()

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self._move_to(self.cursor + rows)

    def action_move_page(self, pages: float) -> None:
        """Move the cursor by pages, or a part of one."""
        self._move_to(self.cursor + int(pages * self._visible_rows))

    def _move_to(self, index: int) -> None:
        past_end = index - len(self.rows) + 1
        self.cursor = index
        if self.rows and past_end > 0:
            self.screen.post_message(self.PastEnd(past_end))

    def action_top(self) -> None:
        """Go to the first row."""
        self.cursor = 0

    def action_end(self) -> None:
        """Go to the last row or, if the cursor is there, past it, which loads more."""
        is_there = self.cursor == len(self.rows) - 1
        self._move_to(self.cursor + FAR if is_there else len(self.rows) - 1)

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the click; a double click opens, one on the header sorts."""
        if event.y < HEADER_ROWS:
            layout = self.layout_of(self.scrollable_content_region.width)
            self.post_message(self.HeaderClicked(column_at(layout, event.x)))
            return
        index = event.y - HEADER_ROWS + self.scroll_offset.y
        if index < len(self.rows):
            self.cursor = index
            if event.chain == 2:
                self.post_message(self.Opened())
