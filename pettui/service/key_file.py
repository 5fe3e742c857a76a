"""The file of keys: one line a key, its name, its hash and the day it was made; 0600.

::

    till-1  sha256:5e88…  2026-03-01

A key itself stands nowhere. It has 256 random bits, so that a fast hash without salt is enough.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from pettui.service.keys import key_digest, known_digest
from pettui.service.store import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LINE = re.compile(rf"({_NAME.pattern})\s+sha256:([0-9a-f]{{64}})\s+(\d{{4}}-\d\d-\d\d)")

logger = logging.getLogger(__name__)


class KeyFileError(SetupError):
    """A key file that can't be used, or a name that is taken, unknown or malformed."""


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """What is kept of a key."""

    name: str
    digest: bytes
    made: date

    def line(self) -> str:
        """Give it as it stands in the file."""
        return f"{self.name}  sha256:{self.digest.hex()}  {self.made.isoformat()}\n"


def list_keys(path: Path) -> list[KeyEntry]:
    """Give what is in the file; nothing, where there is no file.

    Raises:
        KeyFileError: others can read it, it can't be read, or a line is none of ours.
    """
    try:
        if path.stat().st_mode & 0o077:
            raise KeyFileError(f"key file {path} can be read by others; run: chmod 600 {path}")
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise KeyFileError(f"key file {path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise KeyFileError(f"key file {path} is no UTF-8 text; name another file") from error
    return [_entry(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def add_key(path: Path, name: str) -> str:
    """Make a key, keep its hash under a name, and give the key: it is shown this once.

    Raises:
        KeyFileError: the name is taken or malformed, or the file can't be written.
    """
    if not _NAME.fullmatch(name):
        rule = "letters, digits, dot, dash and underscore, at most 64"
        raise KeyFileError(f"key name {name!r} must be of {rule}")
    key = f"pettui_{secrets.token_urlsafe(32)}"
    with _changing(path):
        entries = list_keys(path)
        if any(entry.name == name for entry in entries):
            raise KeyFileError(f"key {name} exists in {path}; remove it first, or choose a name")
        made = datetime.now(UTC).date()
        _write(path, [*entries, KeyEntry(name, key_digest(key.encode()), made)])
    return key


def remove_key(path: Path, name: str) -> None:
    """Forget a key; a running service lets it in no more.

    Raises:
        KeyFileError: there is none of that name, or the file can't be written.
    """
    with _changing(path):
        entries = list_keys(path)
        kept = [entry for entry in entries if entry.name != name]
        if len(kept) == len(entries):
            raise KeyFileError(f"key {name!r} is not in {path}; see pettui key list")
        _write(path, kept)


class KeyFile:
    """``Keys`` of a file that is read again when it changes.

    A file that can't be used any more lets nobody in, since a removed key must not come back;
    the log says so, once.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digests = tuple(entry.digest for entry in list_keys(path))
        self._seen = self._version()

    def hash_name(self, key: bytes) -> str | None:
        """Give the short hash of a key that is in the file now, or None."""
        version = self._version()
        if version != self._seen:
            self._seen = version
            self._digests = self._read()
        return known_digest(self._digests, key)

    def _version(self) -> tuple[int, ...] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size

    def _read(self) -> tuple[bytes, ...]:
        try:
            return tuple(entry.digest for entry in list_keys(self._path))
        except KeyFileError as error:
            logger.error("%s; no key of it is let in", error)  # noqa: TRY400 - no traceback
            return ()


def _entry(path: Path, number: int, line: str) -> KeyEntry:
    match = _LINE.fullmatch(line.strip())
    if match is None:
        # Without the line: somebody may have put a key there.
        raise KeyFileError(f"key file {path}, line {number}, is none that pettui key add wrote")
    return KeyEntry(match[1], bytes.fromhex(match[2]), date.fromisoformat(match[3]))


@contextmanager
def _changing(path: Path) -> Iterator[None]:
    """Let one process at a time change the file."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path.parent, os.O_RDONLY)
    except OSError as error:
        raise KeyFileError(f"key file {path} can't be written: {error.strerror}") from error
    try:
        if os.name == "posix":
            import fcntl  # noqa: PLC0415 - not on Windows

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write(path: Path, entries: Iterable[KeyEntry]) -> None:
    """Put a whole new file in the place of the old one; a reader sees one or the other."""
    text = "".join(entry.line() for entry in entries)
    try:
        with tempfile.NamedTemporaryFile(  # made with 0600
            "w", dir=path.parent, prefix=f".{path.name}.", encoding="utf-8", delete=False
        ) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, path)  # noqa: PTH105 - a name, not a Path
    except OSError as error:
        raise KeyFileError(f"key file {path} can't be written: {error.strerror}") from error
