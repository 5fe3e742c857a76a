"""Which columns a width has room for, and how wide each is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pettui.tui.listing import Row

WORD_FROM = 60  # cells of the screen: below, the status is its glyph alone
NAMED_FROM = 80  # below, the category is its number alone

GAP = 2
SIGNS = 3  # cursor, mark, and a space before the id
ID_MINIMUM = 4
NAME_MINIMUM = 8


@dataclass(frozen=True, slots=True)
class Columns:
    """The cells of each column, without the gaps; ``status`` counts glyph, space and word."""

    id: int
    name: int
    category: int
    status: int
    named: bool  # categories with the shop's names
    worded: bool  # statuses with their words


def columns_for(
    rows: Iterable[Row], width: int, screen_width: int, category_name: Callable[[int], str]
) -> Columns:
    """Divide a width: the numbers whole, the rest to the name."""
    named, worded = screen_width >= NAMED_FROM, screen_width >= WORD_FROM
    ids, categories, statuses = {""}, {"Category" if named else "Cat"}, {"not set", "available"}
    for row in rows:
        if row.pet is not None:
            ids.add(str(row.pet.id))
            name = category_name(row.pet.category_id) if named else ""
            categories.add(f"{row.pet.category_id} {name}".rstrip())
            statuses.add((row.pet.status or "")[:14])
    id_width = max(ID_MINIMUM, *map(len, ids))
    category = max(map(cell_len, categories))
    status = 2 + max(map(len, statuses)) if worded else 1
    room = width - SIGNS - id_width - 3 * GAP - status - 1
    category = max(min(category, max(room // 2, 8), room - NAME_MINIMUM), 3)
    return Columns(id_width, max(room - category, 1), category, status, named, worded)
