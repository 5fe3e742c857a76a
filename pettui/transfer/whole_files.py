"""Files that are there whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.text import safe
from pettui.transfer.errors import FileThereError, failure, told_as

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

TEMPORARY_FILES: Final = ".pettui-*.tmp"
"""The names of files that are being written; one that grows old was left by a killed process."""
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_HARD_LINKS: Final = frozenset(
    {errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
)
_NO_SYNC: Final = frozenset({errno.EINVAL, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP})


def write_whole(
    path: Path, pieces: Iterable[bytes], *, overwrite: bool = False, mode: int | None = None
) -> None:
    """Write a file through a temporary one beside it; it lasts when this returns.

    It blocks, and may be called in any thread. Until it is whole nobody else can read it, and
    nothing stands at its path; what ``pieces`` raises takes it away again and is raised.

    Args:
        path: where it is to be; a link, a device or a directory there is never written to.
        pieces: its content, asked for while it is written.
        overwrite: whether a file that is there may be replaced.
        mode: its permissions in the end. None is those of the file that it replaces, or else what
            the user's umask leaves of 0666.

    Raises:
        FileThereError: there is a file, and it may not be overwritten.
        TransferError: it cannot be written.
    """
    with told_as("write", path):
        check_target(path, overwrite=overwrite)
        wanted = _mode_in_the_end(path) if mode is None else mode
        temporary = _beside(path)
        try:
            _write(temporary, pieces, wanted)
            _put(temporary, path, overwrite=overwrite)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        _sync_directory(path.parent)


def check_target(path: Path, *, overwrite: bool = False) -> None:
    """Check that a file may come to stand at a path; raises as ``write_whole`` does.

    Whether its directory can be written is found out by writing alone.
    """
    with told_as("write", path):
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
            raise _is_there(path)


def check_writable(path: Path, *, overwrite: bool = False) -> None:
    """Check as ``check_target``, and that the directory takes a new file, by making one."""
    with told_as("write", path):
        check_target(path, overwrite=overwrite)
        _mode_of_new_file(path)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None
    except ValueError:  # a NUL, or half of a character
        raise failure("write", path, "a file cannot have such a name") from None


def _is_there(path: Path) -> FileThereError:
    return FileThereError(f"{safe(str(path), 300)} already exists")


def _mode_in_the_end(path: Path) -> int:
    """Return the permissions of the file that is there, else those of any new one beside it."""
    status = _status(path)
    return _mode_of_new_file(path) if status is None else stat.S_IMODE(status.st_mode) & 0o777


def _mode_of_new_file(path: Path) -> int:
    """Return the permissions of any new file beside one.

    The umask itself can be read only by changing it, for all threads; and a directory may have
    rules of its own (a default ACL). A new file that stays empty tells.
    """
    probe = _beside(path)
    descriptor = os.open(probe, _NEW, 0o666)
    try:
        return stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o777
    finally:
        os.close(descriptor)
        probe.unlink()


def _beside(path: Path) -> Path:
    # Short: the name of the file itself may be as long as names can be.
    return path.parent / TEMPORARY_FILES.replace("*", secrets.token_hex(8))


def _write(temporary: Path, pieces: Iterable[bytes], mode: int) -> None:
    with os.fdopen(os.open(temporary, _NEW, 0o600), "wb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        with suppress(PermissionError):  # a file system that knows no modes
            os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())


def _put(temporary: Path, path: Path, *, overwrite: bool) -> None:
    if overwrite:
        temporary.replace(path)
        return
    try:
        os.link(temporary, path)  # unlike a rename, never over a file that has come in between
    except FileExistsError:
        raise _is_there(path) from None
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if os.path.lexists(path):
            raise _is_there(path) from None
        temporary.rename(path)
    else:
        temporary.unlink()


def _sync_directory(directory: Path) -> None:
    """Make a name that was given in a directory last, where the system can do that."""
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:  # it can be written, and not be read
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)
