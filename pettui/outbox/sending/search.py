"""Finds the animal of an entry whose response was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.outbox.entries import UNKNOWN
from pettui.outbox.lost_adds import find_lost_add, is_newest_first

if TYPE_CHECKING:
    from pettui.client import OnWait, PetClient
    from pettui.models import Pet
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
    # Where ids do not fall, they say nothing about age.
    after_id = entry.after_id if is_newest_first(page.pets) else None
    pet = find_lost_add(entry, page.pets, others, after_id)
    if pet is not None:
        still = cache.entry(key, UNKNOWN)
        await cache.record(still, still.added_as(pet))
    return pet
