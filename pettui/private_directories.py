"""Directories that are their owner's alone, and that last."""

from __future__ import annotations

import errno
import os
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

LOCK_SECONDS: Final = 10.0  # that another process may have a lock; what it does takes no second
LOCK_PAUSE: Final = 0.02  # seconds between looks at whether it has


def make_directory(directory: Path) -> None:
    """Make a directory that is its owner's alone, for good, and those above it. Raises OSError."""
    if directory.is_dir():
        return
    make_directory(directory.parent)
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from error
    sync_directory(directory.parent)


def sync_directory(directory: Path) -> None:
    """Make names that were given, changed and taken in a directory last."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that has no such thing
            raise
    finally:
        os.close(descriptor)


def lock_directory(descriptor: int) -> None:
    """Take the lock of an open directory (flock), once whoever has it is done.

    Raises:
        OSError: another program keeps it (ETIMEDOUT), or the file system has no locks.
    """
    if os.name != "posix":
        return
    import fcntl  # noqa: PLC0415 - not on Windows

    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                reason = "another program keeps its directory locked"
                raise TimeoutError(errno.ETIMEDOUT, reason) from None
        else:
            return
        time.sleep(LOCK_PAUSE)
