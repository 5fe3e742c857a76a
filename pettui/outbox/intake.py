"""Intake: makes entries of what is typed or pasted, in the order of the calls."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.outbox.new_entries import NewEntries
from pettui.outbox.polling import forget_old

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pettui.models import NewPet
    from pettui.outbox.draft_keeper import DraftKeeper
    from pettui.outbox.entries import Entry
    from pettui.outbox.entry_cache import EntryCache


class Intake:
    """Adds animals one call after the other; what it returns is kept for good."""

    def __init__(
        self,
        cache: EntryCache,
        drafts: DraftKeeper,
        clock: Callable[[], float],
        delay: float,
        *,
        is_alone: bool,
    ) -> None:
        """Start without an addition.

        Args:
            cache: of the outbox.
            drafts: what stands in the form may become an entry.
            clock: wall-clock seconds.
            delay: seconds in which an entry can be taken back.
            is_alone: whether no polling of other instances forgets old entries.
        """
        self.keys: set[str] = set()  # of what was added here
        self._cache = cache
        self._drafts = drafts
        self._new_entries = NewEntries(clock, delay)
        self._is_alone = is_alone
        self._lock = asyncio.Lock()

    def saw(self, pet_ids: Iterable[int]) -> None:
        """Note animals that exist: no entry made from now on can become one of them."""
        self._new_entries.saw(pet_ids)

    async def add(
        self,
        name: str,
        category_id: int,
        status: str | None,
        *,
        was_draft: bool | None,
        copy_of: str,
    ) -> Entry:
        """Add an animal; see ``Outbox.add``."""
        async with self._lock:
            await self._prepare()
            newest = self._cache.newest_key
            entry = self._new_entries.make(name, category_id, status, after=newest)
            if self._cache.is_replaceable(copy_of):
                entry = replace(entry, replaces=copy_of)
            self.keys.add(entry.key)
            await self._drafts.add(entry, was_draft=was_draft)
        return entry

    async def add_all(self, pets: Sequence[NewPet]) -> list[Entry]:
        """Add several animals, all or none; see ``Outbox.add_all``."""
        async with self._lock:
            await self._prepare()
            newest = self._cache.newest_key
            entries = [
                self._new_entries.make(pet.name, pet.category_id, pet.status, after=newest)
                for pet in pets
            ]
            self.keys |= {entry.key for entry in entries}
            if entries:
                await self._cache.add_all(entries)
        return entries

    async def _prepare(self) -> None:
        if self._is_alone:
            await forget_old(self._cache)
        known = (entry.pet_id for entry in self._cache.entries)
        self.saw(pet_id for pet_id in known if pet_id is not None)
