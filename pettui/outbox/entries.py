"""An entry and its states, the draft, and what keeps them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from pettui.text import safe


class EntryState(Enum):
    """Where an entry is on its way; the values are what stands on disk."""

    WAITING = "waiting"  # will be sent: not due yet, or the service cannot be reached
    SENDING = "sending"  # the request may be out
    ADDED = "added"  # the service gave it an id
    REFUSED = "refused"  # the service surely did not take it
    UNKNOWN = "unknown"  # sent, and no answer tells what became of it


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in the open form, as typed: text, not yet parsed."""

    name: str = ""
    category: str = ""
    status: str = ""  # "" is not set


@dataclass(frozen=True, slots=True)
class Entry:
    """One animal on its way to the service."""

    key: str  # unique; sorts by time of entry, whatever the clock did
    name: str
    category_id: int
    status: str | None
    state: EntryState
    due: float  # wall-clock seconds when it may be sent
    pet_id: int | None = None  # of an added one
    error: str | None = None  # what is wrong, or odd about an added one; raw text from outside
    error_code: str | None = None  # of the service's Error body, word for word …
    error_message: str | None = None
    error_status: int | None = None  # … and the HTTP status, with an Error body or without
    error_beginning: str | None = None  # of what came in place of an answer; raw text, cut
    after_id: int | None = None  # animals up to this id were seen before it was typed
    elsewhere: bool = False  # another living instance of the app has it in hand

    @property
    def waits_here(self) -> bool:
        """Whether it waits to be sent by this instance."""
        return self.state is EntryState.WAITING and not self.elsewhere

    @property
    def label(self) -> str:
        """The name for one line of a message: safe to draw, and not long."""
        return safe(self.name, 40) or "the animal"

    def becoming(
        self,
        state: EntryState,
        *,
        due: float | None = None,
        pet_id: int | None = None,
        error: str | None = None,
    ) -> Entry:
        """Give the same entry in another state; the error of the state before goes."""
        return replace(
            self,
            state=state,
            due=self.due if due is None else due,
            pet_id=pet_id,
            error=error,
            error_code=None,
            error_message=None,
            error_status=None,
            error_beginning=None,
            elsewhere=False,
        )

    def draft(self) -> Draft:
        """Give the entry as it would stand in the form, to be mended."""
        return Draft(self.name, str(self.category_id), self.status or "")


class OutboxError(Exception):
    """What was asked for could not be kept or done; the text is one line, and not made safe."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a store holds."""

    entries: tuple[Entry, ...]  # in order of their keys
    problems: tuple[str, ...] = ()  # one raw line each on what could not be read or taken over


class EntryStore(Protocol):
    """Keeps the entries and the draft of one owner on one profile. Calls block.

    Every change names the entry as its caller knows it. Where it is no longer so, because another
    instance had it in the meantime, nothing is done and the answer is False: of many that try, one
    gets it. Failures of the disk are OutboxError.
    """

    def look(self) -> Contents:
        """Give what is there now, after taking over from instances that are no more.

        What they were sending is UNKNOWN; what living ones have in hand is ``elsewhere``.
        """
        ...

    def take_over_draft(self) -> Draft:
        """Give the newest draft that an instance which is no more left behind."""
        ...

    def add(self, entry: Entry, *, was_draft: bool = False) -> None:
        """Keep a new entry for good; if it was the draft, that is gone in the same moment."""
        ...

    def change(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old`` for good."""
        ...

    def take_out(self, entry: Entry) -> bool:
        """Make an entry the draft, in one step."""
        ...

    def remove(self, entry: Entry) -> bool:
        """Forget an entry."""
        ...

    def keep_draft(self, draft: Draft) -> None:
        """Keep the draft for good, in place of the one before."""
        ...

    def close(self) -> None:
        """Leave everything for the next instance."""
        ...


class MemoryEntryStore:
    """A store that keeps nothing beyond the process: the demo's."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._draft = Draft()

    def look(self) -> Contents:
        """Give the entries in order."""
        return Contents(tuple(self._entries[key] for key in sorted(self._entries)))

    def take_over_draft(self) -> Draft:
        """Give the draft that an earlier outbox on this store left."""
        return self._draft

    def add(self, entry: Entry, *, was_draft: bool = False) -> None:
        """Keep a new entry."""
        self._entries[entry.key] = entry
        if was_draft:
            self._draft = Draft()

    def change(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old``, if that is still there."""
        if not self._is_there(old):
            return False
        self._entries[new.key] = new
        return True

    def take_out(self, entry: Entry) -> bool:
        """Make an entry the draft, if it is still there."""
        if not self.remove(entry):
            return False
        self._draft = entry.draft()
        return True

    def remove(self, entry: Entry) -> bool:
        """Forget an entry, if it is still there."""
        if not self._is_there(entry):
            return False
        del self._entries[entry.key]
        return True

    def keep_draft(self, draft: Draft) -> None:
        """Keep the draft."""
        self._draft = draft

    def close(self) -> None:
        """Do nothing: what is in memory goes with the process."""

    def _is_there(self, entry: Entry) -> bool:
        kept = self._entries.get(entry.key)
        return kept is not None and kept.state is entry.state
