"""An animal of a list that cannot be read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnreadablePet:
    """An element of a list that is not a Pet."""

    index: int  # in the list as it was sent
    reason: str  # "categoryId: must be a whole number"
    excerpt: str  # of the element's JSON, cut
