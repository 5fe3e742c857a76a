"""Which animal of a list is the one whose answer never came."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from pettui.models import Pet
    from pettui.outbox.entries import Entry


def find_added(entry: Entry, pets: Sequence[Pet], others: Container[int]) -> Pet | None:
    """Give the animal that an unknown entry became, or None where none can be it.

    It has the entry's name and category, and its status where one was set. Of twins it is none
    that another entry became (``others``), and none that was there before the entry was typed:
    where the ids of the list grow from older to newer, those up to ``entry.after_id`` are not it.
    Of what is left it is the oldest. The list is as the service sent it.
    """
    newest_first = all(one.id > next_one.id for one, next_one in pairwise(pets))
    after = entry.after_id if newest_first else None
    candidates = [
        pet
        for pet in pets
        if (pet.name, pet.category_id) == (entry.name, entry.category_id)
        and entry.status in (None, pet.status)
        and pet.id not in others
        and (after is None or pet.id > after)
    ]
    return min(candidates, key=lambda pet: pet.id, default=None)
