"""Files that are written completely or not at all, whatever happens meanwhile."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.files import complete_file, sync_directory, temporary_path
from pettui.text import safe
from pettui.transfer.errors import TargetExistsError, failure, transfer_errors

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_HARD_LINKS: Final = frozenset(
    {errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
)


def write_whole(
    path: Path, pieces: Iterable[bytes], *, overwrite: bool = False, mode: int | None = None
) -> None:
    """Write a file through a temporary one beside it; it is on the disk when this returns.

    It blocks, and may be called in any thread. Until the file is complete only the user can read
    it, and the path is unchanged; if ``pieces`` raises, the temporary file is removed.

    Args:
        path: of the file; an existing link, device or directory is never written to.
        pieces: its content, consumed while it is written.
        overwrite: whether an existing file may be replaced.
        mode: its final permissions. None for those of the file that it replaces, or else 0666
            without the bits of the umask.

    Raises:
        TargetExistsError: the file exists, and may not be overwritten.
        TransferError: it cannot be written.
    """
    with transfer_errors("write", path):
        check_target(path, overwrite=overwrite)
        final_mode = _final_mode(path) if mode is None else mode
        with complete_file(path, pieces, mode=final_mode) as temporary:
            _move(temporary, path, overwrite=overwrite)
        with suppress(PermissionError):  # a directory that can be written but not read
            sync_directory(path.parent)


def check_target(path: Path, *, overwrite: bool = False) -> None:
    """Check that a file may be written to a path; raises as ``write_whole`` does.

    It does not check whether the directory is writable.
    """
    with transfer_errors("write", path):
        status = _status(path)
        if status is None:
            return
        if stat.S_ISLNK(status.st_mode):
            raise failure("write", path, "it is a symbolic link")
        if stat.S_ISDIR(status.st_mode):
            raise failure("write", path, "it is a directory")
        if not stat.S_ISREG(status.st_mode):
            raise failure("write", path, "it is not a regular file")
        if not overwrite:
            raise _exists_already(path)


def check_writable(path: Path, *, overwrite: bool = False) -> None:
    """Check as ``check_target`` does, and that a file can be created in the directory."""
    with transfer_errors("write", path):
        check_target(path, overwrite=overwrite)
        _mode_of_new_file(path)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None
    except ValueError:  # a NUL or a lone surrogate
        raise failure("write", path, "a file cannot have such a name") from None


def _exists_already(path: Path) -> TargetExistsError:
    return TargetExistsError(f"{safe(str(path), 300)} already exists")


def _final_mode(path: Path) -> int:
    """Return the permissions of the existing file, or else those of a new file beside it."""
    status = _status(path)
    return _mode_of_new_file(path) if status is None else stat.S_IMODE(status.st_mode) & 0o777


def _mode_of_new_file(path: Path) -> int:
    """Return the permissions that a new file beside a path gets.

    Reading the umask means changing it for all threads, and a directory may have a default ACL. So
    an empty file is created.
    """
    probe = temporary_path(path)
    descriptor = os.open(probe, _NEW, 0o666)
    try:
        return stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o777
    finally:
        os.close(descriptor)
        probe.unlink()


def _move(temporary: Path, path: Path, *, overwrite: bool) -> None:
    if overwrite:
        temporary.replace(path)
        return
    try:
        os.link(temporary, path)  # unlike a rename, this never replaces a file
    except FileExistsError:
        raise _exists_already(path) from None
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if os.path.lexists(path):
            raise _exists_already(path) from None
        temporary.rename(path)
    else:
        temporary.unlink()
