"""KeptEntries: the entries in memory, by key and in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.outbox.entries import OutboxError

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, KeysView

    from pettui.outbox.entries import Entry, EntryState


class KeptEntries:
    """Entries by key; sorted once after a change, however often they are read."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._by_key = {entry.key: entry for entry in entries}
        self._sorted: tuple[Entry, ...] | None = None  # None after a change

    def __getitem__(self, key: str) -> Entry:
        return self._by_key[key]

    def get(self, key: str) -> Entry | None:
        """Return an entry, or None where it is not there."""
        return self._by_key.get(key)

    def in_state(self, key: str, states: Container[EntryState]) -> Entry:
        """Return an entry that is in one of some states; raises OutboxError if it is not."""
        entry = self.get(key)
        if entry is None:
            raise OutboxError("this entry no longer exists")
        if entry.state not in states:
            raise OutboxError(f"{entry.label} is now {entry.state.value}")
        return entry

    def keys(self) -> KeysView[str]:
        """Return all keys, in no order."""
        return self._by_key.keys()

    @property
    def oldest_first(self) -> tuple[Entry, ...]:
        """All entries, in the order of their keys."""
        if self._sorted is None:
            self._sorted = tuple(self._by_key[key] for key in sorted(self._by_key))
        return self._sorted

    def put(self, *entries: Entry) -> None:
        """Add entries, or replace those of the same keys."""
        self._by_key |= {entry.key: entry for entry in entries}
        self._sorted = None

    def drop(self, key: str) -> None:
        """Remove an entry, if it is there."""
        self._by_key.pop(key, None)
        self._sorted = None
