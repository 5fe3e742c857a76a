"""The files of the user: opened, written whole or not at all, named at a prompt; and what fails.

Every call blocks, and belongs in a thread while an app runs.
"""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import shlex
import stat
import sys
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from pettui.system.files import (
    complete_file,
    open_regular_file,
    reason_of,
    sync_directory,
    temporary_path,
)
from pettui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SHOWN: Final = 300  # characters of a path
_PIECE: Final = 1_048_576  # bytes


class TransferError(Exception):
    """A file could not be written or read; the text is one line that is safe to draw."""

    def __init__(self, text: str, short: str = "") -> None:
        super().__init__(text)
        self.short = short or text  # for less room


class TargetExistsError(TransferError):
    """The file to write already exists, and may not be overwritten."""


@contextmanager
def transfer_errors(what: str, path: Path | str) -> Iterator[None]:
    """Raise each OSError of the block as a TransferError: "cannot write a.csv: …"."""
    try:
        yield
    except OSError as error:
        raise failure(what, path, reason_of(error)) from error


def failure(what: str, path: Path | str, reason: str) -> TransferError:
    """Return the error of what cannot be done with a path, and why."""
    shown, reason = safe(str(path), _SHOWN), safe(reason, _SHOWN)
    return TransferError(f"cannot {what} {shown}: {reason}", reason)


def open_file(path: Path) -> BinaryIO:
    """Open a regular file for reading; the caller closes it.

    Raises:
        TransferError: it cannot be read, or is not a regular file.
    """
    with transfer_errors("read", path):
        return open_regular_file(path)


def read_input(count: int) -> bytes:
    """Return at most so many bytes of standard input, as ``read_stream``."""
    return read_stream(sys.stdin.fileno(), count, "standard input")


def read_stream(descriptor: int, count: int, name: str) -> bytes:
    """Return at most so many bytes of a stream, none at its end; raises TransferError."""
    with transfer_errors("read", name):
        return os.read(descriptor, count)


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
    check_target(path, overwrite=overwrite)
    with transfer_errors("write", path):
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
    check_target(path, overwrite=overwrite)
    with transfer_errors("write", path):
        _mode_of_new_file(path)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None
    except ValueError:  # a NUL or a lone surrogate
        raise failure("write", path, "a file cannot have such a name") from None


def _exists_already(path: Path) -> TargetExistsError:
    return TargetExistsError(f"{safe(str(path), _SHOWN)} already exists")


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


class Completion(NamedTuple):
    """A path, completed as far as it is unambiguous."""

    text: str
    choices: tuple[str, ...]  # names that it may continue with, in order; directories end in "/"


def plain_path(text: str) -> str:
    """Return the path in what a terminal or a desktop makes of a file that is dragged or copied.

    That is a ``file:`` address (RFC 8089), or a word as a shell reads it, with quotation marks or
    backslashes. What is the name of a file as it is stays so.
    """
    text = text.strip()
    if text.casefold().startswith("file:"):
        address = urlsplit(text)
        if address.netloc.casefold() in ("", "localhost", platform.node().casefold()):
            return unquote(address.path, errors="surrogateescape")
        return text
    if not _QUOTING.search(text) or os.path.lexists(text):
        return text
    try:
        words = shlex.split(text)
    except ValueError:  # a quotation mark without its second
        return text
    return words[0] if len(words) == 1 else text


_QUOTING: Final = re.compile(r"\A['\"]|\\")


STANDARD_INPUTS: Final = ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_OPEN_ALREADY: Final = re.compile(r"/(?:dev|proc/self)/fd/[0-9]+")


def is_stream(path: Path) -> bool:
    """Whether a path is that of an open pipe, as ``<(…)`` of a shell is, or of standard input.

    A pipe in a directory is none: opening it could wait for ever.
    """
    if str(path) in STANDARD_INPUTS:
        return True
    try:
        return bool(_OPEN_ALREADY.fullmatch(str(path))) and stat.S_ISFIFO(path.stat().st_mode)
    except OSError:
        return False


def typed_path(text: str) -> Path:
    """Return the path that was typed or dragged, with ``~`` replaced by the home directory.

    Raises:
        TransferError: a file cannot have this name.
    """
    text = plain_path(text)
    if not text:
        raise TransferError("enter a file name")
    if not text.isprintable():
        raise TransferError("a file name cannot contain these characters")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise TransferError("there is no such home directory") from None


def completed(text: str) -> Completion:
    """Return a partly typed path, completed as far as it is unambiguous.

    It reads a directory, and belongs in a thread; if it cannot, nothing is added. Hidden files are
    offered once their dot was typed, unprintable names never.
    """
    directory, separator, prefix = text.rpartition("/")
    if not separator and text.startswith("~"):
        return Completion(text, ())
    names = _names(os.path.expanduser(directory + separator) or ".", prefix)  # noqa: PTH111
    if not names:
        return Completion(text, ())
    common = os.path.commonprefix(names)  # noqa: RUF071 - of names, by character
    return Completion(directory + separator + common, tuple(names))


def _names(directory: str, prefix: str) -> list[str]:
    names = []
    with suppress(OSError, ValueError), os.scandir(directory) as entries:  # ValueError: a NUL
        for entry in entries:
            is_hidden = entry.name.startswith(".") and not prefix.startswith(".")
            if entry.name.startswith(prefix) and not is_hidden and entry.name.isprintable():
                names.append(entry.name + ("/" if _is_directory(entry) else ""))
    return sorted(names)


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a circular link
        return False


class Digest:
    """The digest of bytes, as they are written."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)

    @property
    def text(self) -> str:
        """The digest so far."""
        return self._hash.hexdigest()

    def passing(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the pieces, and take each into account."""
        for piece in pieces:
            self._hash.update(piece)
            yield piece


def digest_of(file: BinaryIO) -> str:
    """Return the digest of a whole file."""
    file.seek(0)
    digest = Digest()
    for _ in digest.passing(iter(partial(file.read, _PIECE), b"")):
        pass
    return digest.text
