"""Which columns a width has room for, and how wide each is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from pettui.tui.rows.counting import pets_of
from pettui.tui.rows.row_view import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.tui.rows.row_view import Element

WORD_FROM = 60  # cells of the screen: below, the status is its glyph alone
NAMED_FROM = 80  # below, the category is its number alone

GAP = 2
SIGNS = 3  # cursor, mark, and a space before the id
ID_MINIMUM = 4
NAME_MINIMUM = 8
STATUS_MAXIMUM = 14  # of one that this version does not know


@dataclass(frozen=True, slots=True)
class Columns:
    """The cells of each column, without the gaps; ``status`` counts glyph, space and word."""

    id: int
    name: int
    category: int
    status: int
    named: bool  # categories with the shop's names
    worded: bool  # statuses with their words

    def column_at(self, x: int) -> Column:
        """Return the column that a cell of the head belongs to; a gap belongs to the one before."""
        right = SIGNS
        for column, width in zip(Column, (self.id, self.name, self.category), strict=False):
            right += width + GAP
            if x < right:
                return column
        return Column.STATUS


@dataclass(frozen=True, slots=True)
class Contents:
    """The cells that the widest text of each column takes."""

    id: int = ID_MINIMUM
    category: int = len("Cat")  # its number alone
    named_category: int = len("Category ▲")
    status: int = len("available")  # its word

    def and_of(self, other: Contents) -> Contents:
        """Return the contents of both."""
        return Contents(
            max(self.id, other.id),
            max(self.category, other.category),
            max(self.named_category, other.named_category),
            max(self.status, other.status),
        )


def contents_of(rows: Sequence[Element], category_name: Callable[[int], str]) -> Contents:
    """Return what rows have in their columns; for those that come, since it looks at each."""
    pets = pets_of(rows)
    if not pets:
        return Contents()
    ids = [pet.id for pet in pets]
    categories = {pet.category_id for pet in pets}
    named = (f"{category} {category_name(category)}".rstrip() for category in categories)
    return Contents(
        max(len(str(min(ids))), len(str(max(ids)))),
        max(len(str(min(categories))), len(str(max(categories)))),
        max(map(cell_len, named)),
        max(len((status or "")[:STATUS_MAXIMUM]) for status in {pet.status for pet in pets}),
    ).and_of(Contents())


def columns_for(contents: Contents, width: int, screen_width: int) -> Columns:
    """Divide a width: the numbers whole, the rest to the name."""
    named, worded = screen_width >= NAMED_FROM, screen_width >= WORD_FROM
    category = contents.named_category if named else contents.category
    status = 2 + contents.status if worded else 1
    room = width - SIGNS - contents.id - 3 * GAP - status - 1
    category = max(min(category, max(room // 2, 8), room - NAME_MINIMUM), 3)
    return Columns(contents.id, max(room - category, 1), category, status, named, worded)
