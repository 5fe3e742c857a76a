"""HeldEntries: what an instance has in hand, so that files that were taken away can come back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.outbox.stores import json_files
from pettui.outbox.stores.file_names import EntryName, entry_name, temporary_name
from pettui.private_directories import sync_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pettui.outbox.entries import Entry


class HeldEntries:
    """The entries of one instance as they were last kept or read."""

    def __init__(self, directory: Path, instance: str) -> None:
        self._directory = directory
        self._instance = instance
        self._entries: dict[str, Entry] = {}  # by key
        self._missing: dict[str, Entry] = {}  # whose files were gone at the last look
        self._problems: dict[str, None] = {}

    @property
    def problems(self) -> tuple[str, ...]:
        """One line on what was taken away, each once."""
        return tuple(self._problems)

    def hold(self, entry: Entry) -> None:
        """Take note of an entry as it is kept now."""
        self._entries[entry.key] = entry

    def let_go(self, entry: Entry) -> None:
        """Take note that an entry is this instance's no more."""
        self._entries.pop(entry.key, None)
        self._missing.pop(entry.key, None)

    def found(self, entries: Mapping[EntryName, Entry]) -> None:
        """Take note of all that the directory holds; of others' entries none is held.

        What is missing is held until the next look: whoever clears a directory away takes one file
        after the other, and a look may come in between.
        """
        found = {
            name.key: entry for name, entry in entries.items() if name.instance == self._instance
        }
        self._missing = {key: self._entries[key] for key in self._entries.keys() - found.keys()}
        self._entries = found

    def as_known(self, names: Iterable[EntryName]) -> dict[EntryName, Entry]:
        """Return those of the names that are held: their files cannot be opened just now."""
        return {
            name: replace(self._entries[name.key], state=name.state)
            for name in names
            if name.key in self._entries
        }

    def write_missing(self) -> list[EntryName]:
        """Write the files anew that somebody took away; returns their names. Raises OSError."""
        there = {name.key for path in self._directory.iterdir() if (name := entry_name(path.name))}
        held = self._missing | self._entries
        written = [self._write(each) for key, each in held.items() if key not in there]
        if written:
            sync_directory(self._directory)
            problem = f"files were removed from {self._directory}; they are written again"
            self._problems[problem] = None
        return written

    def _write(self, entry: Entry) -> EntryName:
        name = EntryName(entry.key, self._instance, entry.state)
        temporary = self._directory / temporary_name(self._instance)
        json_files.write_entry(self._directory / str(name), entry, temporary)
        return name
