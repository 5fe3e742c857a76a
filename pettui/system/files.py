"""Files and directories on the disk: read without ever blocking, written whole, private, locked.

And why one of that failed, in the words that all of pettui uses.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

NOT_REGULAR: Final = "it is not a regular file"
SETTLED_AFTER: Final = 2_000_000_000  # nanoseconds; no file system's clock is coarser
TEMPORARY_FILES: Final = ".pettui-*.tmp"
"""The names of files that are being written; an old one was left by a killed process."""
LOCK_SECONDS: Final = 10.0  # to wait for a directory; nothing is done in it for even a second
LOCK_PAUSE: Final = 0.02  # seconds between two attempts
# A FIFO opens at once, even without a writer; a terminal does not become the controlling one.
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LOCKS: Final = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
_NO_SYNC: Final = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})


# Errors

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


def reason_of(error: OSError) -> str:
    """Return why a system call failed, in a few words."""
    reason = _REASONS.get(error.errno or 0) or error.strerror or str(error) or "it failed"
    return reason[:1].lower() + reason[1:]


def why_refused(directory: Path) -> str:
    """Return in a word why nothing can be kept in a directory, or where it will be made; or ""."""
    while not directory.exists() and directory != directory.parent:
        directory = directory.parent
    try:
        disk = os.statvfs(directory)
    except OSError:
        return "unreachable"
    if disk.f_flag & os.ST_RDONLY:
        return "read-only"
    if not disk.f_bavail:
        return "full"
    return "" if os.access(directory, os.W_OK | os.X_OK) else "no right"


# Reading


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


class RegularFile(NamedTuple):
    """The content and the status of a file, from the same moment."""

    content: bytes
    status: os.stat_result  # of the file that was read, whatever is at its path by now

    @property
    def is_own(self) -> bool:
        """Whether it is this user's, and nobody else can write it."""
        return self.status.st_uid == os.geteuid() and not self.status.st_mode & 0o022

    def is_safe_at(self, path: Path) -> bool:
        """Whether none but this user and root can write it, or put another one at its path.

        One whose path leads nowhere by now is not safe, since somebody replaces it.
        """
        try:
            directories = {each.parent.stat() for each in (path, path.resolve())}
        except OSError:
            return False
        return all(map(_is_safe, (self.status, *directories)))


def _is_safe(status: os.stat_result) -> bool:
    """Whether none but this user and root can write a file, or take one out of a directory."""
    is_sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
    return status.st_uid in (0, os.geteuid()) and bool(is_sticky or not status.st_mode & 0o022)


def open_regular_file(path: Path | str, *, follow_links: bool = True) -> BinaryIO:
    """Open a regular file for reading, without ever blocking; the caller closes it.

    Args:
        path: of the file; the null device, which a user may name, is an empty one.
        follow_links: False for pettui's own files, which are neither links nor devices.

    Raises:
        OSError: it cannot be read; ``strerror`` says why. A FIFO, a socket or another device is
            EINVAL, a directory EISDIR, a link that is not followed ELOOP, and an impossible path
            (with a NUL in it) ENOENT.
    """
    descriptor, _ = _opened(path, follow_links=follow_links)
    return os.fdopen(descriptor, "rb")


def read_regular_file(
    path: Path | str, maximum: int | None = None, *, follow_links: bool = True
) -> RegularFile:
    """Return the content and the status of a regular file; blocks and raises no more than opening.

    One of more than ``maximum`` bytes is EFBIG.
    """
    descriptor, status = _opened(path, follow_links=follow_links)
    with os.fdopen(descriptor, "rb") as file:
        if maximum is not None and status.st_size > maximum:
            raise _error(errno.EFBIG, path)
        content = file.read() if maximum is None else file.read(maximum + 1)
    if maximum is not None and len(content) > maximum:  # it has grown, or has no size
        raise _error(errno.EFBIG, path)
    return RegularFile(content, status)


class WatchedFile:
    """A file that is read again once it has changed, such as one of keys.

    A change within a moment of a read may leave the same version, since the clocks of file systems
    are coarse. So a file that has just changed counts as changed until that moment is over.
    """

    def __init__(self, path: Path, maximum: int, clock: Callable[[], int] = time.time_ns) -> None:
        """Read nothing yet.

        Args:
            path: of the file.
            maximum: bytes that it may have.
            clock: nanoseconds, as in the file system.
        """
        self.path = path
        self._maximum = maximum
        self._clock = clock
        self._version: FileVersion | None = None  # None: it has to be read

    @property
    def has_changed(self) -> bool:
        """Whether it may have changed since it was read, or could not be read."""
        return self._version is None or file_version(self.path) != self._version

    def read(self) -> RegularFile:
        """Return its content and its status; raises OSError as ``read_regular_file``."""
        self._version = None
        file = read_regular_file(self.path, self._maximum)
        version = FileVersion.of(file.status)  # of before the content was read
        self._version = version if version.is_settled(self._clock()) else None
        return file


def _opened(path: Path | str, *, follow_links: bool) -> tuple[int, os.stat_result]:
    try:
        descriptor = os.open(path, _READ if follow_links else _READ | os.O_NOFOLLOW)
    except ValueError:
        raise _error(errno.ENOENT, path) from None
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.EOPNOTSUPP):  # a socket, or a device without a driver
            raise _error(errno.EINVAL, path, NOT_REGULAR) from None
        raise
    try:
        status = os.fstat(descriptor)
        _check_kind(status, path, takes_null=follow_links)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status


def _check_kind(status: os.stat_result, path: Path | str, *, takes_null: bool) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise _error(errno.EISDIR, path)
    if stat.S_ISREG(status.st_mode):
        return
    if not takes_null or not os.path.samestat(status, Path(os.devnull).stat()):
        raise _error(errno.EINVAL, path, NOT_REGULAR)


