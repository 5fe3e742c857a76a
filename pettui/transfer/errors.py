"""TransferError: a file that cannot be written or read, and why, in one line."""

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


class TargetExistsError(TransferError):
    """The file to write already exists, and may not be overwritten."""


def reason_of(error: OSError) -> str:
    """Return why a system call failed, in a few words."""
    reason = _REASONS.get(error.errno or 0) or error.strerror or type(error).__name__
    return reason[:1].lower() + reason[1:]


@contextmanager
def transfer_errors(what: str, path: Path | str) -> Iterator[None]:
    """Raise each OSError of the block as a TransferError: "cannot write a.csv: …"."""
    try:
        yield
    except OSError as error:
        raise failure(what, path, reason_of(error)) from error


def failure(what: str, path: Path | str, reason: str) -> TransferError:
    """Return the error of what cannot be done with a path, and why."""
    return TransferError(f"cannot {what} {safe(str(path), _SHOWN)}: {safe(reason, _SHOWN)}")
