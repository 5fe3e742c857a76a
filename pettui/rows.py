"""Rows: which of the loaded animals are shown, and in which order.

Each result keeps what the next one can reuse: an animal is folded once, a new page is sorted in,
and a longer word only searches the rows that were found. Nothing is cached anywhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import chain
from operator import is_
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from pettui.client import UnreadablePet
from pettui.finding import Span, fold, folded_words, found_spans
from pettui.models import PetStatus
from pettui.statuses import status_word

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pettui.models import Pet

    Element: TypeAlias = Pet | UnreadablePet
    Key: TypeAlias = tuple[int, str, str]
    Rank: TypeAlias = tuple[int, Key]

FEW: Final = 16  # new rows are few if there are this many times as many sorted ones
_NO_KEY: Final = (0, "", "")
_STATUSES: Final[Mapping[str, Key]] = MappingProxyType(
    {status: (index, "", "") for index, status in enumerate(PetStatus)}
)


class Column(Enum):
    """A column that rows can be sorted by, from left to right."""

    ID = "id"
    NAME = "name"
    CATEGORY = "category"
    STATUS = "status"


class Direction(Enum):
    """Which end of a column comes first."""

    ASCENDING = "ascending"
    DESCENDING = "descending"

    @property
    def opposite(self) -> Direction:
        """The other direction."""
        return Direction.DESCENDING if self is Direction.ASCENDING else Direction.ASCENDING


@dataclass(frozen=True, slots=True)
class RowView:
    """Which rows, and in which order."""

    words: str = ""  # as typed: a row must contain each of them
    column: Column | None = None  # None is the service's own order
    direction: Direction = Direction.ASCENDING

    @property
    def is_sorted(self) -> bool:
        """Whether the order is not the service's own."""
        return self.column is not None

    def with_words(self, words: str) -> RowView:
        """Return the view that finds these words."""
        return replace(self, words=words)

    def by_next_column(self) -> RowView:
        """Return the view sorted by the next column; after the last, in the service's order."""
        columns = (None, *Column, None)
        return self._by(columns[columns.index(self.column) + 1])

    def reversed(self) -> RowView:
        """Return the view in the other direction; the service's own order has only one."""
        if self.column is None:
            return self
        return replace(self, direction=self.direction.opposite)

    def by(self, column: Column) -> RowView:
        """Return the view sorted by a clicked column; a second click reverses it."""
        return self.reversed() if column is self.column else self._by(column)

    def _by(self, column: Column | None) -> RowView:
        return replace(self, column=column, direction=Direction.ASCENDING)


_NOWHERE: Final[tuple[Span, ...]] = ()


@dataclass(frozen=True, slots=True)
class FoldedElement:
    """The searchable texts of a row, folded once."""

    text: str  # name, id, category's number and name, status; one a line: no word spans two
    name: str  # to sort by: white space of any length is one blank


UNREADABLE: Final = FoldedElement("", "")  # contains no word


@dataclass(frozen=True, slots=True)
class Highlights:
    """Where words were found in a row."""

    id: tuple[Span, ...] = _NOWHERE  # in its digits
    name: tuple[Span, ...] = _NOWHERE
    category_id: tuple[Span, ...] = _NOWHERE  # in its digits
    category_name: tuple[Span, ...] = _NOWHERE
    status: tuple[Span, ...] = _NOWHERE  # in its word


NOTHING_FOUND: Final = Highlights()


@dataclass(frozen=True, slots=True)
class ShownRows:
    """The rows that a view shows of the loaded ones."""

    view: RowView = field(default_factory=RowView)
    loaded: tuple[Element, ...] = field(default=(), repr=False)  # in the service's order
    folded: tuple[FoldedElement, ...] = field(default=(), repr=False)  # of each loaded one
    order: Sequence[int] = field(default=(), repr=False)  # of all loaded rows, by the view's column
    words: tuple[str, ...] = ()  # folded
    indexes: Sequence[int] = field(default=(), repr=False)  # of the rows that are shown, in order

    @property
    def elements(self) -> tuple[Element, ...]:
        """The rows that are shown, from top to bottom."""
        return tuple(map(self.loaded.__getitem__, self.indexes))

    @property
    def is_narrowed(self) -> bool:
        """Whether rows are filtered by words; a blank or a lone accent is no word."""
        return bool(self.words)


