"""The key file: one line a key, with its name, its hash and the day it was made; mode 0600.

::

    till-1  sha256:5e88…  2026-03-01
    audit   sha256:09c1…  2026-03-02  read-only  expires:2027-01-01

The key itself is not stored. It has 256 random bits, so a fast hash without salt is enough.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

from pettui.files import (
    FileVersion,
    file_version,
    locked_directory,
    make_directory,
    read_regular_file,
    replace_file,
    sync_directory,
)
from pettui.service import SetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


KEY_NAME = "pettui.key_name"  # in the scope, once a key is accepted


@runtime_checkable
class Keys(Protocol):
    """The keys that the service knows."""

    def name_of(self, key: bytes) -> str | None:
        """Return the name of a known key, for logs; None for an unknown key."""
        ...

    def use(self, name: str) -> bool:
        """Note that a key is used now; return whether it may add animals."""
        ...


def key_digest(key: bytes) -> bytes:
    """Return the hash of a key (SHA-256, 32 bytes)."""
    return sha256(key).digest()


def known_name(names: Iterable[tuple[str, bytes]], key: bytes) -> str | None:
    """Return the name beside the hash of a key, or None, in constant time."""
    candidate = key_digest(key)
    found = [name for name, digest in names if compare_digest(digest, candidate)]
    return found[0] if found else None


class FixedKeys:
    """Keys that stay the same as long as the service runs, and are numbered: they have no names."""

    def __init__(self, keys: Iterable[str], label: str = "key") -> None:
        if isinstance(keys, str):
            raise TypeError("keys must be several strings, not one")
        self._names = tuple(
            (f"{label}#{number}", key_digest(key.encode(errors="surrogateescape")))
            for number, key in enumerate(keys, 1)
        )

    def name_of(self, key: bytes) -> str | None:
        """Return the name of a known key, or None for an unknown one."""
        return known_name(self._names, key)

    def use(self, _name: str) -> bool:
        """Note nothing: all may add."""
        return True


LATEST: Final = 2**40  # seconds since 1970
FILE_MAXIMUM: Final = 1024 * 1024  # bytes; some eight thousand keys


class KeyFileError(SetupError):
    """A key file that can't be used, or a name that is taken, unknown or malformed."""


class VersionedText(NamedTuple):
    """The text of a file, and the version that it is of."""

    text: str
    version: FileVersion


def read_text_file(path: Path) -> VersionedText | None:
    """Return the text of the file, with its version; None if there is no file.

    Both are of the same file, even if it is replaced meanwhile. The version is taken before the
    text is read, so that a change in between counts as a newer version.

    Raises:
        KeyFileError: others can read it, or it can't be read.
    """
    try:
        file = read_regular_file(path, FILE_MAXIMUM)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KeyFileError(f"key file {path} can't be read: {error.strerror}") from error
    if file.status.st_mode & 0o077 and sys.platform != "win32":
        raise KeyFileError(f"key file {path} can be read by others; run: chmod 600 {path}")
    try:
        return VersionedText(file.content.decode(), FileVersion.of(file.status))
    except UnicodeDecodeError as error:
        raise KeyFileError(f"key file {path} is not UTF-8 text; name another file") from error


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LINE = re.compile(
    rf"({_NAME.pattern})\s+sha256:([0-9a-f]{{64}})\s+([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})"
    r"(\s+read-only)?(?:\s+expires:([0-9]{4}-[0-9]{2}-[0-9]{2}))?"
)

SERVICE_KEYS = "PETTUI_SERVICE_KEYS"  # whose keys have this name and a number; no file has a "#"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """A line of the key file."""

    name: str
    digest: bytes
    created: date
    is_read_only: bool = False
    expires: date | None = None  # the first day on which it is refused, in UTC

    def line(self) -> str:
        """Return the entry as a line of the file."""
        more = "  read-only" * self.is_read_only
        if self.expires is not None:
            more += f"  expires:{self.expires.isoformat()}"
        return f"{self.name}  sha256:{self.digest.hex()}  {self.created.isoformat()}{more}\n"


