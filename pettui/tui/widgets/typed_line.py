"""TypedLine: the columns of the characters in a field."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A line as it is drawn, one piece a character, and the column where each starts.

    A piece may take several cells (a control character is spelled out) or none (a combining mark).
    """

    pieces: Sequence[str]
    columns: Sequence[int]  # one more than pieces: the last is the width of the whole line

    @classmethod
    def of(cls, pieces: Sequence[str]) -> TypedLine:
        """Return the line of these pieces."""
        # An array: for a long paste a list would take megabytes.
        return cls(pieces, array("L", accumulate(map(cell_len, pieces), initial=0)))

    @property
    def width(self) -> int:
        """The cells that the whole line takes."""
        return self.columns[-1]

    def text(self, start: int, end: int) -> str:
        """Return the text between two characters."""
        return "".join(self.pieces[start:end])

    def after(self, index: int) -> int:
        """Return the next cursor position, after a character and its combining marks."""
        last = len(self.pieces)
        index = min(index + 1, last)
        while index < last and self.columns[index + 1] == self.columns[index]:
            index += 1
        return index

    def before(self, index: int) -> int:
        """Return the previous cursor position."""
        index = max(index - 1, 0)
        while index > 0 and self.columns[index + 1] == self.columns[index]:
            index -= 1
        return index

    def at(self, column: int) -> int:
        """Return the index of the character in a column, or of the end."""
        return bisect_right(self.columns, max(column, 0)) - 1

    def cursor_cells(self, cursor: int) -> tuple[int, int]:
        """Return the first column of the cursor, and the one after it: it covers a character."""
        first = self.columns[cursor]
        if cursor == len(self.pieces):
            return first, first + 1
        return first, self.columns[self.after(cursor)]

    def first_column(self, before: int, cursor: int, width: int, margin: int) -> int:
        """Return the first column to draw, as close to the last one as the cursor allows.

        Args:
            before: the first column of the last drawing.
            cursor: the character to keep in sight.
            width: in cells.
            margin: cells of an ellipsis at either end.
        """
        total = self.width + 1  # the cursor may stand behind the end
        if total <= width:
            return 0
        start, end = self.cursor_cells(cursor)
        right = margin if end < self.width else 0
        if width < margin + right + end - start:
            return start  # no room for anything else
        # At the left nothing is cut if the ellipsis would cover the cursor.
        latest = start - margin if start > margin else 0
        first = min(max(before, end + right - width), latest)
        return max(min(first, total - width), 0)


def with_ellipses(strip: Strip, ellipsis: str, own: Style, first: int, total: int) -> Strip:
    """Put ellipses where a line continues, if there is room beside them.

    Args:
        strip: the visible part of the line.
        ellipsis: for this terminal.
        own: its style.
        first: the first column that is drawn.
        total: the width of the whole line.
    """
    width, margin = strip.cell_length, cell_len(ellipsis)
    if width <= 3 * margin:
        return strip
    sign = Strip([Segment(ellipsis, own)])
    if first > 0:
        strip = Strip.join([sign, strip.crop(margin, width)])
    if first + width < total:
        strip = Strip.join([strip.crop(0, width - margin), sign])
    return strip
