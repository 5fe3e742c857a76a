"""DirectoryEntryStore: entries and drafts as small files, one directory an owner and profile.

``files.py`` beside this says how they are called. A running instance owns what its name stands in.
What an ended one left is taken over at the next read, all of it by one living instance: that one
renames the entries, and what was being sent is unknown then, unless a store adds it once. Drafts
are taken over at the start alone.
"""

from __future__ import annotations

import os
from contextlib import nullcontext, suppress
from dataclasses import replace
from itertools import count
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.outbox.entries import (
    TAKEN_OVER,
    Contents,
    Draft,
    Entry,
    EntryState,
    Refusal,
    cut_off_state,
    outbox_errors,
)
from pettui.outbox.owners import ON_THE_WAY
from pettui.outbox.stores.contents import DamagedContentError, entry_content
from pettui.outbox.stores.files import (
    PREPARED,
    DraftName,
    EntryName,
    Instance,
    draft_name,
    entry_name,
    lock_abandoned,
    locking_instance,
    prepared_name,
    preparing_instance,
    read_draft,
    read_entry,
    temporary_name,
    write_draft,
    write_entry,
)
from pettui.system.files import FileVersion, make_directory, reason_of, sync_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    Statuses = dict[EntryName, os.stat_result]

_EMPTY: Final = Draft()
_STATES: Final = (  # of two files of one entry (from a backup, say) the later state counts
    EntryState.WAITING,
    EntryState.SENDING,
    EntryState.UNKNOWN,
    EntryState.REFUSED,
    EntryState.ADDED,
)
OWN_KEY: Final = "own-key"  # earlier versions: entries are for an API key that only the user knows
_NOT_KEPT: Final = {  # why an entry is in a state, where its file does not say
    EntryState.UNKNOWN: Refusal("pettui exited while this was being sent"),
    EntryState.REFUSED: Refusal("the reason was not kept"),
}
_WRITTEN_AT_ONCE: Final = 10  # new entries, each of which a slow disk writes in 10 ms


class _File(NamedTuple):
    """An entry's file as it was last read or written."""

    name: EntryName
    entry: Entry
    version: FileVersion | None = None  # None where it has to be read at the next look


