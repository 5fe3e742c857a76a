"""A listing: the animals that stand on the list screen, and how they came there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from pettui.client import UnreadablePet
from pettui.settings import LIMIT_MAXIMUM

if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from datetime import datetime

    from pettui.client import Notice, PetPage
    from pettui.models import Pet

LARGER_STEP = 20


class Mark(Enum):
    """What is different about a row since the clerk last asked for it by hand."""

    NEW = "new"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Row:
    """One element of a list: an animal, or something that could not be read as one."""

    element: Pet | UnreadablePet
    mark: Mark | None = None

    @property
    def pet(self) -> Pet | None:
        """The animal; None where the element is none."""
        return None if isinstance(self.element, UnreadablePet) else self.element

    @property
    def pet_id(self) -> int | None:
        """The animal's id; None where the element is no animal."""
        return None if isinstance(self.element, UnreadablePet) else self.element.id


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
    def is_at_maximum(self) -> bool:
        """Say whether this is as much as one list of the interface can hold, with no link on."""
        is_largest = self.question.limit == LIMIT_MAXIMUM
        return is_largest and self.goes_on and not self.has_next_link

    @property
    def goes_on(self) -> bool:
        """Say whether the service may have more than these."""
        is_full = len(self.pages) == 1 and len(self.rows) >= self.question.limit
        return self.has_next_link or is_full

    def larger_limit(self, than: int) -> int | None:
        """Give the next limit to ask for where there is no link; None where that is no use."""
        if self.has_next_link or not self.goes_on or than >= LIMIT_MAXIMUM:
            return None
        return min((than // LARGER_STEP + 1) * LARGER_STEP, LIMIT_MAXIMUM)

    @property
    def beyond_limit(self) -> int:
        """How many more rows the first page has than were asked for."""
        return max(len(self.pages[0].rows) - self.question.limit, 0)

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
    question: Question,
    pages: tuple[PetPage, ...],
    at: datetime,
    before: Listing | None,
    *,
    added: Container[int] = (),
    keeps_marks: bool = False,
) -> Listing:
    """Give the listing of an answer, with what is new or changed since the one before.

    Marks are made when the same question was asked before; another status has nothing to be
    compared with.

    Args:
        question: what was asked.
        pages: what was answered.
        at: when.
        before: what stood there until then.
        added: ids that are new in a first answer.
        keeps_marks: marks stay that the rows have; otherwise they go, as by the clerk's own hand.
    """
    rows = tuple(Row(element) for page in pages for element in page.rows)
    if before is None:
        rows = tuple(replace(r, mark=Mark.NEW) if r.pet_id in added else r for r in rows)
    elif before.question.status == question.status:
        rows = _marked(rows, before)
        rows = _with_marks_of(before, rows) if keeps_marks else rows
    asked = replace(question, pages=len(pages))
    return Listing(asked, pages, rows, at)


def _marked(rows: tuple[Row, ...], before: Listing) -> tuple[Row, ...]:
    """Mark what is new or changed.

    What stands behind the last known row of a list that went on further is no news: it was there
    before, and was only not asked for.
    """
    known = {pet.id: pet for pet in before.pets}
    last = max((place for place, row in enumerate(rows) if row.pet_id in known), default=len(rows))
    return tuple(
        row if before.goes_on and place > last else replace(row, mark=_mark(row, known))
        for place, row in enumerate(rows)
    )


def _with_marks_of(before: Listing, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Return rows with the marks that they had; what is new stays new when it changes too."""
    marks = {row.pet_id: row.mark for row in before.rows if row.mark is not None}
    return tuple(
        replace(row, mark=mark)
        if row.pet is not None and (mark := marks.get(row.pet_id)) and row.mark is not Mark.NEW
        else row
        for row in rows
    )


def _mark(row: Row, known: Mapping[int, Pet]) -> Mark | None:
    if row.pet is None:
        return None
    before = known.get(row.pet.id)
    if before is None:
        return Mark.NEW
    return None if row.pet == before else Mark.CHANGED