def _error(number: int, path: Path | str, reason: str | None = None) -> OSError:
    """Return the OSError of a number, as Python's subclass for it."""
    return OSError(number, reason or os.strerror(number), str(path))


def is_lasting(path: Path) -> bool:
    """Whether a file outlives who uses it: it is no link or lock, and not still being written."""
    return path.suffix not in (".lock", ".tmp") and path.is_file() and not path.is_symlink()


# Writing whole


def replace_file(path: Path, *pieces: bytes, durably: bool = True) -> None:
    """Write a file that only its owner can read (0600): a reader sees the old one or the new one.

    It survives a power failure once its directory is synced.

    Args:
        path: of the file; of two writers at once, the last one wins.
        pieces: its content.
        durably: False if it is not worth waiting for the disk.

    Raises:
        OSError: it cannot be written; the previous file is unchanged.
    """
    with complete_file(path, pieces, durably=durably) as temporary:
        temporary.replace(path)


@contextmanager
def complete_file(
    path: Path,
    pieces: Iterable[bytes],
    *,
    temporary: Path | None = None,
    mode: int | None = None,
    durably: bool = True,
) -> Iterator[Path]:
    """Write a file under a temporary name, for the block to move to its own.

    Only the user can read it until it is complete. If it cannot be written, if ``pieces`` raises,
    or the block, then the temporary file is removed.

    Args:
        path: where it will be.
        pieces: its content, consumed while it is written.
        temporary: beside ``path``, and the caller's alone; what an earlier call left there is
            replaced. None for a new name.
        mode: its final permissions, if not 0600.
        durably: whether its content is on the disk before the block begins.

    Raises:
        OSError: it cannot be written.
    """
    flags = _WRITE | (os.O_EXCL if temporary is None else os.O_TRUNC)
    temporary = temporary or temporary_path(path)
    try:
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            if mode is not None:
                with suppress(PermissionError):  # a file system without permissions
                    os.fchmod(file.fileno(), mode)
            if durably:
                os.fsync(file.fileno())
        yield temporary
    except BaseException:  # also at ctrl+c: no part of a file is left behind
        with suppress(OSError):
            temporary.unlink()
        raise


def temporary_path(path: Path) -> Path:
    """Return a path beside another one that no other file has."""
    # Short, since the name of the file itself may have the greatest length.
    return path.parent / TEMPORARY_FILES.replace("*", os.urandom(8).hex())


# Directories


def make_directory(directory: Path) -> None:
    """Make a directory (0700) and those above it, durably; an existing one stays as it is.

    Raises:
        OSError: it cannot be made.
    """
    missing = []
    while not directory.is_dir() and directory != directory.parent:
        missing.append(directory)
        directory = directory.parent
    for each in reversed(missing):
        try:
            each.mkdir(mode=0o700, exist_ok=True)
        except FileExistsError as error:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from error
        with suppress(PermissionError):  # a directory that can be written but not read
            sync_directory(each.parent)


def sync_directory(directory: Path) -> None:
    """Make changes of the names in a directory durable. Raises OSError."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:  # else the file system cannot do this
            raise
    finally:
        os.close(descriptor)


# Locks


def lock(descriptor: int, *, is_shared: bool = False) -> None:
    """Lock an open file (flock) until it is closed, without waiting.

    Args:
        descriptor: of the file.
        is_shared: whether others may share the lock.

    Raises:
        BlockingIOError: somebody else holds the lock, perhaps in this process.
        OSError: the file system has none.
    """
    fcntl.flock(descriptor, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def is_locked_now(descriptor: int) -> bool:
    """Lock an open file, and return whether it is: False if the file system has no locks."""
    try:
        lock(descriptor)
    except OSError:
        return False
    return True


def has_locks(directory: Path) -> bool:
    """Whether the file system of a directory has locks, of both kinds; nothing is left there.

    SQLite takes those of byte ranges, which NFS may have while it has no flock, or neither.

    Raises:
        OSError: that cannot be known: no file can be made there.
    """
    from tempfile import TemporaryFile  # noqa: PLC0415 - few need it

    with TemporaryFile(dir=directory) as file:
        try:
            lock(file.fileno())
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            return False
    return True


class LockFile:
    """A file to be locked: of all processes one is alone, until it ends or closes this."""

    def __init__(self, path: Path) -> None:
        """Open it, not locked yet, in a directory that is made if missing. Raises OSError."""
        make_directory(path.parent)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        self._descriptor = os.open(path, flags, 0o600)

    def lock(self) -> None:
        """Be alone from now on; raises BlockingIOError if another one is, or OSError."""
        lock(self._descriptor)

    def is_locked_now(self) -> bool:
        """Be alone from now on if that is possible; return whether it is."""
        return is_locked_now(self._descriptor)

    def share(self) -> None:
        """Let nobody be alone from now on; raises OSError as ``lock`` does."""
        lock(self._descriptor, is_shared=True)

    def close(self) -> None:
        """Let another one be alone."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


@contextmanager
def locked_directory(directory: Path, *, is_required: bool = True) -> Iterator[None]:
    """Lock a directory during the block, waiting for another process if necessary.

    Args:
        directory: must exist.
        is_required: False to go on without the lock if there is none to get.

    Raises:
        OSError: another program keeps the lock (ETIMEDOUT), or the file system has none.
    """
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        try:
            _wait_for_lock(descriptor)
        except OSError:
            if is_required:
                raise
        yield
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int) -> None:
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            lock(descriptor)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                reason = "another program keeps its directory locked"
                raise TimeoutError(errno.ETIMEDOUT, reason) from None
        else:
            return
        time.sleep(LOCK_PAUSE)