def list_keys(path: Path) -> list[KeyEntry]:
    """Return the entries of the file; none if there is no file.

    Raises:
        KeyFileError: others can read it, it can't be read, or a line is malformed.
    """
    found = read_text_file(path)
    return [] if found is None else _entries(path, found.text)


def add_key(
    path: Path, name: str, *, is_read_only: bool = False, expires: date | None = None
) -> str:
    """Create a key, store its hash under a name, and return the key, which is shown only once.

    Args:
        path: of the file.
        name: in logs.
        is_read_only: it may not add animals.
        expires: the first day on which it is refused, in UTC; None for never.

    Raises:
        KeyFileError: the name is taken or malformed, or the file can't be written.
    """
    if not _NAME.fullmatch(name):
        rule = "at most 64 letters, digits, dots, dashes and underscores"
        raise KeyFileError(f"key name {name!r} must consist of {rule}")
    key = f"pettui_{secrets.token_urlsafe(32)}"
    with _locked_for_change(path) as real:
        entries = list_keys(path)
        if any(entry.name == name for entry in entries):
            raise KeyFileError(
                f"key {name} already exists in {path}; remove it first, or choose another name"
            )
        today = datetime.now(UTC).date()
        digest = key_digest(key.encode())
        _write(real, [*entries, KeyEntry(name, digest, today, is_read_only, expires)])
    return key


def remove_key(path: Path, name: str) -> None:
    """Remove a key; a running service no longer accepts it.

    Raises:
        KeyFileError: there is no key of that name, or the file can't be written.
    """
    with _locked_for_change(path) as real:
        entries = list_keys(path)
        kept = [entry for entry in entries if entry.name != name]
        if len(kept) == len(entries):
            raise KeyFileError(f"key {name!r} is not in {path}; see pettui key list")
        _write(real, kept)


class KeyFile:
    """The ``Keys`` of a file, which is read again when it changes.

    While the file can't be used no key is accepted, since a removed key must not work again. The
    problem is logged once. Each request tries the file again.
    """

    def __init__(self, path: Path, clock: Callable[[], int] = time.time_ns) -> None:
        self._path = path
        self._clock = clock  # nanoseconds, as in the file system
        self._names: tuple[tuple[str, bytes], ...] = ()
        self._entries: dict[str, KeyEntry] = {}
        self.uses = KeyUses(path)
        self._seen: FileVersion | None = None  # None: the file has to be read
        self._problem = ""
        self._read()

    def name_of(self, key: bytes) -> str | None:
        """Return the name of a key that is in the file now, or None."""
        if self._seen is None or file_version(self._path) != self._seen:
            try:
                self._read()
            except KeyFileError as error:
                self._log_problem(str(error))
        name = known_name(self._names, key)
        return None if name is None or self._has_expired(name) else name

    def use(self, name: str) -> bool:
        """Note that a key of the file is used now; return whether it may add animals."""
        entry = self._entries.get(name)
        if entry is None:
            return True
        self.uses.note(name)
        return not entry.is_read_only

    def _has_expired(self, name: str) -> bool:
        expires = self._entries[name].expires
        today = datetime.fromtimestamp(self._clock() / 1e9, UTC).date()
        return expires is not None and today >= expires

    def _read(self) -> None:
        had_keys = bool(self._names)
        self._entries = {}
        self._names, self._seen = (), None  # if reading fails no earlier key is accepted
        found = read_text_file(self._path)
        if found is not None:
            entries = _entries(self._path, found.text)
            self._names = tuple((entry.name, entry.digest) for entry in entries)
            self._entries = {entry.name: entry for entry in entries}
            # The clock of a file system is coarse: a second change within a moment of the first
            # may leave the same version.
            self._seen = found.version if found.version.is_settled(self._clock()) else None
            self._problem = ""
        elif had_keys:
            self._log_problem(f"key file {self._path} is gone")

    def _log_problem(self, problem: str) -> None:
        if problem != self._problem:
            self._problem = problem
            logger.error("%s; none of its keys is accepted", problem)


