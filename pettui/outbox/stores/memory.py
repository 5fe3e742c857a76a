"""MemoryEntryStore: entries and drafts that are lost at the end, as in a demo."""

from __future__ import annotations

from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.outbox.entries import Contents, Draft, Entry, OutboxError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MEMORY_ENTRIES: Final = 1000
MEMORY_CHARACTERS: Final = 1024 * 1024  # of the names in them
FULL: Final = "the demo's outbox is full; forget some of its entries first"


class MemoryEntryStore:
    """A store that keeps nothing beyond the process: the demo's.

    It is bounded, since one process may have many demos.
    """

    is_persistent: Final = False
    is_near: Final = True
    has_abandoned_drafts: Final = False
    why_not_kept: Final = None

    def __init__(self, entries: int = MEMORY_ENTRIES, characters: int = MEMORY_CHARACTERS) -> None:
        self._room = entries
        self._characters_left = characters
        self._entries: dict[str, Entry] = {}
        self._drafts: dict[int, Draft] = {}

    def load(self) -> Contents:
        """Return the entries in order."""
        return Contents(tuple(self._entries[entry_id] for entry_id in sorted(self._entries)))

    def take_over_drafts(self) -> None:
        """Do nothing: what an earlier outbox on this store left is there."""

    @property
    def drafts(self) -> Mapping[int, Draft]:
        """The drafts, by number."""
        return MappingProxyType(self._drafts.copy())

    def claimed_for(self, entry: Entry) -> float:  # noqa: ARG002
        """Return inf: there is no other instance."""
        return inf

    def add(self, entry: Entry, *, draft: int = 0) -> Entry:
        """Keep a new entry; raises OutboxError where there is no room for it."""
        next(self.add_all([entry]))
        self._drafts.pop(draft, None)
        return entry

    def add_all(self, entries: Sequence[Entry]) -> Iterator[None]:
        """Keep these entries; raises OutboxError where there is no room for all."""
        characters = sum(len(entry.name) for entry in entries)
        if len(self._entries) + len(entries) > self._room or characters > self._characters_left:
            raise OutboxError(FULL)
        self._entries |= {entry.entry_id: entry for entry in entries}
        self._characters_left -= characters
        yield

    def change(self, old: Entry, new: Entry, *, draft: int | None = None) -> bool:
        """Keep ``new`` in place of ``old``, if that is still there and a longer name has room."""
        if not self._is_there(old):
            return False
        characters_left = self._characters_left + len(old.name) - len(new.name)
        if characters_left < 0:
            raise OutboxError(FULL)
        self._characters_left = characters_left
        self._entries[new.entry_id] = new
        if draft is not None:
            self._drafts.pop(draft, None)
        return True

    def take_back(self, entry: Entry, number: int) -> bool:
        """Make an entry a draft, if it is still there."""
        if not self.remove(entry):
            return False
        self._drafts[number] = entry.draft()
        return True

    def remove(self, entry: Entry) -> bool:
        """Forget an entry, if it is still there."""
        if not self._is_there(entry):
            return False
        del self._entries[entry.entry_id]
        self._characters_left += len(entry.name)
        return True

    def keep_draft(self, number: int, draft: Draft) -> None:
        """Keep a draft; an empty one is forgotten."""
        self._drafts[number] = draft
        if draft == Draft():
            del self._drafts[number]

    def close(self) -> None:
        """Do nothing: what is in memory ends with the process."""

    def _is_there(self, entry: Entry) -> bool:
        kept = self._entries.get(entry.entry_id)
        return kept is not None and kept.state is entry.state
