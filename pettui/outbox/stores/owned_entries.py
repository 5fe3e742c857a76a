"""OwnedEntries: what an instance owns, so that files that were removed can be written again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.files import sync_directory
from pettui.outbox.stores import json_files
from pettui.outbox.stores.file_names import EntryName, entry_name, temporary_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pettui.outbox.entries import Entry


class OwnedEntries:
    """The entries of one instance as they were last kept or read."""

    def __init__(self, directory: Path, instance: str) -> None:
        self._directory = directory
        self._instance = instance
        self._entries: dict[str, Entry] = {}  # by key
        self._missing: dict[str, Entry] = {}  # whose files were gone at the last read
        self._problems: dict[str, None] = {}

    @property
    def problems(self) -> tuple[str, ...]:
        """One line on files that were removed."""
        return tuple(self._problems)

    def put(self, entry: Entry) -> None:
        """Remember an entry as it is kept now."""
        self._entries[entry.key] = entry

    def discard(self, key: str) -> None:
        """Forget an entry that this instance does not own any more."""
        self._entries.pop(key, None)
        self._missing.pop(key, None)

    def found(self, entries: Mapping[EntryName, Entry]) -> None:
        """Remember the own entries of all that the directory holds.

        What is missing is remembered until the next read: a directory is cleared one file after
        the other, and a read may come in between.
        """
        found = {
            name.key: entry for name, entry in entries.items() if name.instance == self._instance
        }
        self._missing = {key: self._entries[key] for key in self._entries.keys() - found.keys()}
        self._entries = found

    def as_known(self, names: Iterable[EntryName]) -> dict[EntryName, Entry]:
        """Return the own entries of these names, whose files cannot be opened at the moment."""
        return {
            name: replace(self._entries[name.key], state=name.state)
            for name in names
            if name.key in self._entries
        }

    def write_missing(self) -> list[EntryName]:
        """Write the files again that were removed, and return their names. Raises OSError."""
        there = {name.key for path in self._directory.iterdir() if (name := entry_name(path.name))}
        owned = self._missing | self._entries
        written = [self._write(each) for key, each in owned.items() if key not in there]
        if written:
            sync_directory(self._directory)
            problem = f"files were removed from {self._directory}; they were written again"
            self._problems[problem] = None
        return written

    def _write(self, entry: Entry) -> EntryName:
        name = EntryName(entry.key, self._instance, entry.state)
        temporary = self._directory / temporary_name(self._instance)
        json_files.write_entry(self._directory / str(name), entry, temporary)
        return name
