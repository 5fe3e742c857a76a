"""FirstSeen: when this user's lists had an animal for the first time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime

    from pettui.models.pets import Pet
    from pettui.remembered.seen_lists import SeenLists
    from pettui.tui.list.listing import Listing

REMEMBERED: Final = 2_000  # animals, the first that came


class FirstSeen:
    """Of this session each by its time; of earlier ones only that it was there."""

    def __init__(self, seen: SeenLists) -> None:
        self._seen = seen
        self._at: dict[int, datetime | None] = {}  # by id; None in an earlier session

    def saw(self, listing: Listing) -> None:
        """Remember the animals of a listing that came from the service."""
        if listing.is_kept:
            return
        seen = self._seen
        before = seen.before(listing.query.status, ()) if seen.has_sessions else None
        for pet in listing.pets:
            if len(self._at) >= REMEMBERED:
                return
            if pet.id not in self._at:
                is_earlier = before is not None and before.has(pet)
                self._at[pet.id] = None if is_earlier else listing.answered_at

    def is_known(self, pet: Pet) -> bool:
        """Whether it is remembered when an animal was first seen."""
        return pet.id in self._at

    def at(self, pet: Pet) -> datetime | None:
        """Return when that was; None for in an earlier session."""
        return self._at[pet.id]
