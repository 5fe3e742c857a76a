"""EntryStore: what keeps the entries and the drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.outbox.entries import Contents, Draft, Entry


class EntryStore(Protocol):
    """Keeps the entries and the drafts of one owner on one profile. Calls block.

    The drafts are a stack: the last one stands in the form, those below it were put aside there
    and come back one by one. None is ever lost to another.

    Every change names the entry as its caller knows it. If another instance changed it meanwhile,
    nothing is done and False is returned: of many that try, one succeeds. Failures of the disk are
    OutboxError.
    """

    @property
    def is_persistent(self) -> bool:
        """Whether entries and drafts survive the process."""
        ...

    def load(self) -> Contents:
        """Return what is there now, after taking over from instances that have ended.

        What they were sending is UNKNOWN; what running ones own is ``owned_elsewhere``. An unknown
        entry is not there while another one that replaces it is.
        """
        ...

    def take_over_draft(self) -> Draft:
        """Return the newest draft that an ended instance left behind; those below it come too."""
        ...

    @property
    def draft_stack(self) -> tuple[Draft, ...]:
        """The drafts as they are kept, the one in the form last; an empty one where none is."""
        ...

    def add(self, entry: Entry, *, was_draft: bool = False) -> None:
        """Keep a new entry for good; if it was the draft, that becomes it in one step.

        In the same step it takes the place of the unknown entry that it ``replaces``. That comes
        back if this one is taken out or removed, and was not sent or was refused.
        """
        ...

    def prepare(self, entries: Sequence[Entry]) -> None:
        """Write new entries for good, not visible yet; of many, a few at a time."""
        ...

    def add_prepared(self, entries: Sequence[Entry]) -> None:
        """Make these entries, which were prepared, visible in one step."""
        ...

    def drop_prepared(self) -> None:
        """Forget what was prepared."""
        ...

    def change(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old`` for good."""
        ...

    def take_out(self, entry: Entry) -> bool:
        """Make an entry the draft, in one step, above one that is typed."""
        ...

    def remove(self, entry: Entry) -> bool:
        """Forget an entry."""
        ...

    def keep_draft(self, draft: Draft) -> None:
        """Keep what stands in the form for good, in place of what stood there before."""
        ...

    def begin_draft(self, draft: Draft) -> None:
        """Keep another draft for good, above one that is typed."""
        ...

    def drop_draft(self) -> None:
        """Forget what stands in the form, and continue with the draft below it."""
        ...

    def close(self) -> None:
        """Leave everything for the next instance."""
        ...
