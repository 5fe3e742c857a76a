"""Sorting rows by a column, as people expect it and the same on every machine."""

from __future__ import annotations

from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from pettui.client import UnreadablePet
from pettui.models import PetStatus
from pettui.presentation.rows.folding import fold
from pettui.presentation.rows.row_view import Column, Direction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pettui.models import Pet
    from pettui.presentation.rows.finding import FoldedElement
    from pettui.presentation.rows.row_view import Element

    Key: TypeAlias = tuple[int, str, str]
    Rank: TypeAlias = tuple[int, Key]

FEW: Final = 16  # new rows are few if there are this many times as many sorted ones
_NO_KEY: Final = (0, "", "")
_STATUSES: Final[Mapping[str, Key]] = MappingProxyType(
    {status: (index, "", "") for index, status in enumerate(PetStatus)}
)


def ordered(
    indexes: Iterable[int],
    elements: Sequence[Element],
    folded: Sequence[FoldedElement],
    column: Column,
    direction: Direction,
) -> list[int]:
    """Return the indexes sorted by a column; the sort is stable.

    Rows without a value come last in both directions, and unreadable rows after them.
    """
    keys: dict[int, Key] = {}
    groups: tuple[list[int], ...] = ([], [], [])  # present, missing, unreadable
    for index in indexes:
        group, keys[index] = _rank(elements[index], folded[index], column)
        groups[group].append(index)
    groups[0].sort(key=keys.__getitem__, reverse=direction is Direction.DESCENDING)
    return [*chain.from_iterable(groups)]


def sorted_in(
    order: Sequence[int],
    elements: Sequence[Element],
    folded: Sequence[FoldedElement],
    column: Column,
    direction: Direction,
) -> list[int]:
    """Return an order of the first elements with the elements after them sorted in.

    The result is the same as sorting them all, and faster if the new ones are few.
    """
    new = range(len(order), len(elements))
    if len(new) * FEW > len(order):
        return ordered(chain(order, new), elements, folded, column, direction)
    merged = list(order)
    for index in new:
        rank = _rank(elements[index], folded[index], column)
        low, high = 0, len(merged)
        while low < high:
            middle = (low + high) // 2
            other = merged[middle]
            if _precedes(rank, _rank(elements[other], folded[other], column), direction):
                high = middle
            else:
                low = middle + 1
        merged.insert(low, index)
    return merged


def _precedes(one: Rank, other: Rank, direction: Direction) -> bool:
    """Whether a row comes before another one; False for equals."""
    is_reversed = direction is Direction.DESCENDING and one[0] == other[0]
    return other < one if is_reversed else one < other


def _rank(element: Element, folded: FoldedElement, column: Column) -> Rank:
    """Return a group (0: has a value, 1: has none, 2: unreadable), and the key within it."""
    if isinstance(element, UnreadablePet):
        return 2, _NO_KEY
    key = _KEYS[column](element, folded)
    return (1, _NO_KEY) if key is None else (0, key)


def _id(pet: Pet, _: FoldedElement) -> Key:
    return pet.id, "", ""


def _name(pet: Pet, folded: FoldedElement) -> Key | None:
    """Return None for a name of white space only: it is shown as no name."""
    return (0, folded.name, pet.name) if folded.name or pet.name.strip() else None


def _category(pet: Pet, _: FoldedElement) -> Key:
    return pet.category_id, "", ""


def _status(pet: Pet, _: FoldedElement) -> Key | None:
    """Return the key of a status: the interface's in its order, then unknown ones by text."""
    status = pet.status
    if status is None:
        return None
    return _STATUSES.get(status) or (len(_STATUSES), fold(status), status)


_KEYS: Final[Mapping[Column, Callable[[Pet, FoldedElement], Key | None]]] = MappingProxyType(
    {Column.ID: _id, Column.NAME: _name, Column.CATEGORY: _category, Column.STATUS: _status}
)
