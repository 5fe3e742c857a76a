"""A listing: the animals that stand on the list screen, and how they came there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from pettui.client import Notice, PetPage, UnreadablePet
    from pettui.models import Pet

LARGER_STEP = 20


class Mark(Enum):
    """What is different about a row since the answer before."""

    NEW = "new"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Row:
    """One element of an answer: an animal, or something that could not be read as one."""

    pet: Pet | None
    unreadable: UnreadablePet | None = None
    mark: Mark | None = None

    @property
    def pet_id(self) -> int | None:
        """Give the animal's id, where there is an animal."""
        return None if self.pet is None else self.pet.id


@dataclass(frozen=True, slots=True)
class Question:
    """What listPets is asked: enough to ask it again."""

    status: str | None
    limit: int
    pages: int = 1  # how many pages to load, by their next links


@dataclass(frozen=True, slots=True)
class Listing:
    """What one question gave, page by page. An append gives a new one."""

    question: Question
    pages: tuple[PetPage, ...]
    rows: tuple[Row, ...]
    answered_at: datetime

    @property
    def pets(self) -> tuple[Pet, ...]:
        """Give the animals alone, in order."""
        return tuple(row.pet for row in self.rows if row.pet is not None)

    @property
    def has_next_link(self) -> bool:
        """Say whether the service links a further page."""
        return self.pages[-1].next_link is not None

    @property
    def larger_limit(self) -> int | None:
        """Give the next limit to ask for where there is no link; None where that is no use."""
        limit = self.question.limit
        if self.has_next_link or limit >= 100 or len(self.rows) < limit:
            return None
        return min((limit // LARGER_STEP + 1) * LARGER_STEP, 100)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Give the notices of the newest answer."""
        return self.pages[-1].notices

    @property
    def elapsed(self) -> float:
        """Give the seconds that the newest answer took."""
        return self.pages[-1].elapsed

    @property
    def strangers(self) -> int:
        """Count the animals of another status than the one asked for."""
        wanted = self.question.status
        return 0 if wanted is None else sum(pet.status != wanted for pet in self.pets)

    @property
    def unreadable(self) -> int:
        """Count the rows that could not be read."""
        return sum(row.pet is None for row in self.rows)

    def count(self, mark: Mark) -> int:
        """Count the rows with a mark."""
        return sum(row.mark is mark for row in self.rows)


def listing_of(
    question: Question, pages: tuple[PetPage, ...], at: datetime, before: Listing | None
) -> Listing:
    """Give the listing of an answer, with what is new or changed since the one before.

    Marks are made when the same question was asked before; another status or a first
    answer has nothing to be compared with.
    """
    known = _known(before) if before and before.question.status == question.status else None
    last = min(known) if known else None
    rows: list[Row] = []
    for page in pages:
        rows += [_marked(row, known, last) for row in _rows(page)]
    asked = replace(question, pages=len(pages))
    return Listing(asked, pages, tuple(rows), at)


def _known(listing: Listing) -> Mapping[int, Pet]:
    return {pet.id: pet for pet in listing.pets}


def _rows(page: PetPage) -> list[Row]:
    """Give animals and unreadable elements in the order in which they were sent."""
    pets = iter(page.pets)
    unreadable = {element.place: element for element in page.unreadable}
    rows = []
    for place in range(len(page.pets) + len(unreadable)):
        if place in unreadable:
            rows.append(Row(None, unreadable[place]))
        else:
            rows.append(Row(next(pets)))
    return rows


def _marked(row: Row, known: Mapping[int, Pet] | None, last: int | None) -> Row:
    """Mark a row. One further down than all that was known is a longer list's, and not new."""
    if row.pet is None or known is None:
        return row
    before = known.get(row.pet.id)
    if before is None:
        is_further = last is not None and row.pet.id < last
        return row if is_further else replace(row, mark=Mark.NEW)
    return row if before == row.pet else replace(row, mark=Mark.CHANGED)
