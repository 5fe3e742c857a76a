"""Directories that are their owner's alone, and that last."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


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
