"""Reads an outbox's directory: takes over from the dead, sets aside what is damaged."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pettui.outbox.entries import Draft, Entry, EntryState
from pettui.outbox.stores import json_files
from pettui.outbox.stores.batches import finish_abandoned
from pettui.outbox.stores.file_names import draft_name, entry_name, lock_instance
from pettui.outbox.stores.takeover import take_over

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pettui.outbox.stores.file_names import DraftName, EntryName
    from pettui.outbox.stores.instance import Instance

    Listing = dict[str, os.stat_result]  # by file name
    Names = dict[EntryName, os.stat_result]
    Signature = tuple[int, int, int]  # inode, nanoseconds of its last change, bytes

_STATES: Final = (  # of an entry that stands there twice (a backup put back) the last counts
    EntryState.WAITING,
    EntryState.SENDING,
    EntryState.UNKNOWN,
    EntryState.REFUSED,
    EntryState.ADDED,
)
_LOOKS: Final = 10  # at most, one after the other, while others rename what was not read yet
_LOST: Final = {
    EntryState.UNKNOWN: "pettui exited while this was being sent",
    EntryState.REFUSED: "the reason was not kept",
}


@dataclass(frozen=True, slots=True)
class _Known:
    """An entry as it was read last, and what its file looked like then."""

    name: EntryName
    signature: Signature
    owned_elsewhere: bool
    entry: Entry


class DirectoryReader:
    """Reads the directory for one instance; a file that did not change is read once."""

    def __init__(self, directory: Path, instance: Instance) -> None:
        self._directory = directory
        self._instance = instance
        self._known: dict[str, _Known] = {}  # by key
        self._problems: dict[str, None] = {}  # each once, in order
        self._hindrances: dict[str, str] = {}  # why a dead instance is not taken over, by its name
        self.unread: dict[EntryName, str] = {}  # why an entry's file could not be opened just now
        self._is_renamed_unseen = False  # an entry has another name by now, and was not read

    @property
    def problems(self) -> tuple[str, ...]:
        """One line each on what could not be read or taken over so far."""
        passing = dict.fromkeys((*self._hindrances.values(), *self.unread.values()))
        return (*self._problems, *passing)

    def look(self) -> dict[EntryName, Entry]:
        """Return the entries that are there, in order of their keys. Raises OSError."""
        for _ in range(_LOOKS):
            self._is_renamed_unseen = False
            entries = self._look_once()
            if not self._is_renamed_unseen:
                break
        return entries

    def _look_once(self) -> dict[EntryName, Entry]:
        listing = self._listing()
        if finish_abandoned(self._directory, self._instance.name, listing):
            listing = self._listing()
        names = self._without_twins(self._after_inheritance(listing))
        self.unread = {}
        found = {name: self._entry(name, status) for name, status in names.items()}
        entries = {name: entry for name, entry in found.items() if entry is not None}
        self._known = {name.key: self._known[name.key] for name in entries}
        return entries

    def draft(self, path: Path) -> Draft | None:
        """Give a draft, or None where it is damaged."""
        try:
            return json_files.read_draft(path)
        except json_files.DamagedFileError as error:
            self._set_aside(path, str(error))
            return None

    def is_typed(self, names: Iterable[DraftName]) -> bool:
        """Whether somebody would miss one of these drafts, as far as they can be read."""
        return any(self._is_typed(self._directory / str(name)) for name in names)

    def _is_typed(self, path: Path) -> bool:
        try:
            return json_files.read_draft(path).is_typed
        except json_files.DamagedFileError:
            return True  # whoever takes it over sets it aside, and tells
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
                        self._is_renamed_unseen |= entry_name(file.name) is not None
        except FileNotFoundError:
            return {}
        return listing

    def _after_inheritance(self, listing: Listing) -> Names:
        """Give the entries' names as they are once the dead were inherited from."""
        by_instance: dict[str, Names] = {}
        for file_name, status in listing.items():
            if name := entry_name(file_name):
                by_instance.setdefault(name.instance, {})[name] = status
            elif lock := lock_instance(file_name):
                by_instance.setdefault(lock, {})
        names = by_instance.pop(self._instance.name, {})
        self._hindrances = {}
        for instance, theirs in by_instance.items():
            names |= self._inherited(instance, theirs)
        return names

    def _inherited(self, instance: str, names: Names) -> Names:
        try:
            inherited = take_over(self._directory, self._instance, instance, names)
        except OSError as error:
            # Nobody else has them in hand either: they wait for this one, until they can be had.
            self._hindrances[instance] = f"{self._directory}: {error.strerror}"
            return names
        return {new: names[old] for old, new in inherited.items()}

    def _without_twins(self, names: Names) -> Names:
        by_key: dict[str, EntryName] = {}
        for name in sorted(names, key=lambda name: (name.key, _STATES.index(name.state))):
            twin = by_key.get(name.key)
            if twin is not None and twin.instance == self._instance.name:
                self._set_aside(self._directory / str(twin), f"{name} is there too")
            by_key[name.key] = name
        return {name: names[name] for name in by_key.values()}

    def _entry(self, name: EntryName, status: os.stat_result) -> Entry | None:
        path = self._directory / str(name)
        signature = (status.st_ino, status.st_mtime_ns, status.st_size)
        owned_elsewhere = name.instance not in (self._instance.name, *self._hindrances)
        known = self._known.get(name.key)
        seen = (name, signature, owned_elsewhere)
        if known is not None and (known.name, known.signature, known.owned_elsewhere) == seen:
            return known.entry
        try:
            entry = json_files.read_entry(path, name.key)
        except json_files.DamagedFileError as error:
            self._set_aside(path, str(error))
            return None
        except FileNotFoundError:
            # Renamed by another just now: what was known holds until the next look.
            self._is_renamed_unseen |= known is None
            return known.entry if known else None
        except OSError as error:
            self.unread[name] = f"{path}: {error.strerror}"
            return None
        entry = _in_state(
            entry,
            name.state,
            owned_elsewhere=owned_elsewhere,
            dead=name.instance in self._hindrances,
        )
        self._known[name.key] = _Known(name, signature, owned_elsewhere, entry)
        return entry

    def _set_aside(self, path: Path, reason: str) -> None:
        aside = path.with_name(f"{path.name}.damaged")
        if os.path.lexists(aside):  # one of this name was put back, and is damaged again
            aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}.damaged")
        try:
            path.rename(aside)
        except FileNotFoundError:
            return
        except OSError as error:
            self._problems[f"{path}: {reason}; it cannot be set aside: {error.strerror}"] = None
        else:
            self._problems[f"{aside}: set aside: {reason}"] = None


def _in_state(entry: Entry, state: EntryState, *, owned_elsewhere: bool, dead: bool) -> Entry:
    if dead and state is EntryState.SENDING:
        state = EntryState.UNKNOWN  # as its file will say once it can be renamed
    error = entry.error or _LOST.get(state)
    return replace(entry, state=state, owned_elsewhere=owned_elsewhere, error=error)
