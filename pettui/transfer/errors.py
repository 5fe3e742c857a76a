"""TransferError: why a file could not be written or read, in one line."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.text import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_SHOWN: Final = 300  # characters of a path
_REASONS: Final[Mapping[int, str]] = MappingProxyType(
    {
        errno.ENOENT: "no such file or directory",
        errno.ENOTDIR: "part of its path is not a directory",
        errno.EISDIR: "it is a directory",
        errno.EACCES: "permission denied",
        errno.EPERM: "permission denied",
        errno.EROFS: "the file system is read-only",
        errno.ENOSPC: "the disk is full",
        errno.EDQUOT: "the disk quota is used up",
        errno.EFBIG: "it is too large",
        errno.ENAMETOOLONG: "its path is too long",
        errno.ELOOP: "it is a symbolic link",
    }
)


class TransferError(Exception):
    """A file could not be written or read; the text is one line that is safe to draw."""


class FileThereError(TransferError):
    """There is a file already, and nobody said that it may be overwritten."""


def reason_of(error: OSError) -> str:
    """Return why a call of the system failed, in a few words."""
    said = _REASONS.get(error.errno or 0) or error.strerror or type(error).__name__
    return said[:1].lower() + said[1:]


@contextmanager
def told_as(what: str, path: Path | str) -> Iterator[None]:
    """Raise each OSError of the system's as a TransferError: "cannot write a.csv: …"."""
    try:
        yield
    except OSError as error:
        raise failure(what, path, reason_of(error)) from error


def failure(what: str, path: Path | str, reason: str) -> TransferError:
    """Return the error that says what cannot be done with a path, and why."""
    return TransferError(f"cannot {what} {safe(str(path), _SHOWN)}: {safe(reason, _SHOWN)}")
