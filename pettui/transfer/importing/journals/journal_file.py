"""JournalFile: the locked file of a journal, to which records are added."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pettui.files import lock, make_directory, read_regular_file
from pettui.text import safe
from pettui.transfer.errors import TransferError, reason_of
from pettui.transfer.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SUFFIX: Final = ".journal"
_LOCK_SUFFIX: Final = ".lock"
_SHOWN: Final = 300  # characters of a path
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_BOOT_ID: Final = re.compile(r"[0-9a-f-]{36}")
_NOT_OWN: Final = "it is not a file of your own"
_NO_WAIT: Final = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_sync = getattr(os, "fdatasync", os.fsync)


class JournalError(TransferError):
    """The journal cannot be read, understood or written."""


class JournalBusyError(JournalError):
    """Another import to the same address is under way."""


def journal_path(directory: Path, address: str) -> Path:
    """Return the path of the journal of an address, which is normalized."""
    digest = hashlib.sha256(address.encode("utf-8", "surrogatepass")).hexdigest()
    return directory / f"{digest[:32]}{SUFFIX}"


def this_boot() -> str | None:
    """Return the identifier of this start of the computer; None if the system has none."""
    with suppress(OSError):
        name = _BOOT.read_text("ascii", "replace").strip()
        return name if _BOOT_ID.fullmatch(name) else None
    return None


def read_journal(path: Path) -> bytes | None:
    """Return a journal's content; None if there is no file.

    Raises:
        JournalError: it cannot be read, or others can write it.
    """
    with _journal_errors("read", path):
        try:
            file = read_regular_file(path, follow_links=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.EISDIR):
                raise not_usable(path, _NOT_OWN) from None
            raise
    if not file.is_own:
        raise not_usable(path, _NOT_OWN)
    return file.content


def not_usable(path: Path, reason: str) -> JournalError:
    """Return the error of a journal that cannot be used."""
    return JournalError(
        f"cannot use the journal {_shown(path)}: {safe(reason, _SHOWN)};"
        " nothing was sent, because only the journal knows which lines earlier imports added"
    )


class JournalFile:
    """A locked file to which lines are added; for one thread at a time."""

    def __init__(self, path: Path) -> None:
        """Lock a journal, and create its directory (0700) if missing.

        Raises:
            JournalBusyError: another process has locked it.
            JournalError: it cannot be locked.
        """
        self._path = path
        self._end = self._reserved = 0  # offsets: of the next line, and of the reserved end
        self._file = -1
        with _journal_errors("lock", path):
            make_directory(path.parent)
            flags = os.O_RDWR | os.O_CREAT | _NO_WAIT
            self._lock = os.open(path.with_suffix(_LOCK_SUFFIX), flags, 0o600)
            try:
                lock(self._lock)
            except OSError as error:
                os.close(self._lock)
                if isinstance(error, BlockingIOError):
                    raise JournalBusyError("another import to this address is under way") from None
                raise

    def read(self) -> bytes | None:
        """Return the content, as ``read_journal`` does."""
        return read_journal(self._path)

    def start(self, pieces: Iterable[bytes]) -> None:
        """Replace the content durably; lines are then added to it.

        Raises:
            JournalError: it cannot be written; the previous content is unchanged.
        """
        try:
            write_whole(self._path, pieces, overwrite=True, mode=0o600)
        except TransferError as error:
            raise JournalError(str(error)) from error
        with _journal_errors("write", self._path):
            self._file = os.open(self._path, os.O_RDWR | _NO_WAIT)
            self._end = self._reserved = os.fstat(self._file).st_size

    def reserve(self, size: int) -> None:
        """Reserve so many bytes on the disk, so that it cannot be full for them; JournalError."""
        missing = self._end + size - self._reserved
        if missing > 0:
            self._write(b"\0" * missing, self._reserved)
            self._reserved += missing

    def add(self, line: bytes) -> None:
        """Add a line, which survives the end of the process. JournalError."""
        self._write(line, self._end)
        self._end += len(line)
        self._reserved = max(self._reserved, self._end)

    def sync(self) -> None:
        """Wait until all lines are on the disk; it blocks, in any thread. JournalError."""
        with _journal_errors("write", self._path):
            _sync(self._file)

    def close(self) -> None:
        """Release the reserved space and the lock."""
        if self._file >= 0:
            with suppress(OSError):
                os.ftruncate(self._file, self._end)
                os.fsync(self._file)
            os.close(self._file)
            self._file = -1
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _write(self, content: bytes, offset: int) -> None:
        with _journal_errors("write", self._path):
            while content:
                written = os.pwrite(self._file, content, offset)
                content, offset = content[written:], offset + written


class NoFile:
    """In place of a file, for a journal in memory."""

    def reserve(self, size: int) -> None:
        """Do nothing."""

    def add(self, line: bytes) -> None:
        """Do nothing."""

    def sync(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def _shown(path: Path) -> str:
    return safe(str(path), _SHOWN)


@contextmanager
def _journal_errors(what: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = safe(reason_of(error), _SHOWN)
        raise JournalError(f"cannot {what} the journal {_shown(path)}: {reason}") from error
