"""EntryFiles: the entries of one instance as files, named by their states."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pettui.files import sync_directory
from pettui.outbox.entries import MAYBE_STORED, EntryState, replaced
from pettui.outbox.stores import json_files
from pettui.outbox.stores.batches import Batch
from pettui.outbox.stores.file_names import EntryName, temporary_name
from pettui.outbox.stores.owned_entries import OwnedEntries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pettui.outbox.entries import Entry
    from pettui.outbox.stores.draft_files import DraftFiles


class EntryFiles:
    """One rename takes an entry's file from one state or owner to the next.

    All methods raise OSError, and then what was kept before still is.
    """

    def __init__(self, directory: Path, instance: str) -> None:
        self._directory = directory
        self._instance = instance
        self._temporary = directory / temporary_name(instance)
        self._names: dict[str, EntryName] = {}  # by key, as last seen or given
        self._owned = OwnedEntries(directory, instance)
        self._batch = Batch(directory, instance)

    @property
    def problems(self) -> tuple[str, ...]:
        """One line on files that were removed."""
        return self._owned.problems

    def found(
        self, entries: Mapping[EntryName, Entry], unread: Iterable[EntryName]
    ) -> tuple[Entry, ...]:
        """Remember what the directory holds, and return it in order, without what is replaced.

        Args:
            entries: what could be read.
            unread: what could not be opened; the own entries among it are as they were last.
        """
        known = {**entries, **self._owned.as_known(unread)}
        self._owned.found(known)
        self._names = {name.key: name for name in known}
        hidden = replaced(known.values())
        for entry in hidden.values():
            self._remove_replaced(entry)  # a process was killed between the two
        shown = (entry for entry in known.values() if entry.key not in hidden)
        return tuple(sorted(shown, key=lambda entry: entry.key))

    def add(self, entry: Entry, drafts: DraftFiles | None) -> None:
        """Write a new entry; where ``drafts`` are given, what stands in the form becomes it."""
        name = EntryName(entry.key, self._instance, entry.state)
        if drafts is None:
            self._write(entry, self._path(name))
        else:
            drafts.turn_into(entry, self._path(name))
        self._remember(name, entry)

    def prepare(self, entries: Iterable[Entry]) -> None:
        """Write new entries without making them visible yet."""
        self._batch.prepare(entries)

    def add_prepared(self, entries: Iterable[Entry]) -> None:
        """Make visible what was prepared: these entries."""
        self._batch.commit()
        for entry in entries:
            self._remember(EntryName(entry.key, self._instance, entry.state), entry)

    def drop_prepared(self) -> None:
        """Delete what was prepared."""
        self._batch.finish()

    def change(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old``: first its state, by one rename, then the rest.

        So the state is kept even where a full disk has no room for the rest. Returns whether
        ``old`` was still there.
        """
        name = EntryName(new.key, self._instance, new.state)
        if not (self._rename(old, name) or self._correct_takeover(old, name)):
            return False
        self._remember(name, new)
        if not json_files.same_content(old, new):
            json_files.rewrite_entry(self._path(name), new, self._temporary)
        sync_directory(self._directory)
        self._remove_replaced(new)
        return True

    def take_out(self, entry: Entry, drafts: DraftFiles) -> bool:
        """Make an entry's file that of the draft in the form; return whether it was there."""
        path = self._path_of(entry)
        if path is None:
            return False
        try:
            drafts.take_in(path, entry)
        except FileNotFoundError:
            return False
        self._forget(entry)
        sync_directory(self._directory)
        return True

    def remove(self, entry: Entry) -> bool:
        """Delete an entry's file; return whether it was there."""
        path = self._path_of(entry)
        if path is None:
            return False
        self._forget(entry)
        with suppress(FileNotFoundError):
            path.unlink()
            return True
        return False

    def _remove_replaced(self, entry: Entry) -> None:
        """Delete the file of the entry that this one replaces, once this one may be stored.

        Until then it is only hidden. If it cannot be deleted, it stays hidden.
        """
        name = self._names.get(entry.replaces or "")
        if name is None or entry.state not in MAYBE_STORED or name.instance != self._instance:
            return
        if name.state is EntryState.UNKNOWN:
            with suppress(OSError):
                self._path(name).unlink(missing_ok=True)
                del self._names[name.key]
                self._owned.discard(name.key)

    def write_missing(self) -> bool:
        """Write the files again that were removed; return whether there were any."""
        written = self._owned.write_missing()
        self._names |= {name.key: name for name in written}
        return bool(written)

    def _write(self, entry: Entry, path: Path) -> None:
        try:
            json_files.write_entry(path, entry, self._temporary)
            sync_directory(self._directory)
        except OSError:
            with suppress(OSError):
                path.unlink()  # what was reported as not kept must not appear later
            raise

    def _remember(self, name: EntryName, entry: Entry) -> None:
        self._names[entry.key] = name
        self._owned.put(entry)

    def _forget(self, entry: Entry) -> None:
        del self._names[entry.key]
        self._owned.discard(entry.key)

    def _rename(self, old: Entry, new: EntryName) -> bool:
        name = self._names.get(old.key)
        # In the new state already: the rest of the change failed before, and is tried again. If
        # another instance brought it there, that one sends it.
        if name is None or (name.state is not old.state and name != new):
            return False
        return _renamed(self._path(name), self._path(new))

    def _correct_takeover(self, old: Entry, new: EntryName) -> bool:
        """Take an entry back from an instance that took it over while it was being sent here.

        If its animal was added, even from one in which it waits to be sent again. Returns whether
        there was one.
        """
        if old.state is not EntryState.SENDING:
            return False
        states = [EntryState.UNKNOWN]
        states += [EntryState.WAITING] if new.state is EntryState.ADDED else []
        patterns = [f"{old.key}.*.{state.value}.json" for state in states]
        paths = [path for pattern in patterns for path in self._directory.glob(pattern)]
        return any(_renamed(path, self._path(new)) for path in paths)

    def _path_of(self, entry: Entry) -> Path | None:
        """Return where an entry's file is; None where its state or owner is another."""
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
