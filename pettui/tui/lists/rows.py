"""The rows of a list: merging a refreshed page into them, the cursor, and marked animals.

The interface leaves the order of a list open. Most services, ours too, list the newest first. Where
ids fall, or rise, from row to row, they show which animals a page would contain if they still
existed. In any other order only the rows that both share show that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Final, TypeAlias

from pettui.client import UnreadablePet
from pettui.columns import column_named
from pettui.models import ids_fall
from pettui.rows import Direction, RowView, ShownRows, id_of, pets_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pettui.models import Pet
    from pettui.rows import Element
    from pettui.transfer.last_lists import LastView

    Identity: TypeAlias = int | UnreadablePet


@dataclass(frozen=True, slots=True)
class Marks:
    """Ids of animals that are new or changed since the last refresh by hand."""

    new: frozenset[int] = frozenset()
    changed: frozenset[int] = frozenset()  # none of the new ones


NO_MARKS: Final = Marks()


@dataclass(frozen=True, slots=True)
class MergedRows:
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


# The order that the user left


def view_of(left: LastView) -> RowView:
    """Return a view sorted as before; an unknown column means unsorted."""
    column, then = column_named(left.column), column_named(left.then)
    if column is None:
        return RowView()
    return RowView(
        "", column, _direction(left.is_descending), then, _direction(left.then_is_descending)
    )


def _direction(is_descending: bool) -> Direction:
    return Direction.DESCENDING if is_descending else Direction.ASCENDING


def left_by(view: RowView) -> dict[str, str | bool | None]:
    """Return the fields of a LastView for a view: only what sorts it."""
    return {
        "column": None if view.column is None else view.column.name,
        "is_descending": view.direction is Direction.DESCENDING,
        "then": None if view.then is None else view.then.name,
        "then_is_descending": view.then_direction is Direction.DESCENDING,
    }


# The cursor: which row it is on, also after other rows are shown


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


# Marked animals


class MarkedPets:
    """Each as it was last loaded.

    A mark survives a refresh, a find, a sort and another filter, and counts even if the animal is
    not listed any more. A range begins at an animal and goes to the cursor, wherever that moves.
    """

    def __init__(self) -> None:
        self._pets: dict[int, Pet] = {}  # by id
        self._range_from: int | None = None  # the id of the animal where a range began
        self._before: frozenset[int] = frozenset()  # what was marked then
        self._shown = ShownRows()  # of which the hidden ones were counted
        self._hidden = 0

    @property
    def ids(self) -> frozenset[int]:
        """The ids of the marked animals."""
        return frozenset(self._pets)

    @property
    def count(self) -> int:
        """How many animals are marked, shown or not."""
        return len(self._pets)

    def toggle(self, pet: Pet) -> None:
        """Mark or unmark an animal."""
        if self._pets.pop(pet.id, None) is None:
            self._pets[pet.id] = pet
        self._shown = ShownRows()

    def add(self, pets: Iterable[Pet]) -> int:
        """Mark animals; return how many were not marked before."""
        count = len(self._pets)
        self._pets.update((pet.id, pet) for pet in pets)
        self._shown = ShownRows()
        return len(self._pets) - count

    def invert(self, pets: Iterable[Pet]) -> None:
        """Mark those of the animals that are not marked, and unmark the others."""
        ids = self.ids
        for pet in {pet.id: pet for pet in pets}.values():
            if pet.id in ids:
                del self._pets[pet.id]
            else:
                self._pets[pet.id] = pet
        self._shown = ShownRows()

    def clear(self) -> int:
        """Remove all marks; return how many there were."""
        count = len(self._pets)
        self._pets.clear()
        self._range_from = None
        return count

    @property
    def has_range(self) -> bool:
        """Whether a range goes with the cursor."""
        return self._range_from is not None

    def begin_range(self, pet: Pet) -> None:
        """Begin a range at an animal."""
        self._range_from, self._before = pet.id, self.ids
        self.add([pet])

    def extend_range(self, rows: Sequence[Element], cursor: int) -> None:
        """Let the range go to the row of the cursor; it ends if its first row is gone."""
        start = next((i for i, row in enumerate(rows) if id_of(row) == self._range_from), None)
        if start is None:
            self._range_from = None
            return
        self._pets = {pet_id: pet for pet_id, pet in self._pets.items() if pet_id in self._before}
        self.add(pets_of(rows[min(start, cursor) : max(start, cursor) + 1]))

    def end_range(self, *, keeps: bool = True) -> None:
        """End the range; keep its marks, or take them back."""
        if self._range_from is not None and not keeps:
            self._pets = {key: pet for key, pet in self._pets.items() if key in self._before}
            self._shown = ShownRows()
        self._range_from = None

    def update(self, loaded: Iterable[Pet]) -> None:
        """Replace those of the marked animals that were loaded again."""
        if self._pets:
            self._pets.update((pet.id, pet) for pet in loaded if pet.id in self._pets)

    def hidden(self, shown: ShownRows | None) -> int:
        """Return how many of the marked animals are not among the rows that are shown."""
        if not self._pets:
            return 0
        if shown is None:
            return len(self._pets)
        if shown is not self._shown:  # not for each key
            elements = map(shown.loaded.__getitem__, shown.indexes)
            found = {pet_id for each in elements if (pet_id := id_of(each)) in self._pets}
            self._shown, self._hidden = shown, len(self._pets) - len(found)
        return self._hidden

    def in_order(self, shown: ShownRows | None) -> tuple[Pet, ...]:
        """Return the marked animals: the loaded ones in the order shown, and then the others."""
        if not self._pets:
            return ()
        rows = () if shown is None else map(shown.loaded.__getitem__, shown.order)
        loaded = [pet.id for pet in pets_of(rows) if pet.id in self._pets]
        return tuple(self._pets[pet_id] for pet_id in dict.fromkeys((*loaded, *self._pets)))


def not_shown_text(hidden: int) -> str:
    """Return how many marked animals are not shown, to follow what is said of all of them."""
    return f", {hidden:,} not shown" if hidden else ""
