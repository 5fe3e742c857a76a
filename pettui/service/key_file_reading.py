"""Reading the file of keys: its text, and which version of the file that text is of."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.service.store import SetupError

if TYPE_CHECKING:
    from pathlib import Path

FILE_MAXIMUM: Final = 1024 * 1024  # bytes; some eight thousand keys
SETTLED_AFTER: Final = 2_000_000_000  # nanoseconds; no file system's clock is coarser


class KeyFileError(SetupError):
    """A key file that can't be used, or a name that is taken, unknown or malformed."""


class FileVersion(NamedTuple):
    """What tells one version of a file from another."""

    inode: int
    size: int
    modified: int  # nanoseconds
    changed: int  # nanoseconds; unlike ``modified`` nobody can set it
    mode: int

    @classmethod
    def of(cls, found: os.stat_result) -> FileVersion:
        """Return the version that ``stat`` found."""
        times = found.st_mtime_ns, found.st_ctime_ns
        return cls(found.st_ino, found.st_size, *times, found.st_mode)

    def is_settled(self, now: int) -> bool:
        """Whether a change from now on, in nanoseconds, is sure to show as another version."""
        return self.changed + SETTLED_AFTER < now


class VersionedText(NamedTuple):
    """The text of a file, and the version that it is of."""

    text: str
    version: FileVersion


def file_version(path: Path) -> FileVersion | None:
    """Return the version of a file; None where there is none, or it can't be told."""
    try:
        return FileVersion.of(os.stat(path))  # noqa: PTH116 - as read_text_file's fstat
    except OSError:
        return None


def read_text_file(path: Path) -> VersionedText | None:
    """Return what is in the file; None where there is no file.

    Text and version are of one file, whatever takes its place meanwhile; the version is the one
    from before the text was read, so that a change in between shows as a newer one.

    Raises:
        KeyFileError: others can read it, or it can't be read.
    """
    try:
        # A FIFO would keep a reader waiting for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
        try:
            version = FileVersion.of(os.fstat(descriptor))
            _refuse_unusable(path, version)
            content = os.read(descriptor, FILE_MAXIMUM + 1)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KeyFileError(f"key file {path} can't be read: {error.strerror}") from error
    if len(content) > FILE_MAXIMUM:
        raise KeyFileError(f"key file {path} has more than {FILE_MAXIMUM} bytes; name another file")
    try:
        return VersionedText(content.decode(), version)
    except UnicodeDecodeError as error:
        raise KeyFileError(f"key file {path} is no UTF-8 text; name another file") from error


def _refuse_unusable(path: Path, version: FileVersion) -> None:
    if not stat.S_ISREG(version.mode):
        raise KeyFileError(f"key file {path} is no file; name another one")
    if version.mode & 0o077 and sys.platform != "win32":
        raise KeyFileError(f"key file {path} can be read by others; run: chmod 600 {path}")
