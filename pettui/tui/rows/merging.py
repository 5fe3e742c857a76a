"""Merging: the first page asked for again, and what was loaded before → what is loaded now.

The interface leaves the order of a list open. Newest first is what services do, and ours; where ids
fall, or rise, from row to row, they tell which animals a page would hold if they were still there.
In any other order only the rows tell that the page and the loaded ones share.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Final

from pettui.client import UnreadablePet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.models import Pet
    from pettui.tui.rows.row_view import Element


@dataclass(frozen=True, slots=True)
class Marks:
    """Ids of animals that are new or changed since the clerk last asked by hand."""

    new: frozenset[int] = frozenset()
    changed: frozenset[int] = frozenset()  # none of the new ones


NO_MARKS: Final = Marks()


@dataclass(frozen=True, slots=True)
class MergedRows:
    """What is loaded after a page was merged."""

    loaded: tuple[Element, ...]
    marks: Marks
    dropped: frozenset[int]  # ids of animals that are not listed any more
    has_gap: bool  # rows may be missing below the page: merge it with the next page behind it


def merged_rows(
    loaded: Sequence[Element],
    page: Sequence[Element],
    *,
    is_whole: bool,
    went_on: bool,
    marks: Marks = NO_MARKS,
) -> MergedRows:
    """Return a first page with what was loaded below it.

    What is new comes on top, and what changed is replaced. What is loaded stays, but for that which
    the page would hold if it were still there.

    Args:
        loaded: in the service's order, its first page on top.
        page: the first page, or the first pages one after the other, as it is now.
        is_whole: nothing comes behind the page; so what it does not hold is not there any more.
        went_on: the service had more than what was loaded; what comes up from there is not new.
        marks: of what is loaded; they stay.
    """
    known = {pet.id: pet for pet in _pets(loaded)}
    listed = {pet.id for pet in _pets(page)}
    reach = len(loaded) if is_whole else _reach(loaded, page)
    below = [row for row in loaded[reach:] if _id(row) not in listed]
    shared = known.keys() & listed
    below = below if not shared else below[_unreadable_twice(page, below) :]
    dropped = frozenset(pet.id for pet in _pets(loaded[:reach])) - listed
    dropped = dropped and dropped - {pet.id for pet in _pets(below)}  # listed twice before
    return MergedRows(
        (*page, *below),
        _marks(page, known, marks, dropped, went_on=went_on),
        dropped,
        has_gap=bool(below) and not shared and not reach,
    )


def _pets(rows: Sequence[Element]) -> list[Pet]:
    return [row for row in rows if not isinstance(row, UnreadablePet)]


def _id(row: Element) -> int | None:
    return None if isinstance(row, UnreadablePet) else row.id


def _reach(loaded: Sequence[Element], page: Sequence[Element]) -> int:
    """Return how many of the loaded rows a page covers: those that it would hold."""
    ids = [pet.id for pet in _pets(page)]
    is_covered = _covers_by_id([pet.id for pet in _pets(loaded)], ids)
    if is_covered is None:
        return _reach_by_index(loaded, ids)
    reach = 0
    for index, row in enumerate(loaded, 1):
        one = _id(row)
        if one is not None and not is_covered(one):
            break
        reach = reach if one is None else index
    return reach


def _covers_by_id(loaded: Sequence[int], page: Sequence[int]) -> Callable[[int], bool] | None:
    """Return whether a page would hold an id; None where the order is not that of ids."""
    if not page:
        return None
    last = page[-1]
    if _falls(loaded) and _falls(page):
        return lambda one: one >= last
    if _falls(loaded[::-1]) and _falls(page[::-1]):
        return lambda one: one <= last
    return None


def _falls(ids: Sequence[int]) -> bool:
    return all(first >= second for first, second in pairwise(ids))


def _reach_by_index(loaded: Sequence[Element], page: Sequence[int]) -> int:
    """Return the rows up to the last that is shared; none where rows changed their order."""
    indexes = {one: index for index, row in enumerate(loaded, 1) if (one := _id(row)) is not None}
    shared = [indexes[one] for one in page if one in indexes]
    return shared[-1] if shared and _falls(shared[::-1]) else 0


def _unreadable_twice(page: Sequence[Element], below: Sequence[Element]) -> int:
    """Count the unreadable rows that end the page, and stand once more below it."""
    ending, beginning = (
        sum(1 for _ in takewhile(lambda row: isinstance(row, UnreadablePet), rows))
        for rows in (page[::-1], below)
    )
    return min(ending, beginning)


def _marks(
    page: Sequence[Element],
    known: dict[int, Pet],
    before: Marks,
    dropped: frozenset[int],
    *,
    went_on: bool,
) -> Marks:
    pets = _pets(page)
    last = max((index for index, pet in enumerate(pets) if pet.id in known), default=len(pets))
    seen = pets[: last + 1] if went_on else pets
    new = {pet.id for pet in seen if pet.id not in known}
    changed = {pet.id for pet in pets if pet.id in known and pet != known[pet.id]}
    now_new = (before.new | new) - dropped
    return Marks(now_new, (before.changed | changed) - now_new - dropped)
