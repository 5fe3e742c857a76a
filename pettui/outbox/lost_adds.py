"""Which animal of the service's list an add became whose response was lost."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from pettui.models import NewPet, Pet
    from pettui.outbox.entries import Entry


def find_lost_add(
    sent: Entry | NewPet,
    pets: Iterable[Pet],
    others: Container[int] = (),
    after_id: int | None = None,
) -> Pet | None:
    """Return the animal that an add became, or None where none can be it.

    It has the name and category that were sent, and the status where one was. Of several it is the
    oldest.

    Args:
        sent: what was added.
        pets: of the list.
        others: ids of animals that other adds became.
        after_id: the highest id from before; None where ids do not tell older from newer.
    """
    candidates = [
        pet
        for pet in pets
        if (pet.name, pet.category_id) == (sent.name, sent.category_id)
        and sent.status in (None, pet.status)
        and pet.id not in others
        and (after_id is None or pet.id > after_id)
    ]
    return min(candidates, key=lambda pet: pet.id, default=None)


def is_newest_first(pets: Sequence[Pet]) -> bool:
    """Whether ids fall from the top of a list, so that they tell which animal is newer."""
    return all(newer.id > older.id for newer, older in pairwise(pets))
