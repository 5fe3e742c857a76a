"""Rows: which of the loaded animals are shown, and in which order.

Each result keeps what the next one can reuse: an animal is folded once. Nothing is cached anywhere
else: to find and sort 10,000 rows anew takes some ten milliseconds.
"""

from __future__ import annotations

import re
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pettui.models.pets import UnreadablePet
from pettui.rows.columns import COLUMNS, FoldedPet, folded_pet
from pettui.rows.find_terms import terms_of, words_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pettui.models.pets import Pet
    from pettui.rows.columns import CategoryName, Column, Key
    from pettui.rows.find_terms import Term

    Element: TypeAlias = Pet | UnreadablePet

_BLANKS: Final = re.compile(r"\s+")


class SortedBy(NamedTuple):
    """A column, and which end of it comes first."""

    column: Column
    is_descending: bool = False

    def reversed(self) -> SortedBy:
        """Return the other direction."""
        return self._replace(is_descending=not self.is_descending)


class RowView(NamedTuple):
    """Which rows, and in which order."""

    words: str = ""  # as typed: the line of a find
    order: tuple[SortedBy, ...] = ()  # the second for what is equal in the first; () the service's
    only: frozenset[int] | None = None  # ids of the animals to show; None for all

    def with_words(self, words: str) -> RowView:
        """Return the view that finds these words."""
        return self._replace(words=words)

    def with_only(self, ids: frozenset[int] | None) -> RowView:
        """Return the view of these animals; None for all."""
        return self._replace(only=ids)

    @property
    def is_narrowed(self) -> bool:
        """Whether it may leave rows out."""
        return bool(self.words) or self.only is not None

    def widened(self) -> RowView:
        """Return the view without its words or, if it has none, of all animals."""
        return self.with_words("") if self.words else self.with_only(None)

    def by_next_column(self) -> RowView:
        """Return the view sorted by the next column; after the last, in the service's order."""
        columns = (None, *COLUMNS, None)
        column = self.order[0].column if self.order else None
        return self.by(columns[columns.index(column) + 1])

    def reversed(self) -> RowView:
        """Return the view in the other direction; the service's own order has only one."""
        return self._replace(order=(*(each.reversed() for each in self.order[:1]), *self.order[1:]))

    def by(self, column: Column | None) -> RowView:
        """Return the view sorted by a column, or reversed if it was already; None: not sorted."""
        if self.order and self.order[0].column is column:
            return self.reversed()
        return self._replace(order=() if column is None else (SortedBy(column),))

    def then_by(self, column: Column | None) -> RowView:
        """Return the view with a second column, or reversed in that; None: without one."""
        first, second = self.order[:1], self.order[1:]
        if column is None:
            return self._replace(order=first)
        if not first or first[0].column is column:
            return self._replace(order=first).by(column)
        again = (second[0].reversed(),) if second and second[0].column is column else None
        return self._replace(order=(*first, *(again or (SortedBy(column),))))


UNREADABLE: Final = FoldedPet("", "", "")  # contains no word


class ShownRows(NamedTuple):
    """The rows that a view shows of the loaded ones."""

    view: RowView = RowView()
    loaded: tuple[Element, ...] = ()  # in the service's order
    folded: tuple[FoldedPet, ...] = ()  # of each loaded one
    order: Sequence[int] = ()  # of all loaded rows, by the view's column
    terms: tuple[Term, ...] = ()  # of the find
    words: Mapping[Column, tuple[str, ...]] = MappingProxyType({})  # of the find, folded
    indexes: Sequence[int] = ()  # of the rows that are shown, in order

    @property
    def elements(self) -> tuple[Element, ...]:
        """The rows that are shown, from top to bottom."""
        return tuple(map(self.loaded.__getitem__, self.indexes))

    @property
    def is_narrowed(self) -> bool:
        """Whether rows are left out; a blank or a lone accent is no word, and leaves none out."""
        return bool(self.terms) or self.view.only is not None


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
    folded, order = earlier.folded, earlier.order
    if is_other := loaded is not earlier.loaded:
        known = dict(zip(map(id, earlier.loaded), earlier.folded, strict=True))
        folded = tuple(known.get(id(row)) or _folded(row, category_name) for row in loaded)
    if is_other or view.order != earlier.view.order:
        order = ordered(loaded, folded, view.order)
    terms = terms_of(view.words)
    indexes = order
    for term in terms:
        indexes = _matching(term, indexes, loaded, folded, category_name)
    if view.only is not None:
        indexes = [index for index in indexes if id_of(loaded[index]) in view.only]
    words = {column: words_in(terms, column) for column in COLUMNS}
    return ShownRows(view, loaded, folded, order, terms, words, indexes)


def _folded(row: Element, category_name: CategoryName) -> FoldedPet:
    return UNREADABLE if isinstance(row, UnreadablePet) else folded_pet(row, category_name)


def id_of(element: Element | None) -> int | None:
    """Return the id of an animal; None for an unreadable row or no row."""
    return None if element is None or isinstance(element, UnreadablePet) else element.id


def pets_of(elements: Iterable[Element]) -> list[Pet]:
    """Return the animals among the elements."""
    return [row for row in elements if not isinstance(row, UnreadablePet)]


def _matching(
    term: Term,
    indexes: Sequence[int],
    elements: Sequence[Element],
    folded: Sequence[FoldedPet],
    category_name: CategoryName,
) -> Sequence[int]:
    """Return the indexes of the rows that a term finds or, excluded, leaves; in the same order."""
    text, column = term.text, term.column
    found: Sequence[int] = indexes
    if column is not None and (folded_of := column.folded) is not None:
        text = _BLANKS.sub(" ", text)
        found = [index for index in indexes if text in folded_of(folded[index])]
    elif text:
        found = [index for index in indexes if text in folded[index].text]
    if column is not None and column.folded is None:
        value, is_meant = column.value, term.test(category_name)
        pets = ((index, elements[index]) for index in found)
        found = [
            index
            for index, pet in pets
            if not isinstance(pet, UnreadablePet) and is_meant(value(pet))
        ]
    if not term.is_excluded:
        return found
    left_out = frozenset(found)
    return [index for index in indexes if index not in left_out]


def ordered(
    elements: Sequence[Element], folded: Sequence[FoldedPet], order: Sequence[SortedBy]
) -> Sequence[int]:
    """Return the indexes sorted by columns; the sort is stable.

    Rows without a value come last in both directions, and unreadable rows after them.
    """
    indexes: Sequence[int] = range(len(elements))
    for column, is_descending in reversed(order):
        keys: dict[int, Key] = {}
        groups: tuple[list[int], ...] = ([], [], [])  # present, missing, unreadable
        for index in indexes:
            if isinstance(pet := elements[index], UnreadablePet):
                groups[2].append(index)
            elif (key := column.sort_key(column.value(pet), folded[index])) is None:
                groups[1].append(index)
            else:
                keys[index] = key
                groups[0].append(index)
        groups[0].sort(key=keys.__getitem__, reverse=is_descending)
        indexes = [*chain.from_iterable(groups)]
    return indexes
