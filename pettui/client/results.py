"""What a call returns: a page of animals or one animal; and what it reports before a retry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.client.errors import PetClientError
    from pettui.client.http_messages import Notice, Request
    from pettui.models import Pet


@dataclass(frozen=True, slots=True)
class UnreadablePet:
    """An element of a list that is not a Pet."""

    index: int  # in the list as it was sent
    reason: str  # "categoryId: must be a whole number"
    excerpt: str  # of the element's JSON, cut


@dataclass(frozen=True, slots=True)
class PetPage:
    """The response of listPets."""

    rows: tuple[Pet | UnreadablePet, ...]  # in the list's own order
    notices: tuple[Notice, ...]
    elapsed: float  # seconds, from sending to the last byte
    next_link: str | None  # the next page, as an absolute address of the same origin
    request: Request  # that it is the response to; the next page's is like it
    remarks: tuple[str, ...] = ()  # what is odd about the response; not yet safe to draw
    size: int = 0  # bytes of the body
    is_cut: bool = False  # the list goes on, and the rest is not loaded; a remark says why

    @property
    def is_first(self) -> bool:
        """Whether no other page of the list was loaded before it."""
        return not self.request.visited

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The animals alone, in the list's own order."""
        return tuple(row for row in self.rows if not isinstance(row, UnreadablePet))


@dataclass(frozen=True, slots=True)
class PetAnswer:
    """The response of createPet and getPet."""

    pet: Pet
    notices: tuple[Notice, ...]
    elapsed: float  # seconds
    remarks: tuple[str, ...] = ()  # what is odd about the response; not yet safe to draw


@dataclass(frozen=True, slots=True)
class PendingRetry:
    """A wait between two attempts of one call. Cancelling the call's task ends it."""

    attempt: int  # the next one, from 2
    of: int  # attempts in all
    seconds: float
    error: PetClientError  # of the attempt before: shown if the waiting is stopped

    @property
    def why(self) -> str:
        """Why the attempt before failed, in one line; not yet safe to draw."""
        return str(self.error)


OnWait: TypeAlias = "Callable[[PendingRetry], None]"  # called before each wait
