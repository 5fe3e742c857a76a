"""UnkeptChanges: entries that are further in memory than in the store, which did not work then."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pettui.outbox.entries import OutboxError

if TYPE_CHECKING:
    from collections.abc import KeysView

    from pettui.outbox.disk_thread import DiskThread
    from pettui.outbox.entries import Entry
    from pettui.outbox.entry_store import EntryStore
    from pettui.outbox.kept_entries import KeptEntries


class UnkeptChanges:
    """Keeps what became of entries once the store works again."""

    def __init__(self, disk: DiskThread, store: EntryStore) -> None:
        self._disk = disk
        self._store = store
        self._in_store: dict[str, Entry] = {}  # by key

    def __bool__(self) -> bool:
        return bool(self._in_store)

    def keys(self) -> KeysView[str]:
        """Return the keys of the entries."""
        return self._in_store.keys()

    def add(self, in_store: Entry) -> None:
        """Remember how the store has an entry that has changed in memory."""
        self._in_store.setdefault(in_store.key, in_store)

    async def keep(self, key: str, entries: KeptEntries) -> None:
        """Keep an entry as it is in memory, if it is one of these; raises OutboxError."""
        if key in self._in_store:
            await self._disk.run(self._store.change, self._in_store[key], entries[key])
            self._in_store.pop(key, None)

    async def keep_all(self, entries: KeptEntries) -> None:
        """Keep all of them; raises OutboxError."""
        for key in tuple(self._in_store):
            await self.keep(key, entries)

    async def keep_some(self, entries: KeptEntries) -> None:
        """Keep as many of them as the store can."""
        for key in tuple(self._in_store):
            with suppress(OutboxError):
                await self.keep(key, entries)
