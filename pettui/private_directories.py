"""Directories that only their owner can read, made durable."""

from __future__ import annotations

import errno
import os
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

LOCK_SECONDS: Final = 10.0  # to wait for a lock; nothing is done under it for even a second
LOCK_PAUSE: Final = 0.02  # seconds between two attempts


def make_directory(directory: Path) -> None:
    """Make a directory (0700) and those above it, durably. Raises OSError."""
    if directory.is_dir():
        return
    make_directory(directory.parent)
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from error
    sync_directory(directory.parent)


def sync_directory(directory: Path) -> None:
    """Make changes of the names in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system without this
            raise
    finally:
        os.close(descriptor)


def lock_directory(descriptor: int) -> None:
    """Lock an open directory (flock), waiting for another process if necessary.

    Raises:
        OSError: another program keeps the lock (ETIMEDOUT), or the file system has none.
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
