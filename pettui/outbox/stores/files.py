"""The files of an outbox: their names, what is in them, and the lock of who owns them.

An entry is ``ID.INSTANCE.STATE.json``: its name holds its state and the instance that owns it. So
one rename takes it from one state or owner to the next, for good, and of many that try only one
succeeds; it needs no room on a full disk, and no lock. Its state is not in the file.

========================================  =========================================================
``ID.INSTANCE.STATE.json``                an entry
``ID.INSTANCE.STATE.own-key.json``        one that is for an API key of the user's own
``ID.INSTANCE.STATE.json.prepared``       one of several that become entries together, or never
``INSTANCE.prepared``                     from now on all that this instance prepared are entries
``INSTANCE.draft.json``                   a draft; ``INSTANCE.1.draft.json`` and so on are others
``INSTANCE.tmp``                          what it is writing
``INSTANCE.lock``                         locked by it for as long as it runs
``NAME.damaged``                          set aside; nobody reads it
========================================  =========================================================
"""

from __future__ import annotations

import errno
import os
import re
import secrets
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.outbox.entries import UNKNOWN_KEY, Draft, Entry, EntryState
from pettui.outbox.stores.contents import (
    DamagedContentError,
    draft_text,
    entry_text,
    parsed_draft,
    parsed_entry,
)
from pettui.system.files import complete_file, is_locked_now, lock, read_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


LARGEST: Final = 64 * 1024 * 1024  # bytes that are read of a file
PREPARED: Final = ".prepared"
_DAMAGE: Final = {
    errno.ELOOP: "it is a link, not a file",
    errno.EISDIR: "it is not a file",
    errno.EINVAL: "it is not a file",
    errno.EFBIG: "it is too large",
}
_STATES: Final = "|".join(state.value for state in EntryState)
_ENTRY: Final = re.compile(
    rf"([01][0-9]{{19}}-[0-9a-f]{{8}})\.([0-9a-f]{{16}})\.({_STATES})(\.own-key)?\.json"
)
_DRAFT: Final = re.compile(r"([0-9a-f]{16})(?:\.([1-9][0-9]{0,8}))?\.draft\.json")
_LOCK: Final = re.compile(r"([0-9a-f]{16})\.lock")
_MARKER: Final = re.compile(rf"([0-9a-f]{{16}}){re.escape(PREPARED)}")


# Names


class EntryName(NamedTuple):
    """The name of an entry's file, in its parts."""

    entry_id: str
    instance: str
    state: EntryState
    is_for_own_key: bool = False

    def __str__(self) -> str:
        own_key = ".own-key" if self.is_for_own_key else ""
        return f"{self.entry_id}.{self.instance}.{self.state.value}{own_key}.json"


class DraftName(NamedTuple):
    """The name of a draft's file, in its parts."""

    instance: str
    number: int = 0

    def __str__(self) -> str:
        number = f".{self.number}" if self.number else ""
        return f"{self.instance}{number}.draft.json"


def entry_name(file_name: str) -> EntryName | None:
    """Parse the name of a file; None where it is not an entry's."""
    match = _ENTRY.fullmatch(file_name)
    if match is None:
        return None
    return EntryName(match[1], match[2], EntryState(match[3]), match[4] is not None)


def entry_files(file_names: Iterable[str]) -> dict[str, EntryName]:
    """Return which files of a directory are entries, by the names of the files.

    What was prepared is, too, from the moment on in which its instance has committed it, whatever
    it is called yet: the instance may have been killed before it renamed it.
    """
    names = [*file_names]
    committed = {marker[1] for marker in map(_MARKER.fullmatch, names) if marker}
    found = {}
    for file_name in names:
        name, prepared = entry_name(file_name), prepared_name(file_name)
        if name is not None:
            found[file_name] = name
        elif prepared is not None and prepared.instance in committed:
            found[file_name] = prepared
    return found


def saved_names(file_names: Iterable[str]) -> dict[str, str]:
    """Return what of a directory a backup has: the names there, and those of the files."""
    names = [*file_names]
    others = {name: name for name in names if preparing_instance(name) is None}
    return others | {str(name): file_name for file_name, name in entry_files(names).items()}


def restored_name(file_name: str) -> str:
    """Return the name of a file that comes from a backup: what waited may have been sent since.

    So it is one whose sending was cut off, which is not sent again by itself. Backups of earlier
    versions have what was prepared as it was.
    """
    name, ending = entry_name(file_name), ""
    if name is None:
        name, ending = prepared_name(file_name), PREPARED
    if name is None or name.state is not EntryState.WAITING:
        return file_name
    return f"{name._replace(state=EntryState.SENDING)}{ending}"


def draft_name(file_name: str) -> DraftName | None:
    """Parse the name of a file; None where it is not a draft's."""
    match = _DRAFT.fullmatch(file_name)
    return DraftName(match[1], int(match[2] or 0)) if match else None


