"""EntryFiles: the entries of one instance as files, named by their states."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pettui.outbox.entries import EntryState
from pettui.outbox.stores import json_files
from pettui.outbox.stores.batches import Batch
from pettui.outbox.stores.file_names import EntryName, temporary_name
from pettui.outbox.stores.owned_entries import HeldEntries
from pettui.private_directories import sync_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pettui.outbox.entries import Entry
    from pettui.outbox.stores.draft_files import DraftFiles


class EntryFiles:
    """One rename takes an entry's file from one state or hand to the next.

    All methods raise OSError, and then what was kept before still is.
    """

    def __init__(self, directory: Path, instance: str) -> None:
        self._directory = directory
        self._instance = instance
        self._temporary = directory / temporary_name(instance)
        self._names: dict[str, EntryName] = {}  # by key, as last seen or given
        self._held = HeldEntries(directory, instance)
        self._batch = Batch(directory, instance)

    @property
    def problems(self) -> tuple[str, ...]:
        """One line on what was taken away, each once."""
        return self._held.problems

    def found(
        self, entries: Mapping[EntryName, Entry], unread: Iterable[EntryName]
    ) -> tuple[Entry, ...]:
        """Take note of all that the directory holds; returns it in order.

        Args:
            entries: what could be read.
            unread: what could not be opened just now; of that, what this instance holds counts.
        """
        known = {**entries, **self._held.as_known(unread)}
        self._held.found(known)
        self._names = {name.key: name for name in known}
        return tuple(sorted(known.values(), key=lambda entry: entry.key))

    def add(self, entry: Entry, drafts: DraftFiles | None) -> None:
        """Write a new entry; where ``drafts`` are given, what stands in the form becomes it."""
        name = EntryName(entry.key, self._instance, entry.state)
        if drafts is None:
            self._write(entry, self._path(name))
        else:
            drafts.turn_into(entry, self._path(name))
        self._hold(name, entry)

    def prepare(self, entries: Iterable[Entry]) -> None:
        """Write new entries where nobody takes them for some."""
        self._batch.prepare(entries)

    def add_prepared(self, entries: Iterable[Entry]) -> None:
        """Make entries of all that was prepared: these."""
        self._batch.keep()
        for entry in entries:
            self._hold(EntryName(entry.key, self._instance, entry.state), entry)

    def drop_prepared(self) -> None:
        """Delete what was prepared."""
        self._batch.finish()

    def change(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old``: first its state, by one rename, then the rest.

        So its state is kept even where a full disk has no room for the rest. Returns whether
        ``old`` was there still.
        """
        name = EntryName(new.key, self._instance, new.state)
        if not (self._rename(old, name) or self._rename_misjudged(old, name)):
            return False
        self._hold(name, new)
        if not json_files.same_content(old, new):
            json_files.write_entry(self._path(name), new, self._temporary)
        sync_directory(self._directory)
        return True

    def take_out(self, entry: Entry, drafts: DraftFiles) -> bool:
        """Make an entry's file that of the draft in the form; returns whether it was there."""
        path = self._path_of(entry)
        if path is None:
            return False
        try:
            drafts.take_in(path, entry)
        except FileNotFoundError:
            return False
        self._let_go(entry)
        sync_directory(self._directory)
        return True

    def remove(self, entry: Entry) -> bool:
        """Delete an entry's file; returns whether it was there."""
        path = self._path_of(entry)
        if path is None:
            return False
        self._let_go(entry)
        with suppress(FileNotFoundError):
            path.unlink()
            return True
        return False

    def write_missing(self) -> bool:
        """Write the files anew that somebody took away; returns whether there were any."""
        written = self._held.write_missing()
        self._names |= {name.key: name for name in written}
        return bool(written)

    def _write(self, entry: Entry, path: Path) -> None:
        try:
            json_files.write_entry(path, entry, self._temporary)
            sync_directory(self._directory)
        except OSError:
            with suppress(OSError):
                path.unlink()  # what is said not to be kept is not found later either
            raise

    def _hold(self, name: EntryName, entry: Entry) -> None:
        self._names[entry.key] = name
        self._held.hold(entry)

    def _let_go(self, entry: Entry) -> None:
        del self._names[entry.key]
        self._held.let_go(entry)

    def _rename(self, old: Entry, new: EntryName) -> bool:
        name = self._names.get(old.key)
        # In the new state already: the rest of the change failed before, and is tried again.
        if name is None or name.state not in (old.state, new.state):
            return False
        return _renamed(self._path(name), self._path(new))

    def _rename_misjudged(self, old: Entry, new: EntryName) -> bool:
        """Correct what another instance noted, which took this one for dead while it was sending.

        An animal that was added is taken from it even where somebody wants it sent again. Returns
        whether there was something to correct.
        """
        if old.state is not EntryState.SENDING:
            return False
        states = [EntryState.UNKNOWN]
        states += [EntryState.WAITING] if new.state is EntryState.ADDED else []
        noted = [f"{old.key}.*.{state.value}.json" for state in states]
        paths = [path for pattern in noted for path in self._directory.glob(pattern)]
        return any(_renamed(path, self._path(new)) for path in paths)

    def _path_of(self, entry: Entry) -> Path | None:
        """Return where an entry's file is; None where it is in another state or hand."""
        name = self._names.get(entry.key)
        return self._path(name) if name is not None and name.state is entry.state else None

    def _path(self, name: EntryName) -> Path:
        return self._directory / str(name)


def _renamed(old: Path, new: Path) -> bool:
    try:
        old.rename(new)
    except FileNotFoundError:
        return False
    return True
