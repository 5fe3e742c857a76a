"""RowOrder: sorts the rows, and moves between marked ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.lists.row_cursor import next_marked
from pettui.tui.wording import no_mark_text

if TYPE_CHECKING:
    from pettui.columns import Column
    from pettui.tui.screens.browsing.shown_list import ShownList


class RowOrder:
    """Methods return why something can't be done, or "" if it was done."""

    def __init__(self, screen: ShownList) -> None:
        self._screen = screen

    def sort_by_next(self) -> None:
        """Sort by the next column; after the last one, not at all."""
        self._screen.show_view(self._screen.view.by_next_column())

    def sort_by(self, column: Column) -> None:
        """Sort by a column, or reverse it if the rows are sorted by it."""
        self._screen.show_view(self._screen.view.by(column))

    def reverse(self) -> str:
        """Reverse the order."""
        if not self._screen.view.is_sorted:
            return "not sorted: the service's own order can't be reversed"
        self._screen.show_view(self._screen.view.reversed())
        return ""

    def go_to_mark(self, step: int) -> str:
        """Go to the next or previous row that is new or changed."""
        table = self._screen.table
        index = next_marked(table.cursor, table.rows, table.marks, step)
        if index is None:
            return no_mark_text(self._screen.shown)
        wrapped = (index - table.cursor) * step <= 0
        table.cursor = index
        if not wrapped:
            return ""
        return "continued from the top" if step > 0 else "continued from the end"
