"""Counting the rows that differ from what was requested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.client import UnreadablePet

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.models import Pet
    from pettui.presentation.rows.row_view import Element


@dataclass(frozen=True, slots=True)
class Counts:
    """The rows that differ from what was requested; stored, since counting 10,000 rows is slow."""

    unreadable: int = 0
    of_another_status: int = 0
    beyond_limit: int = 0  # in the first page

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.unreadable + other.unreadable,
            self.of_another_status + other.of_another_status,
            self.beyond_limit + other.beyond_limit,
        )


NO_COUNTS: Final = Counts()


def id_of(element: Element | None) -> int | None:
    """Return the id of an animal; None for an unreadable row or no row."""
    return None if element is None or isinstance(element, UnreadablePet) else element.id


def pets_of(elements: Iterable[Element]) -> list[Pet]:
    """Return the animals among the elements."""
    return [row for row in elements if not isinstance(row, UnreadablePet)]


def counts_of(rows: Sequence[Element], status: str | None, *, beyond_limit: int = 0) -> Counts:
    """Return the counts of some rows; ``status`` is the requested one, None for all."""
    pets = pets_of(rows)
    others = 0 if status is None else sum(pet.status != status for pet in pets)
    return Counts(len(rows) - len(pets), others, beyond_limit)
