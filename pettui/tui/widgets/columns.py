"""The columns of the table, and their widths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from pettui.rows import Column, pets_of
from pettui.statuses import WIDEST_WORD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.rows import Element

WORD_FROM = 60  # cells of the screen; below, a status is only its glyph
NAMED_FROM = 80  # below, a category is only its number

GAP = 2
SIGNS = 3  # cells: cursor, change, mark
ID_MINIMUM = 4
NAME_MINIMUM = 8
# Where the name column ends, unless a name is longer: wide gaps are hard to read across.
NAME_END = 40
STATUS_MAXIMUM = 14  # of a status unknown to this version


@dataclass(frozen=True, slots=True)
class Columns:
    """The cells of each column, without the gaps; ``status`` counts glyph, space and word."""

    id: int
    name: int
    category: int
    status: int
    named: bool  # categories with their names
    worded: bool  # statuses with their words

    def column_at(self, x: int) -> Column:
        """Return the column at a cell of the header; a gap belongs to the column before it."""
        right = SIGNS
        for column, width in zip(Column, (self.id, self.name, self.category), strict=False):
            right += width + GAP
            if x < right:
                return column
        return Column.STATUS


@dataclass(frozen=True, slots=True)
class Contents:
    """The width of the widest text of each column, in cells."""

    id: int = ID_MINIMUM
    name: int = NAME_MINIMUM
    category: int = len("Cat")  # only its number
    named_category: int = len("Category ▲")
    status: int = WIDEST_WORD
    has_more: bool = False  # a row has something that no column shows

    def union(self, other: Contents) -> Contents:
        """Return the larger of each."""
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
    """Measure the columns of rows; call it only for new rows, since it reads each of them.

    Args:
        rows: of the list.
        category_name: returns the profile's name of a category.
        name_width: returns the cells of an animal's name as it is drawn.
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
    ).union(Contents())


def _is_cut_status(status: str) -> bool:
    """Whether an unknown status may be wider than its column."""
    return len(status) > STATUS_MAXIMUM or not (status.isascii() and status.isprintable())


def columns_for(contents: Contents, width: int, screen_width: int) -> Columns:
    """Divide a width among the columns; the name gets what the others leave."""
    named, worded = screen_width >= NAMED_FROM, screen_width >= WORD_FROM
    category = contents.named_category if named else contents.category
    status = 2 + contents.status if worded else 1
    room = width - SIGNS - contents.id - 3 * GAP - status - 1
    category = max(min(category, max(room // 2, 8), room - NAME_MINIMUM), 3)
    wanted = max(contents.name, NAME_END - SIGNS - contents.id - GAP)
    name = max(min(room - category, wanted), 1)
    return Columns(contents.id, name, category, status, named, worded)


def shows_all(contents: Contents, width: int, screen_width: int) -> bool:
    """Whether columns of this width show everything about the rows."""
    columns = columns_for(contents, width, screen_width)
    is_name_whole = contents.name <= columns.name
    is_category_whole = columns.named and contents.named_category <= columns.category
    return is_name_whole and is_category_whole and columns.worded and not contents.has_more
