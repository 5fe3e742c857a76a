"""Counts: how many of the animals that are shown are of each category and status."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pettui.rows import ShownRows, pets_of

if TYPE_CHECKING:
    from collections.abc import Mapping


class Counts:
    """Of a longer list only the new rows are counted: all of its pages may be hundreds."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Keep no rows for the next count."""
        self._counted = ShownRows()
        self._counts: Counter[tuple[int, str | None]] = Counter()

    def of(self, shown: ShownRows) -> Mapping[tuple[int, str | None], int]:
        """Return how many of the rows that are shown are of each category and status."""
        if not shown.continues(self._counted):
            self.forget()
        new = shown.elements_from(len(self._counted.loaded))
        self._counts.update((pet.category_id, pet.status) for pet in pets_of(new))
        self._counted = shown
        return self._counts
