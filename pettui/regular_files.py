"""Reading files that a user names, without ever blocking on a FIFO or a device."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

NOT_REGULAR: Final = "not a regular file"
SETTLED_AFTER: Final = 2_000_000_000  # nanoseconds; no file system's clock is coarser
# A FIFO opens at once, even without a writer; a terminal does not become the controlling one.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class FileVersion(NamedTuple):
    """What distinguishes one version of a file from another."""

    device: int
    inode: int
    size: int
    modified: int  # nanoseconds
    changed: int  # nanoseconds; unlike ``modified`` nobody can set it

    @classmethod
    def of(cls, status: os.stat_result) -> FileVersion:
        """Return the version that ``stat`` found."""
        times = status.st_mtime_ns, status.st_ctime_ns
        return cls(status.st_dev, status.st_ino, status.st_size, *times)

    def is_settled(self, now: int) -> bool:
        """Whether a change from now on, in nanoseconds, is sure to show as another version."""
        return self.changed + SETTLED_AFTER < now


def file_version(path: Path) -> FileVersion | None:
    """Return the version of a file; None if it does not exist, or cannot be examined."""
    try:
        return FileVersion.of(path.stat())
    except OSError:
        return None


@dataclass(frozen=True, slots=True)
class RegularFile:
    """The content and the status of a file, from the same moment."""

    content: bytes
    status: os.stat_result  # of the file that was read, whatever is at its path by now


def read_regular_file(path: Path | str, maximum: int) -> RegularFile:
    """Return the content and the status of a regular file; the null device is an empty one.

    Args:
        path: a symbolic link is followed.
        maximum: its size in bytes, at most.

    Raises:
        OSError: it cannot be read; ``strerror`` says why. A FIFO, a socket or another device is
            EINVAL, a directory EISDIR, more than ``maximum`` bytes EFBIG, and an impossible path
            (with a NUL in it) ENOENT.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except ValueError:
        raise _error(errno.ENOENT, path) from None
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.EOPNOTSUPP):  # a socket, or a device without a driver
            raise _error(errno.EINVAL, path, NOT_REGULAR) from None
        raise
    try:
        status = os.fstat(descriptor)
        _check_kind(status, path)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(maximum + 1)
    finally:
        os.close(descriptor)
    if len(content) > maximum:
        raise _error(errno.EFBIG, path)
    return RegularFile(content, status)


def _check_kind(status: os.stat_result, path: Path | str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise _error(errno.EISDIR, path)
    if not stat.S_ISREG(status.st_mode) and not _is_null_device(status):
        raise _error(errno.EINVAL, path, NOT_REGULAR)


def _is_null_device(status: os.stat_result) -> bool:
    return os.path.samestat(status, Path(os.devnull).stat())


def _error(number: int, path: Path | str, reason: str | None = None) -> OSError:
    """Return the OSError of a number, as Python's subclass for it."""
    return OSError(number, reason or os.strerror(number), str(path))