def prepared_name(file_name: str) -> EntryName | None:
    """Parse the name of a file; None where it is not one that was prepared."""
    return entry_name(file_name.removesuffix(PREPARED)) if file_name.endswith(PREPARED) else None


def preparing_instance(file_name: str) -> str | None:
    """Return whose prepared entry, or whose mark that they are entries, a file is."""
    if marker := _MARKER.fullmatch(file_name):
        return marker[1]
    name = prepared_name(file_name)
    return name.instance if name else None


def locking_instance(file_name: str) -> str | None:
    """Return which instance's lock a file is; None where it is none."""
    match = _LOCK.fullmatch(file_name)
    return match[1] if match else None


def temporary_name(instance: str) -> str:
    """Return the name of the file that an instance is writing."""
    return f"{instance}.tmp"


# Contents: each written whole or not at all


def write_entry(path: Path, entry: Entry, temporary: Path, *, is_new: bool = True) -> None:
    """Write an entry's file; one that is not new is not made again where it is gone by then.

    It survives a power failure once the directory is synced. Raises OSError.
    """
    _write(path, entry_text(entry), temporary, is_new=is_new)


def read_entry(path: Path, name: EntryName) -> Entry:
    """Read an entry's file; its state is in the name, and whether it is for a user's own API key.

    Args:
        path: of the file, which may be one that was prepared.
        name: of the entry.

    Raises:
        DamagedContentError: it does not hold an entry.
        OSError: it cannot be read.
    """
    entry = parsed_entry(_read(path), name.entry_id)
    is_marked = name.is_for_own_key and entry.own_key is None
    return replace(entry, state=name.state, own_key=UNKNOWN_KEY if is_marked else entry.own_key)


def write_draft(path: Path, draft: Draft, temporary: Path) -> None:
    """Write a draft's file, as ``write_entry`` does."""
    _write(path, draft_text(draft), temporary)


def read_draft(path: Path) -> Draft:
    """Read a draft's file, or an entry's that became a draft; raises as ``read_entry``."""
    return parsed_draft(_read(path), path.stat().st_mtime)


def _write(path: Path, text: bytes, temporary: Path, *, is_new: bool = True) -> None:
    with complete_file(path, [text], temporary=temporary):
        if is_new or path.exists():
            temporary.rename(path)
        else:
            temporary.unlink()


def _read(path: Path) -> bytes:
    try:
        return read_regular_file(path, LARGEST, follow_links=False).content
    except OSError as error:
        if error.errno in _DAMAGE:
            raise DamagedContentError(_DAMAGE[error.errno]) from error
        raise


# Locks


class Instance:
    """One opened outbox in one process, with a name that no other has.

    It holds a lock (flock, of one open file) on a file of its name. The kernel releases it when the
    process ends, however it ends. One process may have several instances.
    """

    def __init__(self, directory: Path) -> None:
        self.name = secrets.token_hex(8)
        self._path = directory / f"{self.name}.lock"
        self._lock: int | None = None

    @property
    def is_lost(self) -> bool:
        """Whether its lock file was removed: the directory may be gone."""
        return self._lock is not None and not self._is_held()

    def acquire(self) -> None:
        """Hold the lock from now on; acquire it again if its file was removed."""
        if self._is_held():
            return
        self._close_lock()
        new = self._path.with_suffix(".lock.new")
        self._lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        # Locked before anyone can see it under its name: nobody takes it for abandoned.
        lock(self._lock)
        new.rename(self._path)

    def release(self) -> None:
        """Leave what it owns to other instances."""
        if self._is_held():
            self._path.unlink(missing_ok=True)
        self._close_lock()

    def _is_held(self) -> bool:
        if self._lock is None:
            return False
        with suppress(FileNotFoundError):
            return os.path.samestat(self._path.stat(), os.fstat(self._lock))
        return False

    def _close_lock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


@contextmanager
def lock_abandoned(directory: Path, instance: str) -> Iterator[bool]:
    """Yield whether an instance is abandoned; within the block no other instance gets True.

    It is False where that cannot be known: a file of another user, a file system without locks.
    """
    path = directory / f"{instance}.lock"
    try:
        descriptor = _open_lock(path)
    except OSError as error:
        yield isinstance(error, FileNotFoundError)
        return
    try:
        is_abandoned = is_locked_now(descriptor)
        yield is_abandoned
        if is_abandoned:
            with suppress(OSError):
                path.unlink()
    finally:
        os.close(descriptor)


def is_in_use(directory: Path) -> bool:
    """Whether a running instance owns something in a directory. Raises OSError."""
    for name in os.listdir(directory):  # noqa: PTH208 - names are all that is wanted
        if instance := locking_instance(name):
            with lock_abandoned(directory, instance) as is_abandoned:
                if not is_abandoned:
                    return True
    return False


def _open_lock(path: Path) -> int:
    """Open a lock file; on a read-only file system only for reading, enough if that is local."""
    flags = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(path, os.O_RDWR | flags)
    except OSError as error:
        if error.errno != errno.EROFS:
            raise
        return os.open(path, os.O_RDONLY | flags)
