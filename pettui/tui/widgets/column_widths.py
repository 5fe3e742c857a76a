"""The widths of the table's columns, by what is loaded and by the room that there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pettui.columns import CATEGORY, COLUMNS, FIELDS, NAME, STATUS, Column, Share
from pettui.rows import pets_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.columns import CategoryName
    from pettui.models import Pet
    from pettui.rows import Element

WORD_FROM = STATUS.all_from  # cells of the screen; below, a status is only its glyph
NAMED_FROM = CATEGORY.all_from  # below, a category is only its number
NAME_MINIMUM = NAME.least

GAP = 2
SIGNS = 3  # cells: cursor, change, mark
# Where the rest ends, unless a text is longer: wide gaps are hard to read across.
REST_END = 40
PART_LEAST = 8  # cells that a part may have, however little half of the room is


class PlacedColumn(NamedTuple):
    """A column in a table of some width."""

    column: Column
    width: int  # cells, without the gap
    has_all: bool  # its texts, and not only the first


Layout: TypeAlias = tuple[PlacedColumn, ...]


def column_at(layout: Layout, x: int) -> Column:
    """Return the column at a cell of the header; a gap belongs to the column before it."""
    right = SIGNS
    for column, width, _ in layout:
        right += width + GAP
        if x < right:
            return column
    return layout[-1].column


@dataclass(frozen=True, slots=True)
class Contents:
    """The cells of the widest content of each column."""

    first: tuple[int, ...] = tuple(column.least for column in COLUMNS)  # glyph or first text
    all: tuple[int, ...] = tuple(column.usual for column in COLUMNS)
    has_more: bool = False  # a row has something that no column shows

    def union(self, other: Contents) -> Contents:
        """Return the larger of each."""
        return Contents(
            tuple(map(max, self.first, other.first)),
            tuple(map(max, self.all, other.all)),
            self.has_more or other.has_more,
        )


def contents_of(
    rows: Sequence[Element], category_name: CategoryName, text_width: Callable[[str], int]
) -> Contents:
    """Measure the columns of rows; call it only for new rows, since it reads each of them.

    Args:
        rows: of the list.
        category_name: returns the profile's name of a category.
        text_width: returns the cells of a text as it is drawn.
    """
    pets = pets_of(rows)
    if not pets:
        return Contents(has_more=len(rows) > 0)
    first, most = zip(
        *(_widest(column, pets, category_name, text_width) for column in COLUMNS), strict=True
    )
    fit = tuple(min(each, column.widest) for each, column in zip(most, COLUMNS, strict=True))
    has_fields = any(pet.others and not FIELDS.issuperset(pet.others) for pet in pets)
    has_more = has_fields or len(pets) < len(rows) or fit != most
    return Contents(first, fit, has_more).union(Contents())


def _widest(
    column: Column,
    pets: Sequence[Pet],
    category_name: CategoryName,
    text_width: Callable[[str], int],
) -> tuple[int, int]:
    """Return the cells of the widest glyph or first text, and of the widest line of them all."""
    values = set(map(column.value, pets))
    if column.is_number:
        values = {min(values), max(values)}
    by_place = zip(*(column.texts(value, category_name) for value in values), strict=True)
    first, *others = ([text_width(text) for text in texts] for texts in by_place)
    gapped = ([cells and 1 + cells for cells in place] for place in others)
    most = max(map(sum, zip(first, *gapped, strict=True)))
    return (max(first), most) if column.look is None else (1, 2 + most)


def layout_for(contents: Contents, width: int, screen_width: int) -> Layout:
    """Divide a width among the columns."""
    have_all = [screen_width >= column.all_from for column in COLUMNS]
    cells = [
        most if has_all else first
        for has_all, first, most in zip(have_all, contents.first, contents.all, strict=True)
    ]
    shares = [column.share for column in COLUMNS]
    whole = sum(each for each, share in zip(cells, shares, strict=True) if share is Share.WHOLE)
    room = width - SIGNS - whole - (len(COLUMNS) - 1) * GAP - 1
    rest = shares.index(Share.REST)
    for index, column in enumerate(COLUMNS):
        if column.share is Share.PART:
            most = max(min(max(room // 2, PART_LEAST), room - COLUMNS[rest].least), column.least)
            cells[index] = min(cells[index], most)
            room -= cells[index]
    left = SIGNS + sum(cells[:rest]) + rest * GAP
    cells[rest] = max(min(room, max(cells[rest], REST_END - left)), 1)
    return tuple(map(PlacedColumn, COLUMNS, cells, have_all))


def shows_all(contents: Contents, width: int, screen_width: int) -> bool:
    """Whether columns of this width show everything about the rows."""
    layout = layout_for(contents, width, screen_width)
    fit = (
        placed.has_all and most <= placed.width
        for placed, most in zip(layout, contents.all, strict=True)
    )
    return not contents.has_more and all(fit)
