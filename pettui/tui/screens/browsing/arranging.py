"""Arranging: the order of the rows, and the way from one marked row to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.rows.row_cursor import next_marked
from pettui.tui.wording.listing_texts import no_mark_text

if TYPE_CHECKING:
    from pettui.tui.rows.row_view import Column
    from pettui.tui.screens.browsing.shown_list import ShownList


class Arranging:
    """What can't be done is returned in words; "" where it was done."""

    def __init__(self, screen: ShownList) -> None:
        self._screen = screen

    def sort_by_next(self) -> None:
        """Sort by the next column; past the last, by none."""
        self._screen.show_view(self._screen.view.by_next_column())

    def sort_by(self, column: Column) -> None:
        """Sort by a column, or turn it round."""
        self._screen.show_view(self._screen.view.by(column))

    def turn_round(self) -> str:
        """Turn the order round."""
        if not self._screen.view.is_sorted:
            return "nothing is sorted: the service's own order can't be turned round"
        self._screen.show_view(self._screen.view.reversed())
        return ""

    def go_to_mark(self, step: int) -> str:
        """Go to the next row that is new or changed, or to the one before."""
        table = self._screen.table
        index = next_marked(table.cursor, table.rows, table.marks, step)
        if index is None:
            return no_mark_text(self._screen.shown)
        is_past_end = (index - table.cursor) * step <= 0
        table.cursor = index
        if not is_past_end:
            return ""
        return "from the top again" if step > 0 else "from the end again"
