"""The cursor of a list: which row it is on, also after other rows are shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from pettui.client import UnreadablePet
from pettui.rows import id_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pettui.rows import Element
    from pettui.tui.lists.merging import Marks

    Identity: TypeAlias = int | UnreadablePet


@dataclass(frozen=True, slots=True)
class Cursor:
    """The cursor's row, and the animal there."""

    index: int = 0  # also 0 where there are no rows
    pet_id: int | None = None  # while there are no rows, the animal that it was on last


def cursor_at(index: int, rows: Sequence[Element]) -> Cursor:
    """Return a cursor on the row at an index, or on the nearest row to that."""
    if not rows:
        return Cursor()
    index = max(0, min(index, len(rows) - 1))
    row = rows[index]
    return Cursor(index, None if isinstance(row, UnreadablePet) else row.id)


def moved_cursor(cursor: Cursor, before: Sequence[Element], after: Sequence[Element]) -> Cursor:
    """Return the cursor in the rows after a find, a sort, a filter, a refresh or a page.

    It stays on its animal. If that is gone, it moves to the nearest former row that is still shown;
    of two at the same distance to the lower one, which moves up. If none is, it keeps its index.
    """
    if not after:
        return replace(cursor, index=0)
    here = slice(cursor.index, cursor.index + 1)
    if before[here] and after[here] and before[cursor.index] is after[cursor.index]:
        return cursor_at(cursor.index, after)
    identities = [*map(_identity, after)]
    shown = set(identities)
    for identity, row in _nearest_first(cursor, before):
        if identity in shown:
            indexes = [index for index, each in enumerate(identities) if each == identity]
            return cursor_at(_index_of(row, indexes, before, after), after)
    return cursor_at(cursor.index, after)


def next_new_or_changed(index: int, rows: Sequence[Element], marks: Marks, step: int) -> int | None:
    """Return the index of the next or previous new or changed row, wrapping round; None for none.

    Args:
        index: the cursor's.
        rows: the rows that are shown.
        marks: of the loaded rows.
        step: 1 for the next one, -1 for the previous one.
    """
    marked = marks.new | marks.changed
    if not marked or not rows:
        return None
    behind = range(index + step, len(rows) if step > 0 else -1, step)
    before = range(index + 1) if step > 0 else range(len(rows) - 1, index - 1, -1)
    return next((i for i in chain(behind, before) if id_of(rows[i]) in marked), None)


def _identity(element: Element) -> Identity:
    """Return what makes two rows the same: the animal's id, or the whole of an unreadable row."""
    return element if isinstance(element, UnreadablePet) else element.id


def _nearest_first(
    cursor: Cursor, before: Sequence[Element]
) -> Iterator[tuple[Identity, int | None]]:
    """Yield the identities and indexes of the rows around the cursor, the nearest first.

    Where there are no rows, yield the animal that it was on last, without an index.
    """
    if cursor.pet_id is not None and not before:
        yield cursor.pet_id, None
    for distance in range(len(before)):
        for index in (cursor.index + distance, cursor.index - distance):
            if 0 <= index < len(before):
                yield _identity(before[index]), index


def _index_of(
    row: int | None, indexes: Sequence[int], before: Sequence[Element], after: Sequence[Element]
) -> int:
    """Return which of some indexes a row moved to; an animal that is listed twice has two."""
    if row is None or len(indexes) == 1:
        return indexes[0]
    same = [index for index in indexes if after[index] is before[row]]
    twice = sum(_identity(each) == _identity(before[row]) for each in before[:row])
    return same[0] if len(same) == 1 else indexes[min(twice, len(indexes) - 1)]
