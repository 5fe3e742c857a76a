"""DirectoryEntryStore: entries and drafts as small files, one directory an owner and profile."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from pettui.files import make_directory
from pettui.outbox.entries import Contents, Draft, Entry, OutboxError
from pettui.outbox.stores.directory_reader import DirectoryReader
from pettui.outbox.stores.draft_files import DraftFiles
from pettui.outbox.stores.entry_files import EntryFiles
from pettui.outbox.stores.instance import Instance
from pettui.outbox.stores.locations import left_for_other_addresses
from pettui.outbox.stores.takeover import take_over_drafts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_EMPTY: Final = Draft()


class DirectoryEntryStore:
    """Keeps each entry in a file of mode 0600, in a directory of mode 0700; see EntryStore.

    Every change is on the disk (fsync of the file and of the directory) when its call returns. Any
    number of instances may have the directory open, in one process or in several.
    """

    def __init__(self, directory: Path) -> None:
        """Use a directory, which is created when there is something to keep."""
        self._directory = directory
        self._instance = Instance(directory)
        self._drafts = DraftFiles(directory, self._instance.name)
        self._entries = EntryFiles(directory, self._instance.name)
        self._reader = DirectoryReader(directory, self._instance)
        self._left: tuple[str, ...] | None = None  # for other addresses; looked for once
        self._was_cleared = False  # its lock was removed, and maybe more files since

    @property
    def is_persistent(self) -> bool:
        """Whether entries and drafts survive the process: always."""
        return True

    def load(self) -> Contents:
        """Return what is there, after taking over from abandoned instances."""
        with self._as_outbox_error("read the outbox"):
            if self._instance.is_lost:
                self._acquire()
            elif self._was_cleared:
                # Whatever removes the directory's files may not have been done then.
                self._was_cleared = self._entries.write_missing()
            entries = self._reader.entries()
            return Contents(self._entries.found(entries, self._reader.unread), self._problems())

    def _problems(self) -> tuple[str, ...]:
        if self._left is None:
            self._left = left_for_other_addresses(self._directory)
        return (*self._reader.problems, *self._entries.problems, *self._left)

    def take_over_draft(self) -> Draft:
        """Take over the drafts of the abandoned instance that typed last; return the top one.

        A draft that an add left does not hide what was typed in another instance.
        """
        with self._as_outbox_error("read the draft"):
            for names in self._reader.drafts_left():
                if self._drafts.top != _EMPTY and not self._reader.is_typed(names):
                    continue
                first = self._drafts.next_name()
                for name in take_over_drafts(self._directory, self._instance, names, first):
                    draft = self._reader.draft(self._directory / str(name))
                    if draft is not None:
                        self._drafts.found(name, draft)
                if self._drafts.top.is_typed:
                    break
        return self._drafts.top

    @property
    def draft_stack(self) -> tuple[Draft, ...]:
        """The drafts as they are kept, the one in the form last; an empty one where none is."""
        return self._drafts.stack

    def add(self, entry: Entry, *, was_draft: bool = False) -> None:
        """Keep a new entry for good; what was the draft becomes it by one rename."""
        with self._as_outbox_error(f"keep {entry.label}"):
            self._acquire()
            self._entries.add(entry, self._drafts if was_draft else None)

    def prepare(self, entries: Sequence[Entry]) -> None:
        """Write new entries for good, without making them visible yet."""
        with self._as_outbox_error(f"keep {entries[0].label}"):
            self._acquire()
            self._entries.prepare(entries)

    def add_prepared(self, entries: Sequence[Entry]) -> None:
        """Make all that was prepared entries; creating one file commits all of them."""
        with self._as_outbox_error(f"keep {len(entries)} animals"):
            self._acquire()
            self._entries.add_prepared(entries)

    def drop_prepared(self) -> None:
        """Forget what was prepared."""
        with self._as_outbox_error("forget what was not kept"):
            self._entries.drop_prepared()

    def change(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old``."""
        with self._as_outbox_error(f"keep that {new.label} is {new.state.value}"):
            self._acquire()
            return self._entries.change(old, new)

    def take_out(self, entry: Entry) -> bool:
        """Make an entry the draft, above a typed one, by renaming its file."""
        with self._as_outbox_error(f"take {entry.label} out"):
            self._acquire()
            return self._entries.take_out(entry, self._drafts)

    def remove(self, entry: Entry) -> bool:
        """Forget an entry."""
        with self._as_outbox_error(f"forget {entry.label}"):
            return self._entries.remove(entry)

    def keep_draft(self, draft: Draft) -> None:
        """Keep what stands in the form for good; an empty draft leaves no file."""
        with self._as_outbox_error("keep the draft"):
            if draft != _EMPTY:
                self._acquire()
            self._drafts.keep(draft)

    def begin_draft(self, draft: Draft) -> None:
        """Keep another draft for good, above one that is typed."""
        with self._as_outbox_error("put the draft aside"):
            self._acquire()
            self._drafts.begin(draft)

    def drop_draft(self) -> None:
        """Forget what stands in the form, and go on with the draft below it."""
        with self._as_outbox_error("clear the draft"):
            self._drafts.drop()

    def close(self) -> None:
        """Leave everything to the next instance."""
        with suppress(OSError):  # the kernel releases the lock in any case
            self._instance.release()

    def _acquire(self) -> None:
        make_directory(self._directory)
        if self._instance.is_lost:
            self._was_cleared = True
            # Before the lock: if this fails it is tried again.
            self._entries.write_missing()
            self._drafts.write_missing()
        self._instance.acquire()

    @contextmanager
    def _as_outbox_error(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise OutboxError(f"cannot {what}: {self._directory}: {reason}") from error
