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
NAME_END = 40  # where the column of names ends, unless one is longer: a row reads as a row
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
    name: int = NAME_MINIMUM
    category: int = len("Cat")  # its number alone
    named_category: int = len("Category ▲")
    status: int = len("available")  # its word
    has_more: bool = False  # a row has something that is shown in no column

    def and_of(self, other: Contents) -> Contents:
        """Return the contents of both."""
        return Contents(
            max(self.id, other.id),
            max(self.name, other.name),
            max(self.category, other.category),
            max(self.named_category, other.named_category),
            max(self.status, other.status),
            self.has_more or other.has_more,
        )


def contents_of(
    rows: Sequence[Element], category_name: Callable[[int], str], name_width: Callable[[str], int]
) -> Contents:
    """Return what rows have in their columns; for those that come, since it looks at each.

    Args:
        rows: of the list.
        category_name: the shop's own names.
        name_width: the cells of an animal's name, as it is drawn.
    """
    pets = pets_of(rows)
    if not pets:
        return Contents(has_more=len(rows) > 0)
    ids = [pet.id for pet in pets]
    categories = {pet.category_id for pet in pets}
    statuses = {pet.status or "" for pet in pets}
    has_fields = any(pet.others for pet in pets)
    named = (f"{category} {category_name(category)}".rstrip() for category in categories)
    return Contents(
        max(len(str(min(ids))), len(str(max(ids)))),
        max(map(name_width, {pet.name for pet in pets})),
        max(len(str(min(categories))), len(str(max(categories)))),
        max(map(cell_len, named)),
        max(len(status[:STATUS_MAXIMUM]) for status in statuses),
        has_fields or len(pets) < len(rows) or any(map(_is_cut_status, statuses)),
    ).and_of(Contents())


def _is_cut_status(status: str) -> bool:
    """Whether its word may be wider than its column: of an unknown one."""
    return len(status) > STATUS_MAXIMUM or not (status.isascii() and status.isprintable())


def columns_for(contents: Contents, width: int, screen_width: int) -> Columns:
    """Divide a width: the numbers whole, the rest to the name, as far as one needs it."""
    named, worded = screen_width >= NAMED_FROM, screen_width >= WORD_FROM
    category = contents.named_category if named else contents.category
    status = 2 + contents.status if worded else 1
    room = width - SIGNS - contents.id - 3 * GAP - status - 1
    category = max(min(category, max(room // 2, 8), room - NAME_MINIMUM), 3)
    wanted = max(contents.name, NAME_END - SIGNS - contents.id - GAP)
    name = max(min(room - category, wanted), 1)
    return Columns(contents.id, name, category, status, named, worded)


def shows_all(contents: Contents, width: int, screen_width: int) -> bool:
    """Whether the columns of a width show all that there is to show of the rows."""
    columns = columns_for(contents, width, screen_width)
    is_name_whole = contents.name <= columns.name
    is_category_whole = columns.named and contents.named_category <= columns.category
    return is_name_whole and is_category_whole and columns.worded and not contents.has_more
