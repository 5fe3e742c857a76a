"""The cursor of a table: which row it is on, also after other rows are shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence


Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The cursor's row, and what makes it the same row elsewhere."""

    index: int = 0  # also 0 where there are no rows
    identity: Hashable = None  # while there are no rows, of the one that it was on last


def cursor_at(index: int, rows: Sequence[Row], identity_of: Callable[[Row], Hashable]) -> Cursor:
    """Return a cursor on the row at an index, or on the nearest row to that."""
    if not rows:
        return Cursor()
    index = max(0, min(index, len(rows) - 1))
    return Cursor(index, identity_of(rows[index]))


def moved_cursor(
    cursor: Cursor,
    before: Sequence[Row],
    after: Sequence[Row],
    identity_of: Callable[[Row], Hashable],
) -> Cursor:
    """Return the cursor in the rows after a find, a sort, a filter, a refresh or a page.

    It stays on its row. If that is gone, it moves to the nearest former row that is still shown; of
    two at the same distance to the lower one, which moves up. If none is, it keeps its index.
    """
    if not after:
        return replace(cursor, index=0)
    here = slice(cursor.index, cursor.index + 1)
    if before[here] and after[here] and before[cursor.index] is after[cursor.index]:
        return cursor_at(cursor.index, after, identity_of)
    identities = [*map(identity_of, after)]
    shown = set(identities)
    if not before and cursor.identity in shown:
        return Cursor(identities.index(cursor.identity), cursor.identity)
    for row in _nearest_first(cursor.index, len(before)):
        if (identity := identity_of(before[row])) in shown:
            return Cursor(identities.index(identity), identity)
    return cursor_at(cursor.index, after, identity_of)


def _nearest_first(index: int, count: int) -> Iterator[int]:
    """Yield the indexes of so many rows, the nearest to an index first."""
    for distance in range(count):
        for each in (index + distance, index - distance):
            if 0 <= each < count:
                yield each
