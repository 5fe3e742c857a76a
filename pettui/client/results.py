"""What a call gives: a page of animals, or one animal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.client.request import Request

if TYPE_CHECKING:
    from pettui.client.notice import Notice
    from pettui.models import Pet

_NO_QUESTION: Final = Request("listPets", "GET", "", expected_status=200)


@dataclass(frozen=True, slots=True)
class UnreadablePet:
    """An element of a list that is no Pet."""

    index: int  # in the list as it was sent
    reason: str  # "categoryId: must be a whole number"
    excerpt: str  # of the element's JSON, cut


@dataclass(frozen=True, slots=True)
class PetPage:
    """The answer of listPets."""

    rows: tuple[Pet | UnreadablePet, ...]  # in the list's own order
    notices: tuple[Notice, ...]
    elapsed: float  # seconds, from sending to the last byte
    next_link: str | None  # the next page, as an absolute address of the same origin
    question: Request = _NO_QUESTION  # what was asked; the next page is asked for likewise
    remarks: tuple[str, ...] = ()  # what is odd about the answer, in words, not yet safe to draw

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The animals alone, in the list's own order."""
        return tuple(row for row in self.rows if not isinstance(row, UnreadablePet))


@dataclass(frozen=True, slots=True)
class PetAnswer:
    """The answer of createPet and getPet."""

    pet: Pet
    notices: tuple[Notice, ...]
    elapsed: float  # seconds
    remarks: tuple[str, ...] = ()  # what is odd about the answer, in words, not yet safe to draw
