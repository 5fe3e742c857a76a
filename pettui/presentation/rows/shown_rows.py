"""ShownRows: which of the loaded rows are shown, and in which order.

Each result keeps what the next one can reuse: an animal is folded once, a new page is sorted in,
and a longer word only searches the rows that were found. Nothing is cached anywhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import is_
from typing import TYPE_CHECKING

from pettui.client import UnreadablePet
from pettui.presentation.rows.finding import (
    UNREADABLE,
    FoldedElement,
    folded_pet,
    folded_words,
    matching,
    narrows,
)
from pettui.presentation.rows.ordering import sorted_in
from pettui.presentation.rows.row_view import RowView

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pettui.models import Pet
    from pettui.presentation.rows.row_view import Element


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