def shown_rows(
    loaded: Sequence[Element],
    view: RowView,
    category_name: Callable[[int], str],
    before: ShownRows | None = None,
) -> ShownRows:
    """Return the rows that a view shows.

    Args:
        loaded: all rows, in the service's order.
        view: which of them, in which order.
        category_name: returns the shop's own name of a category, always the same in a session.
        before: an earlier result, of any rows; it only saves time.
    """
    earlier = before or ShownRows()
    loaded = tuple(loaded)
    is_continued = _begins_with(loaded, earlier.loaded)
    folded = _folded(loaded, category_name, earlier, is_continued=is_continued)
    is_same_order = (view.column, view.direction) == (earlier.view.column, earlier.view.direction)
    sorted_before = earlier if is_continued and is_same_order else ShownRows()
    has_more = len(loaded) > len(sorted_before.loaded)
    order = _order(loaded, folded, view, sorted_before) if has_more else sorted_before.order
    words = folded_words(view.words)
    is_narrower = not has_more and narrows(words, sorted_before.words)
    looked_at = sorted_before.indexes if is_narrower else order
    return ShownRows(view, loaded, folded, order, words, matching(looked_at, folded, words))


def _begins_with(loaded: tuple[Element, ...], earlier: tuple[Element, ...]) -> bool:
    return len(loaded) >= len(earlier) and all(map(is_, earlier, loaded))


def _folded(
    loaded: tuple[Element, ...],
    category_name: Callable[[int], str],
    earlier: ShownRows,
    *,
    is_continued: bool,
) -> tuple[FoldedElement, ...]:
    if is_continued:
        new = loaded[len(earlier.loaded) :]
        return earlier.folded + tuple(_fold_one(each, {}, category_name) for each in new)
    same = dict(zip(map(id, earlier.loaded), earlier.folded, strict=True))
    ids = {
        each.id for each in loaded if id(each) not in same and not isinstance(each, UnreadablePet)
    }
    known = {
        each.id: (each, folded)
        for each, folded in zip(earlier.loaded, earlier.folded, strict=True)
        if not isinstance(each, UnreadablePet) and each.id in ids
    }
    return tuple(
        same[id(each)] if id(each) in same else _fold_one(each, known, category_name)
        for each in loaded
    )


def _fold_one(
    element: Element,
    known: Mapping[int, tuple[Pet, FoldedElement]],
    category_name: Callable[[int], str],
) -> FoldedElement:
    if isinstance(element, UnreadablePet):
        return UNREADABLE
    pet, folded = known.get(element.id, (None, UNREADABLE))
    if pet is not None and _has_same_texts(pet, element):
        return folded
    return folded_pet(element, category_name)


def _has_same_texts(one: Pet, other: Pet) -> bool:
    return (one.name, one.category_id, one.status) == (other.name, other.category_id, other.status)


def _order(
    loaded: tuple[Element, ...],
    folded: tuple[FoldedElement, ...],
    view: RowView,
    sorted_before: ShownRows,
) -> Sequence[int]:
    if view.column is None:
        return range(len(loaded))
    return sorted_in(sorted_before.order, loaded, folded, view.column, view.direction)


def id_of(element: Element | None) -> int | None:
    """Return the id of an animal; None for an unreadable row or no row."""
    return None if element is None or isinstance(element, UnreadablePet) else element.id


def pets_of(elements: Iterable[Element]) -> list[Pet]:
    """Return the animals among the elements."""
    return [row for row in elements if not isinstance(row, UnreadablePet)]


def highlights(
    element: Element, words: Collection[str], category_name: Callable[[int], str]
) -> Highlights:
    """Return where the folded words are in a row; slow, so only for rows that are drawn."""
    if not words or isinstance(element, UnreadablePet):
        return NOTHING_FOUND
    return Highlights(
        id=found_spans(str(element.id), words),
        name=found_spans(element.name, words),
        category_id=found_spans(str(element.category_id), words),
        category_name=found_spans(category_name(element.category_id), words),
        status=found_spans(status_word(element.status), words),
    )


def folded_pet(pet: Pet, category_name: Callable[[int], str]) -> FoldedElement:
    """Return the folded texts of an animal."""
    name = fold(pet.name)
    status = fold(status_word(pet.status))
    category = fold(category_name(pet.category_id))
    text = f"{name}\n{pet.id}\n{pet.category_id}\n{category}\n{status}"
    return FoldedElement(text, " ".join(name.split()))


def narrows(words: Collection[str], before: Collection[str]) -> bool:
    """Whether rows that contain these words are among those that contain the earlier ones."""
    return all(any(earlier in word for word in words) for earlier in before)


def matching(
    indexes: Sequence[int], folded: Sequence[FoldedElement], words: Collection[str]
) -> Sequence[int]:
    """Return the indexes whose rows contain all words, in the same order."""
    for word in words:
        indexes = [index for index in indexes if word in folded[index].text]
    return indexes


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
