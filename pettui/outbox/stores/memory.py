"""MemoryEntryStore: entries and drafts that are lost at the end, as in a demo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.outbox.entries import MAYBE_STORED, Contents, Draft, Entry, OutboxError, replaced

if TYPE_CHECKING:
    from collections.abc import Sequence

MEMORY_ENTRIES: Final = 1000
MEMORY_CHARACTERS: Final = 1024 * 1024  # of the names in them
FULL: Final = "the demo's outbox is full; forget some of its entries first"


class MemoryEntryStore:
    """A store that keeps nothing beyond the process: the demo's.

    It is bounded, since one process may have many demos.
    """

    is_persistent: Final = False

    def __init__(self, entries: int = MEMORY_ENTRIES, characters: int = MEMORY_CHARACTERS) -> None:
        self._room = entries
        self._characters_left = characters
        self._entries: dict[str, Entry] = {}
        self._prepared: list[Entry] = []
        self._drafts = [Draft()]

    def load(self) -> Contents:
        """Return the entries in order, without what is replaced."""
        shown = self._entries.keys() - replaced(self._entries.values()).keys()
        return Contents(tuple(self._entries[key] for key in sorted(shown)))

    def take_over_draft(self) -> Draft:
        """Return the draft that an earlier outbox on this store left."""
        return self._drafts[-1]

    @property
    def draft_stack(self) -> tuple[Draft, ...]:
        """The drafts, the one in the form last."""
        return tuple(self._drafts)

    def add(self, entry: Entry, *, was_draft: bool = False) -> None:
        """Keep a new entry; raises OutboxError where there is no room for it."""
        if len(self._entries) >= self._room or len(entry.name) > self._characters_left:
            raise OutboxError(FULL)
        self._entries[entry.key] = entry
        self._characters_left -= len(entry.name)
        if was_draft:
            self.drop_draft()

    def prepare(self, entries: Sequence[Entry]) -> None:
        """Remember new entries; raises OutboxError where there is no room for all so far."""
        prepared = [*self._prepared, *entries]
        characters = sum(len(entry.name) for entry in prepared)
        if len(self._entries) + len(prepared) > self._room or characters > self._characters_left:
            raise OutboxError(FULL)
        self._prepared = prepared

    def add_prepared(self, entries: Sequence[Entry]) -> None:
        """Keep these entries, which were prepared."""
        for entry in entries:
            self.add(entry)
        self._prepared = []

    def drop_prepared(self) -> None:
        """Forget what was prepared."""
        self._prepared = []

    def change(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old``, if that is still there."""
        if not self._is_there(old):
            return False
        self._entries[new.key] = new
        if new.state in MAYBE_STORED and new.replaces in replaced(self._entries.values()):
            self.remove(self._entries[new.replaces])
        return True

    def take_out(self, entry: Entry) -> bool:
        """Make an entry the draft, if it is still there."""
        if not self.remove(entry):
            return False
        self.begin_draft(entry.draft())
        return True

    def remove(self, entry: Entry) -> bool:
        """Forget an entry, if it is still there."""
        if not self._is_there(entry):
            return False
        del self._entries[entry.key]
        self._characters_left += len(entry.name)
        return True

    def keep_draft(self, draft: Draft) -> None:
        """Keep what stands in the form."""
        self._drafts[-1] = draft

    def begin_draft(self, draft: Draft) -> None:
        """Keep another draft, above one that is typed."""
        if self._drafts[-1].is_typed:
            self._drafts.append(draft)
        else:
            self._drafts[-1] = draft

    def drop_draft(self) -> None:
        """Forget what stands in the form, and go on with the draft below it."""
        self._drafts.pop()
        if not self._drafts:
            self._drafts.append(Draft())

    def close(self) -> None:
        """Do nothing: what is in memory ends with the process."""

    def _is_there(self, entry: Entry) -> bool:
        kept = self._entries.get(entry.key)
        return kept is not None and kept.state is entry.state
