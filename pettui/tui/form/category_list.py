"""CategoryList: the categories beside the form, with their numbers; a click takes one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len

from pettui.tui.widgets.row_table import RowTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.tui.session.session import UserSession
    from pettui.tui.widgets.runs import Run

SIGN, GAP = 2, 2  # cells before and behind a number
DIGITS_MOST: Final = 6  # cells of a number: a single long one would take those of all names
NONE: Final = -1  # the cursor, where no category is meant


class CategoryList(RowTable[int], can_focus=False):
    """Those that match what is typed, with the bar on the one that it means."""

    HEADER_ROWS: ClassVar[int] = 0
    CLICKS: ClassVar[int] = 1

    def __init__(self, session: UserSession) -> None:
        super().__init__(session.glyphs)
        self._categories = session.categories

    def show(self, matching: Sequence[int], meant: int | None) -> None:
        """Show categories, and which of them is meant, if one is."""
        index = matching.index(meant) if meant in matching else NONE
        if [*matching] == [*self.rows]:
            self.cursor = index
        else:
            self.put_rows(matching, index)

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row, or on none."""
        return NONE if cursor == NONE else super().validate_cursor(cursor)

    def runs_of(self, row: int, sign: str, width: int) -> Sequence[Run]:
        """Return a category's number and name."""
        number = f"{sign} {self.glyphs.cut(str(row), DIGITS_MOST):>{_digits(self.rows)}}  "
        name = self.glyphs.line(self._categories.name(row))
        return [(number, "muted"), (self.glyphs.cut(name, width - cell_len(number) - 1), "")]

    def empty_lines(self) -> Sequence[Sequence[Run]]:
        """Return that nothing matches."""
        return [[("  no known category", "muted")]]


def _digits(numbers: Iterable[int]) -> int:
    """Return the cells of a column of numbers."""
    return min(max((len(str(number)) for number in numbers), default=1), DIGITS_MOST)
