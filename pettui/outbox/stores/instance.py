"""Which instance of the app owns what, and whether it is still running.

An instance holds a lock (flock, of one open file) on a file of its name. The kernel releases it
when the process ends, however it ends. One process may have several instances.
"""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from pettui.files import lock
from pettui.outbox.stores.file_names import lock_instance, lock_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Instance:
    """One opened outbox in one process, with a name that no other has."""

    def __init__(self, directory: Path) -> None:
        self.name = secrets.token_hex(8)
        self._path = directory / lock_name(self.name)
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
def lock_abandoned(directory: Path, name: str) -> Iterator[bool]:
    """Yield whether an instance is abandoned; within the block no other instance gets True.

    It is False where that cannot be known: a file of another user, a file system without locks.
    """
    try:
        descriptor = _open_lock(directory / lock_name(name))
    except OSError as error:
        yield isinstance(error, FileNotFoundError)
        return
    try:
        is_abandoned = _is_locked_now(descriptor)
        yield is_abandoned
        if is_abandoned:
            with suppress(OSError):
                (directory / lock_name(name)).unlink()
    finally:
        os.close(descriptor)


def is_in_use(directory: Path) -> bool:
    """Whether a running instance owns something in a directory. Raises OSError."""
    for name in os.listdir(directory):  # noqa: PTH208
        if instance := lock_instance(name):
            with lock_abandoned(directory, instance) as is_abandoned:
                if not is_abandoned:
                    return True
    return False


def _open_lock(path: Path) -> int:
    """Open a lock file; on a read-only file system only for reading, enough if that is local."""
    try:
        return os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno != errno.EROFS:
            raise
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)


def _is_locked_now(descriptor: int) -> bool:
    try:
        lock(descriptor)
    except OSError:
        return False
    return True
