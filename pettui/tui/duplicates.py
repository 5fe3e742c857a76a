"""Duplicates: animals of one name and category, to be pointed out before the second is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.categories import category_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.models import Pet
    from pettui.outbox import Draft, Entry


class Duplicates:
    """The animals that are known to be there."""

    def __init__(self, pets: Iterable[Pet]) -> None:
        self._ids = {(pet.name, pet.category_id): pet.id for pet in pets}

    def add(self, entry: Entry) -> None:
        """Take note of an animal that was just added."""
        if entry.pet_id is not None:
            self._ids[entry.name, entry.category_id] = entry.pet_id

    def id_of(self, draft: Draft) -> int | None:
        """Give the id of an animal that the draft would be a twin of; None where it is none."""
        try:
            return self._ids.get((draft.name, category_of(draft.category)))
        except ValueError:
            return None