class DirectoryEntryStore:
    """Keeps each entry in a file of mode 0600, in a directory of mode 0700; see EntryStore.

    Every change is on the disk (fsync of the file and of the directory) when its call returns, and
    where it fails, what was kept before still is. Any number of instances may have the directory
    open, in one process or in several.
    """

    is_persistent: Final = True
    is_near: Final = True
    has_abandoned_drafts: Final = False  # they are taken over at the start alone
    why_not_kept: Final = None

    def __init__(self, directory: Path) -> None:
        """Use a directory, which is created when there is something to keep."""
        self._directory = directory
        self._instance = Instance(directory)
        self._temporary = directory / temporary_name(self._instance.name)
        self._files: dict[str, _File] = {}  # of entries, by id; of other instances too
        self._missing: dict[str, Entry] = {}  # own ones whose files were gone at the last read
        self._drafts: dict[int, Draft] = {}  # own ones, by number
        self._taken_numbers = count(TAKEN_OVER)  # of those that are taken over
        self._was_cleared = False  # its lock was removed, and maybe more files since
        self._damage: dict[str, None] = {}  # a line on each file that was set aside or removed
        self._not_taken_over: dict[str, str] = {}  # why an ended instance was not, by its name
        self._unread: dict[EntryName, str] = {}  # why a file could not be opened
        self._are_for_own_key = False  # as an earlier version says of what it left

    # Changes: one rename takes an entry from one state or owner to the next

    def claimed_for(self, entry: Entry) -> float:  # noqa: ARG002
        """Return inf: what a running instance has is its own."""
        return inf

    def add(self, entry: Entry, *, draft: int = 0) -> Entry:
        """Keep a new entry for good; the draft becomes it by one rename."""
        with outbox_errors(f"keep {entry.label}", self._directory):
            self._acquire()
            name = self._name(entry)
            self._turn_draft_into(entry, draft, self._path(name))
            self._files[entry.entry_id] = _File(name, entry)
        return entry

    def change(self, old: Entry, new: Entry, *, draft: int | None = None) -> bool:
        """Keep ``new`` in place of ``old``: first its state, by one rename, then the rest.

        So the state is kept even where a full disk has no room for the rest. Only what is going to
        be sent is written first: it stays SENDING if this process ends then, by the store in it.
        So is what was a draft, whose file becomes that of ``old``.
        """
        # Without the name: the text becomes why nothing is sent, which a server logs.
        with outbox_errors(f"keep that an animal is {new.state.value}", self._directory):
            self._acquire()
            name, is_other = self._name(new), entry_content(old) != entry_content(new)
            is_content_first = draft is not None or new.state is EntryState.SENDING
            if is_other and is_content_first and (before := self._current_name(old)):
                if draft is None or draft not in self._drafts:
                    write_entry(self._path(before), new, self._temporary, is_new=False)
                else:
                    write_entry(self._draft_path(draft), new, self._temporary)
                    self._draft_path(draft).rename(self._path(before))
                    del self._drafts[draft]
                is_other = False
            if not self._rename_entry(old, name):
                return False
            self._files[new.entry_id] = _File(name, new)
            if is_other:
                # Unless another instance renames it meanwhile.
                write_entry(self._path(name), new, self._temporary, is_new=False)
            sync_directory(self._directory)
            return True

    def take_back(self, entry: Entry, number: int) -> bool:
        """Make an entry a draft, by renaming its file."""
        with outbox_errors(f"take {entry.label} out", self._directory):
            self._acquire()
            name = self._current_name(entry)
            if name is None or not _renamed(self._path(name), self._draft_path(number)):
                return False
            self._drafts[number] = entry.draft()
            self._forget(entry.entry_id)
            sync_directory(self._directory)
            return True

    def remove(self, entry: Entry) -> bool:
        """Forget an entry."""
        with outbox_errors(f"forget {entry.label}", self._directory):
            name = self._current_name(entry)
            if name is None:
                return False
            self._forget(entry.entry_id)
            with suppress(FileNotFoundError):
                self._path(name).unlink()
                return True
            return False

    def _turn_draft_into(self, entry: Entry, number: int, path: Path) -> None:
        """Make a draft an entry: its file is written in place, then renamed.

        So at any moment it is a draft or an entry, never both and never neither.
        """
        draft = self._draft_path(number)
        write_entry(draft, entry, self._temporary)
        self._drafts[number] = entry.draft()
        draft.rename(path)
        try:
            sync_directory(self._directory)
        except OSError:
            try:
                path.rename(draft)  # what was reported as not kept must not appear later
            except OSError:
                pass  # it cannot be undone, so it is kept, if not yet for good
            else:
                raise
        del self._drafts[number]

    def _rename_entry(self, old: Entry, new: EntryName) -> bool:
        file = self._files.get(old.entry_id)
        # In the new state already: the rest of the change failed before, and is tried again. If
        # another instance brought it there, that one sends it.
        if file is None or (file.name.state is not old.state and file.name != new):
            return False
        return _renamed(self._path(file.name), self._path(new))

    # Several entries that are kept all or not at all, even if the power fails

    def add_all(self, entries: Sequence[Entry]) -> Iterator[None]:
        """Write new entries in files that are not read as such yet, a few in each step.

        An empty file, once it is made, makes all of them entries. From that moment on they are only
        renamed, by their own instance or the one that takes over.
        """
        with outbox_errors(f"keep {len(entries)} animals", self._directory):
            self._acquire()
            try:
                for number, entry in enumerate(entries, 1):
                    path = self._directory / f"{self._name(entry)}{PREPARED}"
                    write_entry(path, entry, self._temporary)
                    if number % _WRITTEN_AT_ONCE == 0:
                        yield
                self._commit_prepared()
            except BaseException:
                with suppress(OSError):  # the next instance removes it then
                    self._complete_prepared(self._instance.name)
                raise
            # They are kept: what fails from here on is done at the next read.
            with suppress(OSError):
                self._complete_prepared(self._instance.name)
            self._files |= {entry.entry_id: _File(self._name(entry), entry) for entry in entries}

    def _commit_prepared(self) -> None:
        marker = self._marker(self._instance.name)
        try:
            sync_directory(self._directory)
            flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            os.close(os.open(marker, flags, 0o600))
            sync_directory(self._directory)
        except OSError:
            marker.unlink(missing_ok=True)
            raise

    def _complete_prepared(self, instance: str) -> None:
        """Finish what an instance prepared if it was committed, else delete it."""
        marker = self._marker(instance)
        is_committed = marker.exists()
        for path in [*self._directory.iterdir()]:
            name = prepared_name(path.name)
            if name is not None and name.instance == instance:
                with suppress(FileNotFoundError):
                    if is_committed:
                        path.rename(self._path(name))
                    else:
                        path.unlink()
        if is_committed:
            sync_directory(self._directory)
            marker.unlink(missing_ok=True)

    def _marker(self, instance: str) -> Path:
        return self._directory / f"{instance}{PREPARED}"

    # Drafts

    @property
    def drafts(self) -> Mapping[int, Draft]:
        """The drafts as they are kept, by number."""
        return MappingProxyType(self._drafts.copy())

    def keep_draft(self, number: int, draft: Draft) -> None:
        """Keep a draft for good; an empty one leaves no file."""
        path = self._draft_path(number)
        if draft == _EMPTY:
            with outbox_errors("clear the draft", self._directory):
                path.unlink(missing_ok=True)
                self._drafts.pop(number, None)
            return
        with outbox_errors("keep the draft", self._directory):
            self._acquire()
            write_draft(path, draft, self._temporary)
            sync_directory(self._directory)
            self._drafts[number] = draft

    def _draft_path(self, number: int) -> Path:
        return self._directory / str(DraftName(self._instance.name, number))

    # Reading, and taking over

    def load(self) -> Contents:
        """Return what is there, after taking over from instances that have ended."""
        with outbox_errors("read the outbox", self._directory):
            if self._instance.is_lost:
                self._acquire()
            elif self._was_cleared:
                # Whatever removes the directory's files may not have been done then.
                self._was_cleared = self._write_missing()
            self._read()
            entries = tuple(self._files[entry_id].entry for entry_id in sorted(self._files))
            return Contents(entries, self._problems())

    def take_over_drafts(self) -> None:
        """Take over the drafts of all abandoned instances."""
        with outbox_errors("read the drafts", self._directory):
            for names in self._drafts_of_others():
                self._take_over_drafts(names)

    def _problems(self) -> tuple[str, ...]:
        now = dict.fromkeys((*self._not_taken_over.values(), *self._unread.values()))
        return (*self._damage, *now)

    def _read(self) -> None:
        """Read what is there; what another instance is renaming is found by the next read."""
        found = self._found()
        # Remembered until the next read: a directory is cleared one file after the other, and a
        # read may come in between.
        before, own = self._own(self._files), self._own(found)
        self._missing = {entry_id: before[entry_id] for entry_id in before.keys() - own.keys()}
        self._files = found

    def _found(self) -> dict[str, _File]:
        statuses = self._file_statuses()
        if self._complete_abandoned(statuses):
            statuses = self._file_statuses()
        names = self._without_duplicates(self._taken_over(statuses))
        self._unread = {}
        read = (self._read_file(name, status) for name, status in names.items())
        return {file.name.entry_id: file for file in read if file is not None}

    def _file_statuses(self) -> dict[str, os.stat_result]:
        statuses = {}
        try:
            with os.scandir(self._directory) as files_there:
                for file in files_there:
                    with suppress(FileNotFoundError):
                        statuses[file.name] = file.stat(follow_symlinks=False)
        except FileNotFoundError:
            return {}
        return statuses

    def _complete_abandoned(self, file_names: Iterable[str]) -> bool:
        """Finish what abandoned instances prepared, and what an error kept this one from.

        Returns whether there was anything.
        """
        own, is_done = self._instance.name, False
        for instance in dict.fromkeys(filter(None, map(preparing_instance, file_names))):
            if instance == own and not self._marker(own).exists():
                continue  # it is still being prepared
            locked = (
                nullcontext(True) if instance == own else lock_abandoned(self._directory, instance)
            )
            # Where nothing can be written they wait, as the entries of abandoned instances do.
            with suppress(OSError), locked as is_free:
                if is_free:
                    self._complete_prepared(instance)
                    is_done = True
        return is_done

    def _taken_over(self, statuses: Mapping[str, os.stat_result]) -> Statuses:
        """Return the files of entries under their names after ended instances were taken over."""
        by_instance: dict[str, Statuses] = {}
        for file_name, status in statuses.items():
            if name := entry_name(file_name):
                by_instance.setdefault(name.instance, {})[name] = status
            elif instance := locking_instance(file_name):
                by_instance.setdefault(instance, {})
        files = by_instance.pop(self._instance.name, {})
        self._not_taken_over = {}
        self._are_for_own_key = OWN_KEY in statuses
        is_alone = True
        for instance, theirs in by_instance.items():
            try:
                taken = self._take_over(instance, theirs)
            except OSError as error:
                # Nobody else owns them either: they wait until this instance can take them over.
                self._not_taken_over[instance] = f"{self._directory}: {reason_of(error)}"
                taken = theirs
            is_alone &= taken is not theirs
            files |= taken
        if self._are_for_own_key and is_alone:
            with suppress(OSError):  # each entry says so by itself now
                (self._directory / OWN_KEY).unlink()
        return files

    def _take_over(self, instance: str, files: Statuses) -> Statuses:
        """Rename the entries of another instance to this one's if it is abandoned.

        None of this is synced: after a power failure it would be done again.
        """
        with lock_abandoned(self._directory, instance) as is_abandoned:
            if not is_abandoned:
                return files
            self._instance.acquire()
            taken = {}
            for name, status in files.items():
                new = self._name_when_taken_over(name)
                if _renamed(self._path(name), self._path(new)):
                    taken[new] = status
            (self._directory / temporary_name(instance)).unlink(missing_ok=True)
        return taken

    def _name_when_taken_over(self, name: EntryName) -> EntryName:
        is_on_the_way = name.state in ON_THE_WAY
        new = name._replace(
            instance=self._instance.name,
            is_for_own_key=name.is_for_own_key or (is_on_the_way and self._are_for_own_key),
        )
        if name.state is not EntryState.SENDING:
            return new
        with suppress(OSError, DamagedContentError):  # which the next read tells
            return new._replace(state=cut_off_state(read_entry(self._path(name), name)))
        return new._replace(state=EntryState.UNKNOWN)

    def _without_duplicates(self, files: Statuses) -> Statuses:
        by_id: dict[str, EntryName] = {}
        for name in sorted(files, key=lambda name: (name.entry_id, _STATES.index(name.state))):
            duplicate = by_id.get(name.entry_id)
            if duplicate is not None and self._is_own(duplicate):
                self._set_aside(self._path(duplicate), f"{name} is there too")
            by_id[name.entry_id] = name
        return {name: files[name] for name in by_id.values()}

    def _read_file(self, name: EntryName, status: os.stat_result) -> _File | None:
        """Return a file that can be read, or that was before; one that did not change is known."""
        is_abandoned = name.instance in self._not_taken_over  # so nobody else owns it either
        owned_elsewhere = not self._is_own(name) and not is_abandoned
        version = FileVersion.of(status)
        known = self._files.get(name.entry_id)
        if known is not None:
            seen = (known.name, known.version, known.entry.owned_elsewhere)
            if seen == (name, version, owned_elsewhere):
                return known
        path = self._path(name)
        try:
            entry = read_entry(path, name)
        except DamagedContentError as error:
            self._set_aside(path, str(error))
            return None
        except FileNotFoundError:
            # Another instance has just renamed it: what was known holds until the next read.
            return known._replace(name=name, version=None) if known else None
        except OSError as error:
            self._unread[name] = f"{path}: {reason_of(error)}"
            if known is None or not self._is_own(known.name):
                return None
            return _File(name, replace(known.entry, state=name.state))
        state = entry.state
        if is_abandoned and state is EntryState.SENDING:
            state = cut_off_state(entry)  # as its name will say once it can be renamed
        refusal = entry.refusal or _NOT_KEPT.get(state)
        entry = replace(entry, state=state, owned_elsewhere=owned_elsewhere, refusal=refusal)
        return _File(name, entry, version)

    def _drafts_of_others(self) -> Iterable[Sequence[DraftName]]:
        """Return the drafts of each other instance, in order of their numbers."""
        drafts: dict[str, list[DraftName]] = {}
        names = filter(None, map(draft_name, self._file_statuses()))
        for name in sorted(names, key=lambda name: name.number):
            if name.instance != self._instance.name:
                drafts.setdefault(name.instance, []).append(name)
        return drafts.values()

    def _take_over_drafts(self, names: Sequence[DraftName]) -> None:
        """Give the drafts of an instance numbers of this one, if it is abandoned."""
        with lock_abandoned(self._directory, names[0].instance) as is_abandoned:
            if not is_abandoned:
                return
            self._instance.acquire()
            taken = [
                number
                for name, number in zip(names, self._taken_numbers, strict=False)
                if _renamed(self._directory / str(name), self._draft_path(number))
            ]
        for number in taken:
            path = self._draft_path(number)
            try:
                self._drafts[number] = read_draft(path)
            except DamagedContentError as error:
                self._set_aside(path, str(error))

    def _set_aside(self, path: Path, reason: str) -> None:
        """Rename a damaged file to ``NAME.damaged``, which nobody reads."""
        aside = path.with_name(f"{path.name}.damaged")
        try:
            path.rename(aside)
        except FileNotFoundError:
            return
        except OSError as error:
            line = f"{path}: {reason}; it cannot be set aside: {reason_of(error)}"
        else:
            line = f"{aside}: set aside: {reason}"
        self._damage[line] = None

    # The instance

    def close(self) -> None:
        """Leave everything to the next instance."""
        with suppress(OSError):  # the kernel releases the lock in any case
            self._instance.release()

    def _acquire(self) -> None:
        make_directory(self._directory)
        if self._instance.is_lost:
            self._was_cleared = True
            # Before the lock: if this fails it is tried again.
            self._write_missing()
            for number, draft in self._drafts.items():
                if not os.path.lexists(self._draft_path(number)):
                    write_draft(self._draft_path(number), draft, self._temporary)
        self._instance.acquire()

    def _write_missing(self) -> bool:
        """Write the own entries again whose files were removed; return whether there were any."""
        there = {
            name.entry_id for path in self._directory.iterdir() if (name := entry_name(path.name))
        }
        owned = self._missing | self._own(self._files)
        missing = [entry for entry_id, entry in owned.items() if entry_id not in there]
        for entry in missing:
            name = self._name(entry)
            write_entry(self._path(name), entry, self._temporary)
            self._files[entry.entry_id] = _File(name, entry)
        if missing:
            sync_directory(self._directory)
            line = f"files were removed from {self._directory}; they were written again"
            self._damage[line] = None
        return bool(missing)

    def _own(self, files: Mapping[str, _File]) -> dict[str, Entry]:
        return {entry_id: file.entry for entry_id, file in files.items() if self._is_own(file.name)}

    def _is_own(self, name: EntryName) -> bool:
        return name.instance == self._instance.name

    def _current_name(self, entry: Entry) -> EntryName | None:
        """Return the name of an entry's file; None where its state or owner is another."""
        file = self._files.get(entry.entry_id)
        return file.name if file is not None and file.name.state is entry.state else None

    def _forget(self, entry_id: str) -> None:
        del self._files[entry_id]
        self._missing.pop(entry_id, None)

    def _name(self, entry: Entry) -> EntryName:
        is_for_own_key = entry.own_key is not None
        return EntryName(entry.entry_id, self._instance.name, entry.state, is_for_own_key)

    def _path(self, name: EntryName) -> Path:
        return self._directory / str(name)


def _renamed(old: Path, new: Path) -> bool:
    try:
        old.rename(new)
    except FileNotFoundError:
        return False
    return True
