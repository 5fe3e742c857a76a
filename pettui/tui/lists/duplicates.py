"""Duplicates: animals with the same name and category, pointed out before one is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.lists.categories import category_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pettui.models import Pet
    from pettui.outbox import Draft, Entry


class Duplicates:
    """The animals that are known to exist."""

    def __init__(self, pets: Iterable[Pet], number_of: Callable[[str], int] = category_of) -> None:
        """Index the animals; ``number_of`` parses a category as it is typed."""
        self._number_of = number_of
        self._ids = {(pet.name, pet.category_id): pet.id for pet in pets}

    def add(self, entry: Entry) -> None:
        """Add the animal of an added entry."""
        if entry.pet_id is not None:
            self._ids[entry.name, entry.category_id] = entry.pet_id

    def has(self, name: str, category_id: int) -> bool:
        """Whether an animal with this name and category exists."""
        return (name, category_id) in self._ids

    def id_of(self, draft: Draft) -> int | None:
        """Return the id of the animal that the draft would duplicate; None for none."""
        try:
            return self._ids.get((draft.name, self._number_of(draft.category)))
        except ValueError:
            return None
