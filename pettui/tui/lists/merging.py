"""A refreshed page is merged into the rows of a list, and marks what is new or changed.

The interface leaves the order of a list open. Most services, ours too, list the newest first. Where
ids fall, or rise, from row to row, they show which animals a page would contain if they still
existed. In any other order only the rows that both share show that.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.client import UnreadablePet
from pettui.models import ids_fall
from pettui.rows import id_of, pets_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.models import Pet
    from pettui.rows import Element


class Marks(NamedTuple):
    """Ids of animals that are new or changed since the last refresh by hand."""

    new: frozenset[int] = frozenset()
    changed: frozenset[int] = frozenset()  # none of the new ones


NO_MARKS: Final = Marks()


class MergedRows(NamedTuple):
    """The rows after a page was merged."""

    loaded: tuple[Element, ...]
    marks: Marks
    has_gap: bool  # rows may be missing below the page: merge it together with the next page


def merged_rows(
    loaded: Sequence[Element],
    page: Sequence[Element],
    *,
    is_whole: bool,
    went_on: bool,
    marks: Marks = NO_MARKS,
) -> MergedRows:
    """Return a first page followed by the loaded rows below it.

    New rows come on top, and changed ones are replaced. Loaded rows stay, except those that the
    page would contain if they still existed.

    Args:
        loaded: in the service's order, from the first page on.
        page: the first page, or the first pages joined, as they are now.
        is_whole: no page follows, so rows that the page does not contain are gone.
        went_on: the service had more rows than were loaded; one that moves up is not new.
        marks: of the loaded rows; they stay.
    """
    known = {pet.id: pet for pet in pets_of(loaded)}
    listed = {pet.id for pet in pets_of(page)}
    reach = len(loaded) if is_whole else _reach(loaded, page)
    below = [row for row in loaded[reach:] if id_of(row) not in listed]
    shared = known.keys() & listed
    below = below if not shared else below[_unreadable_twice(page, below) :]
    merged = (*page, *below)
    return MergedRows(
        merged,
        _marks(merged, page, known, marks, went_on=went_on),
        has_gap=bool(below) and not shared and not reach,
    )


def _reach(loaded: Sequence[Element], page: Sequence[Element]) -> int:
    """Return how many of the loaded rows, from the top, a page would contain."""
    ids = [pet.id for pet in pets_of(page)]
    is_covered = _covers_by_id([pet.id for pet in pets_of(loaded)], ids)
    if is_covered is None:
        return _reach_by_index(loaded, ids)
    reach = 0
    for index, row in enumerate(loaded, 1):
        one = id_of(row)
        if one is not None and not is_covered(one):
            break
        reach = reach if one is None else index
    return reach


def _covers_by_id(loaded: Sequence[int], page: Sequence[int]) -> Callable[[int], bool] | None:
    """Return a test of whether a page would contain an id; None if ids do not set the order."""
    if not page:
        return None
    last = page[-1]
    if ids_fall(loaded) and ids_fall(page):
        return lambda one: one >= last
    if ids_fall(loaded[::-1]) and ids_fall(page[::-1]):
        return lambda one: one <= last
    return None


def _reach_by_index(loaded: Sequence[Element], page: Sequence[int]) -> int:
    """Return the number of rows up to the last shared one; 0 where rows changed their order."""
    indexes = {one: index for index, row in enumerate(loaded, 1) if (one := id_of(row)) is not None}
    shared = [indexes[one] for one in page if one in indexes]
    return shared[-1] if shared and ids_fall(shared[::-1]) else 0


def _unreadable_twice(page: Sequence[Element], below: Sequence[Element]) -> int:
    """Return how many unreadable rows end the page and are repeated below it."""
    at_end, at_start = (
        sum(1 for _ in takewhile(lambda row: isinstance(row, UnreadablePet), rows))
        for rows in (page[::-1], below)
    )
    return min(at_end, at_start)


def _marks(
    merged: Sequence[Element],
    page: Sequence[Element],
    known: dict[int, Pet],
    before: Marks,
    *,
    went_on: bool,
) -> Marks:
    """Return the marks of the merged rows; those of animals that are gone go with them."""
    pets = pets_of(page)
    last = max((index for index, pet in enumerate(pets) if pet.id in known), default=len(pets))
    seen = pets[: last + 1] if went_on else pets
    new = {pet.id for pet in seen if pet.id not in known}
    changed = {pet.id for pet in pets if pet.id in known and pet != known[pet.id]}
    listed = {pet.id for pet in pets_of(merged)}
    now_new = (before.new | new) & listed
    return Marks(now_new, ((before.changed | changed) - now_new) & listed)
