"""Finds the animal of an entry whose response was lost."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from pettui.outbox.entries import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from pettui.client import OnWait, PetClient
    from pettui.models import Pet
    from pettui.outbox.entries import Entry
    from pettui.outbox.entry_cache import EntryCache

LISTED: Final = 100  # animals in one list, at most


async def search(
    cache: EntryCache, key: str, client: PetClient, on_wait: OnWait | None = None
) -> Pet | None:
    """Look for what an unknown entry became among the newest of its status (listPets).

    It is ADDED where it is found, and stays UNKNOWN where it is not: the list is no proof.

    Args:
        cache: of the entry, and of the others, whose animals it cannot be.
        key: of the entry.
        client: loads the list.
        on_wait: called before each wait between two attempts.

    Raises:
        PetClientError: the list could not be loaded.
        OutboxError: the entry is no longer unknown.
    """
    from pettui.models import PetStatus  # pydantic, once it is needed

    entry = cache.entry(key, UNKNOWN)
    others = {other.pet_id for other in cache.entries if other.pet_id is not None}
    status = None if entry.status is None else PetStatus(entry.status)
    page = await client.list_pets(limit=LISTED, status=status, on_wait=on_wait)
    pet = find(entry, page.pets, others)
    if pet is not None:
        still = cache.entry(key, UNKNOWN)
        await cache.record(still, still.added_as(pet))
    return pet


def find(entry: Entry, pets: Sequence[Pet], others: Container[int]) -> Pet | None:
    """Return the animal that an unknown entry became, or None where none can be it.

    It has the entry's name and category, and its status where one was set. It is neither an animal
    of another entry nor one that existed before the entry was typed: if the ids of the list grow
    from older to newer, it is none up to ``entry.after_id``. Of several it is the oldest. The
    animals are in the order in which the service sent them.
    """
    ids_grow = all(newer.id > older.id for newer, older in pairwise(pets))
    after_id = entry.after_id if ids_grow else None
    candidates = [
        pet
        for pet in pets
        if (pet.name, pet.category_id) == (entry.name, entry.category_id)
        and entry.status in (None, pet.status)
        and pet.id not in others
        and (after_id is None or pet.id > after_id)
    ]
    return min(candidates, key=lambda pet: pet.id, default=None)