class ServedKeys:
    """The ``Keys`` of a service: fixed ones, those of the key file, and one made for this run."""

    def __init__(self, fixed: Iterable[str], path: Path, made: str | None = None) -> None:
        """Combine keys.

        Args:
            fixed: accepted as long as the service runs.
            path: of the key file.
            made: for this run, if there is no other key; accepted until the key file changes.
        """
        self._file = KeyFile(path)
        self._always: tuple[Keys, ...] = (FixedKeys(fixed, SERVICE_KEYS), self._file)
        self._made: tuple[Keys, ...] = () if made is None else (FixedKeys([made], "made"),)
        self._path, self._first_version = path, file_version(path)

    def name_of(self, key: bytes) -> str | None:
        """Return the name of a key that is accepted now, or None."""
        if self._made and file_version(self._path) != self._first_version:
            self._made = ()  # for good, whatever becomes of the file
        for keys in (*self._always, *self._made):
            if name := keys.name_of(key):
                return name
        return None

    def use(self, name: str) -> bool:
        """Note that a key is used now; return whether it may add animals."""
        return self._file.use(name)

    @property
    def uses(self) -> KeyUses:
        """Of the file's keys."""
        return self._file.uses


class KeyUses:
    """When each key of a file was used last, in a file beside it; only what is new is in memory.

    Where it can't be written, which is logged once, the keys work all the same.
    """

    def __init__(self, key_file: Path) -> None:
        self._key_file = key_file
        self._new: dict[str, int] = {}  # seconds since 1970
        self._problem = ""

    def note(self, name: str) -> None:
        """Note that a key is used now."""
        self._new[name] = int(time.time())

    def save(self) -> None:
        """Write what is new, together with what is there of keys that are still in the file."""
        new, self._new = self._new, {}
        if not new:
            return
        try:
            names = {entry.name for entry in list_keys(self._key_file)}
            known = read_uses(self._key_file) | new
            kept = {name: at for name, at in known.items() if name in names}
            replace_file(uses_file(self._key_file), json.dumps(kept).encode(), durably=False)
            self._problem = ""
        except (OSError, KeyFileError) as error:
            self._new = new | self._new  # for the next time
            reason = error.strerror if isinstance(error, OSError) else error
            problem = f"the last uses of keys can't be saved: {reason}"
            if problem != self._problem:
                self._problem = problem
                logger.warning("%s", problem)


def uses_file(key_file: Path) -> Path:
    """Return the file that has the last uses of a file's keys."""
    return key_file.with_name(f"{key_file.name}.used")


def read_uses(key_file: Path) -> dict[str, int]:
    """Return when each key was used last, in seconds since 1970; nothing of what can't be read."""
    try:
        read = json.loads(read_regular_file(uses_file(key_file), FILE_MAXIMUM).content)
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(read, dict):
        return {}
    return {name: at for name, at in read.items() if type(at) is int and 0 <= at < LATEST}


def _entries(path: Path, text: str) -> list[KeyEntry]:
    lines = enumerate(text.splitlines(), 1)
    return [_entry(path, number, line) for number, line in lines if line.strip()]


def _entry(path: Path, number: int, line: str) -> KeyEntry:
    match = _LINE.fullmatch(line.strip())
    try:
        if match is not None:
            created = date.fromisoformat(match[3])
            expires = date.fromisoformat(match[5]) if match[5] else None
            return KeyEntry(match[1], bytes.fromhex(match[2]), created, bool(match[4]), expires)
    except ValueError:
        pass  # an impossible date
    # Without the line itself, which may hold a key.
    raise KeyFileError(f"key file {path}, line {number}, was not written by pettui key add")


@contextmanager
def _locked_for_change(path: Path) -> Iterator[Path]:
    """Lock the file's directory for a change, which is on the disk at the end of the block.

    Returns:
        The file itself: a symbolic link stays, and what it leads to is replaced.
    """
    try:
        if not path.is_symlink():
            make_directory(path.parent)
        real = path.resolve()
        with locked_directory(real.parent):
            yield real
            sync_directory(real.parent)  # else a power cut could bring back a removed key
    except OSError as error:
        raise KeyFileError(f"key file {path} can't be written: {error.strerror}") from error


def _write(path: Path, entries: Iterable[KeyEntry]) -> None:
    replace_file(path, "".join(entry.line() for entry in entries).encode())
