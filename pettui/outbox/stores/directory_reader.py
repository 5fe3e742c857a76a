"""Reads an outbox's directory: takes over from ended instances, sets aside what is damaged."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from pettui.outbox.entries import Draft, Entry, EntryState
from pettui.outbox.stores import json_files
from pettui.outbox.stores.batches import finish_abandoned
from pettui.outbox.stores.damaged_files import DamagedFiles
from pettui.outbox.stores.entry_reader import EntryReader
from pettui.outbox.stores.file_names import draft_name, entry_name, lock_instance
from pettui.outbox.stores.takeover import take_over

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pettui.outbox.stores.file_names import DraftName, EntryName
    from pettui.outbox.stores.instance import Instance

    Listing = dict[str, os.stat_result]  # by file name
    EntryFiles = dict[EntryName, os.stat_result]

_STATES: Final = (  # of two files of one entry (from a backup, say) the later state counts
    EntryState.WAITING,
    EntryState.SENDING,
    EntryState.UNKNOWN,
    EntryState.REFUSED,
    EntryState.ADDED,
)
_READS: Final = 100  # in a row at most, while other instances rename files before they are read


class DirectoryReader:
    """Reads the directory for one instance."""

    def __init__(self, directory: Path, instance: Instance) -> None:
        self._directory = directory
        self._instance = instance
        self._damaged_files = DamagedFiles()
        self._entry_reader = EntryReader(directory, instance.name, self._damaged_files)
        self._not_taken_over: dict[str, str] = {}  # why an instance was not, by its name
        self._is_listing_complete = True  # no entry was renamed while the directory was listed

    @property
    def unread(self) -> Mapping[EntryName, str]:
        """Why the files of some entries could not be opened at the last read."""
        return self._entry_reader.unread

    @property
    def problems(self) -> tuple[str, ...]:
        """One line each on what could not be read or taken over so far."""
        current = dict.fromkeys((*self._not_taken_over.values(), *self.unread.values()))
        return (*self._damaged_files.problems, *current)

    def entries(self) -> dict[EntryName, Entry]:
        """Return the entries that are there, in order of their keys. Raises OSError."""
        for _ in range(_READS):
            self._is_listing_complete = True
            entries = self._entries_once()
            if self._is_listing_complete and self._entry_reader.is_complete:
                break
        return entries

    def _entries_once(self) -> dict[EntryName, Entry]:
        listing = self._listing()
        if finish_abandoned(self._directory, self._instance.name, listing):
            listing = self._listing()
        files = self._without_duplicates(self._after_takeover(listing))
        return self._entry_reader.read(files, self._not_taken_over)

    def draft(self, path: Path) -> Draft | None:
        """Return a draft, or None where it is damaged."""
        try:
            return json_files.read_draft(path)
        except json_files.DamagedFileError as error:
            self._damaged_files.set_aside(path, str(error))
            return None

    def is_typed(self, names: Iterable[DraftName]) -> bool:
        """Whether somebody would miss one of these drafts, as far as they can be read."""
        return any(self._is_typed(self._directory / str(name)) for name in names)

    def _is_typed(self, path: Path) -> bool:
        try:
            return json_files.read_draft(path).is_typed
        except json_files.DamagedFileError:
            return True  # the instance that takes it over sets it aside, and says so
        except OSError:
            return False

    def drafts_left(self) -> list[list[DraftName]]:
        """Return the drafts of each other instance, the newest first, each from the lowest on."""
        drafts: dict[str, list[DraftName]] = {}
        changed: dict[str, int] = {}
        for file_name, status in self._listing().items():
            name = draft_name(file_name)
            if name is not None and name.instance != self._instance.name:
                drafts.setdefault(name.instance, []).append(name)
                changed[name.instance] = max(changed.get(name.instance, 0), status.st_mtime_ns)
        return [
            sorted(drafts[instance], key=lambda name: name.number)
            for instance in sorted(drafts, key=changed.__getitem__, reverse=True)
        ]

    def _listing(self) -> Listing:
        listing = {}
        try:
            with os.scandir(self._directory) as files_there:
                for file in files_there:
                    try:
                        listing[file.name] = file.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        self._is_listing_complete &= entry_name(file.name) is None
        except FileNotFoundError:
            return {}
        return listing

    def _after_takeover(self, listing: Listing) -> EntryFiles:
        """Return the files of entries under their names after ended instances were taken over."""
        by_instance: dict[str, EntryFiles] = {}
        for file_name, status in listing.items():
            if name := entry_name(file_name):
                by_instance.setdefault(name.instance, {})[name] = status
            elif lock := lock_instance(file_name):
                by_instance.setdefault(lock, {})
        files = by_instance.pop(self._instance.name, {})
        self._not_taken_over = {}
        for instance, theirs in by_instance.items():
            files |= self._taken_over(instance, theirs)
        return files

    def _taken_over(self, instance: str, files: EntryFiles) -> EntryFiles:
        try:
            renamed = take_over(self._directory, self._instance, instance, files)
        except OSError as error:
            # Nobody else owns them either: they wait until this instance can take them over.
            self._not_taken_over[instance] = f"{self._directory}: {error.strerror}"
            return files
        return {new: files[old] for old, new in renamed.items()}

    def _without_duplicates(self, files: EntryFiles) -> EntryFiles:
        by_key: dict[str, EntryName] = {}
        for name in sorted(files, key=lambda name: (name.key, _STATES.index(name.state))):
            duplicate = by_key.get(name.key)
            if duplicate is not None and duplicate.instance == self._instance.name:
                path = self._directory / str(duplicate)
                self._damaged_files.set_aside(path, f"{name} is there too")
            by_key[name.key] = name
        return {name: files[name] for name in by_key.values()}
