"""The key file: one line a key, with its name, its hash and the day it was made; mode 0600.

::

    # the counter
    till-1  sha256:5e88…  2026-03-01
    audit   sha256:09c1…  2026-03-02  read-only  expires:2027-01-01
    till-1.former  sha256:77d0…  2025-03-01  until:2026-03-01T09:30:00Z

A key that was replaced stays as the former one, so that a log can name who goes on with it: that is
a till, or a host, and no guess. Until its time it is accepted.

The key itself is not stored. It has 256 random bits, so a fast hash without salt is enough.
Empty lines and lines that begin with ``#`` stay as they are.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from datetime import time as day_time
from functools import partial
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Final, Protocol

from pettui.service import SetupError
from pettui.system.files import (
    WatchedFile,
    file_version,
    locked_directory,
    make_directory,
    read_regular_file,
    reason_of,
    replace_file,
    sync_directory,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pettui.system.files import RegularFile

KEY: Final = "pettui.key"  # in the scope: the ``KnownKey`` of a request that has one


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A key that the service knows, by its name for logs."""

    name: str
    may_add: bool = True
    has_expired: bool = False


class KeysUnusableError(Exception):
    """A key can't be told from an unknown one: the key file can't be used now."""


class Keys(Protocol):
    """The keys that the service knows."""

    def find(self, key: bytes) -> KnownKey | None:
        """Return a known key, which may have expired, and is used now; None for an unknown one.

        Raises:
            KeysUnusableError: it is none of those that can be read.
        """
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

    def find(self, key: bytes) -> KnownKey | None:
        """Return a known key, which may add; None for an unknown one."""
        name = known_name(self._names, key)
        return None if name is None else KnownKey(name)


LATEST: Final = 2**40  # seconds since 1970
FILE_MAXIMUM: Final = 1024 * 1024  # bytes; some eight thousand keys


class KeyFileError(SetupError):
    """A key file that can't be used, or a name that is taken, unknown or malformed."""


def _text_of(path: Path, read: Callable[[], RegularFile]) -> str | None:
    """Return the text of a key file as it is read; None if there is none.

    Raises:
        KeyFileError: others can read it, or it can't be read.
    """
    try:
        file = read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KeyFileError(f"key file {path} can't be read: {reason_of(error)}") from error
    if file.status.st_mode & 0o077:
        raise KeyFileError(f"key file {path} can be read by others; run: chmod 600 {path}")
    try:
        return file.content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise KeyFileError(f"key file {path} is not UTF-8 text; name another file") from error


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_FORMER: Final = ".former"  # behind the name of a key that was replaced
_LINE = re.compile(
    rf"({_NAME.pattern}(?:\.former)?)\s+sha256:([0-9a-f]{{64}})\s+([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})"
    r"(\s+read-only)?(?:\s+expires:([0-9]{4}-[0-9]{2}-[0-9]{2}))?"
    r"(?:\s+until:([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z))?"
)

EXPIRES_SOON: Final = timedelta(days=14)
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
    until: datetime | None = None  # when it ends, in UTC: another one has its name

    @property
    def end(self) -> datetime | None:
        """When it is refused from, in UTC; None for never."""
        days = [] if self.expires is None else [datetime.combine(self.expires, day_time.min, UTC)]
        return min(days if self.until is None else [*days, self.until], default=None)

    def has_expired(self, now: datetime) -> bool:
        """Whether it is refused at a time."""
        return self.end is not None and now >= self.end

    def warning(self, now: datetime) -> str:
        """Return what to say of a key that has expired or will soon; "" of another.

        Of a former one nothing: it is meant to end.
        """
        if self.expires is None or self.until or now.date() + EXPIRES_SOON < self.expires:
            return ""
        if self.has_expired(now):
            return f"key {self.name} expired on {self.expires}; requests with it are refused"
        new = f"pettui key add {self.name} --replace --expires DATE makes a new one"
        return f"key {self.name} expires on {self.expires}; {new}"

    def line(self) -> str:
        """Return the entry as a line of the file."""
        more = "  read-only" * self.is_read_only
        if self.expires is not None:
            more += f"  expires:{self.expires.isoformat()}"
        if self.until is not None:
            more += f"  until:{self.until:%Y-%m-%dT%H:%M:%SZ}"
        return f"{self.name}  sha256:{self.digest.hex()}  {self.created.isoformat()}{more}"


def list_keys(path: Path) -> list[KeyEntry]:
    """Return the entries of the file; none if there is no file.

    Raises:
        KeyFileError: others can read it, it can't be read, or a line is malformed.
    """
    return [line for line in _read_lines(path) if isinstance(line, KeyEntry)]


def key_warnings(path: Path) -> list[str]:
    """Return a line for each key of the file that has expired or will soon. Raises KeyFileError."""
    now = datetime.now(UTC)
    return [warning for entry in list_keys(path) if (warning := entry.warning(now))]


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
    key, entry = _made_key(name, is_read_only=is_read_only, expires=expires)
    with _locked_for_change(path) as real:
        lines = _read_lines(path)
        if any(isinstance(line, KeyEntry) and line.name == name for line in lines):
            raise KeyFileError(
                f"key {name} already exists in {path}; choose another name, or --replace it"
            )
        _write(real, [*lines, entry])
    return key


def replace_key(
    path: Path,
    name: str,
    *,
    is_read_only: bool = False,
    expires: date | None = None,
    overlap: timedelta = timedelta(0),
) -> str:
    """Create a key under the name of another, which stays as the former one, and return it.

    It is read-only if the other was. In place of one that expires it needs a day of its own, so
    that none lasts for ever by accident.

    Args:
        path: of the file.
        name: of both.
        is_read_only: the new one may not add animals.
        expires: the first day on which the new one is refused, in UTC.
        overlap: for how long the former one is still accepted; without it, none that was in place
            of it before is either.

    Raises:
        KeyFileError: there is no key of that name, there is no day, an earlier overlap is not over,
            or the file can't be written.
    """
    now = datetime.now(UTC).replace(microsecond=0)
    with _locked_for_change(path) as real:
        lines = _read_lines(path)
        place, former = _entry_of(path, lines, name)
        if former.expires is not None and expires is None:
            raise KeyFileError(f"key {name} has an end ({former.expires}); give --expires, too")
        if former.until is not None:
            raise KeyFileError(f"key {name} was replaced; replace the one that has its place")
        ended = replace(former, name=f"{name}{_FORMER}", until=now + overlap)
        before = _former_in(lines, ended.name)
        if before is not None and before.until is None:
            raise KeyFileError(f"another key is called {ended.name}, as a replaced {name} would be")
        if before is not None and overlap and not before.has_expired(now):
            reason = f"key {before.name} is accepted until {before.until:%Y-%m-%dT%H:%M:%SZ}"
            raise KeyFileError(f"{reason}; wait, or end it: pettui key remove {before.name}")
        is_read_only = is_read_only or former.is_read_only
        key, made = _made_key(name, is_read_only=is_read_only, expires=expires)
        lines[place : place + 1] = [made, ended]
        _write(real, [line for line in lines if line is not before])
        _pass_on_use(path, name, ended.name)
    return key


def restore_key(path: Path, name: str) -> None:
    """Put the former key back in the place of that which replaced it. Raises KeyFileError."""
    with _locked_for_change(path) as real:
        lines = _read_lines(path)
        place, _ = _entry_of(path, lines, name)
        former = _former_in(lines, f"{name}{_FORMER}")
        if former is not None:
            lines[place] = replace(former, name=name, until=None)
            _write(real, [line for line in lines if line is not former])


def _former_in(lines: Iterable[KeyEntry | str], name: str) -> KeyEntry | None:
    entries = (line for line in lines if isinstance(line, KeyEntry))
    return next((entry for entry in entries if entry.name == name), None)


def remove_key(path: Path, name: str) -> None:
    """Remove a key, and the former one in whose place it is; a running service accepts neither.

    Raises:
        KeyFileError: there is no key of that name, or the file can't be written.
    """
    with _locked_for_change(path) as real:
        lines = _read_lines(path)
        _, removed = _entry_of(path, lines, name)
        former = _former_in(lines, f"{name}{_FORMER}")
        if former is not None and former.until is None:  # a key of its own
            former = None
        _write(real, [line for line in lines if line is not removed and line is not former])


def _made_key(name: str, *, is_read_only: bool, expires: date | None) -> tuple[str, KeyEntry]:
    key = f"pettui_{secrets.token_urlsafe(32)}"
    today = datetime.now(UTC).date()
    return key, KeyEntry(name, key_digest(key.encode()), today, is_read_only, expires)


def _entry_of(path: Path, lines: list[KeyEntry | str], name: str) -> tuple[int, KeyEntry]:
    """Return the entry of a name, and its place among the lines. Raises KeyFileError."""
    for place, line in enumerate(lines):
        if isinstance(line, KeyEntry) and line.name == name:
            return place, line
    raise KeyFileError(f"key {name!r} is not in {path}; see pettui key list")


class KeyFile:
    """The ``Keys`` of a file, which is read again when it changes.

    While the file can't be used no key is accepted, since a removed key must not work again. The
    problem is logged once. Each request tries the file again.
    """

    def __init__(self, path: Path, clock: Callable[[], int] = time.time_ns) -> None:
        self._path = path
        self._file = WatchedFile(path, FILE_MAXIMUM, clock)
        self._clock = clock  # nanoseconds, as in the file system
        self._names: tuple[tuple[str, bytes], ...] = ()
        self._entries: dict[str, KeyEntry] = {}
        self.uses = KeyUses(path)
        self._problem = ""  # why the file can't be used
        self._warned: date | None = None
        self._read()

    @property
    def entries(self) -> Iterable[KeyEntry]:
        """What the file has, as far as requests have needed to know."""
        return self._entries.values()

    def find(self, key: bytes) -> KnownKey | None:
        """Return a key that is in the file now, or None. Raises KeysUnusableError."""
        if self._file.has_changed:
            try:
                self._read()
            except KeyFileError as error:
                self._log_problem(str(error))
        name = known_name(self._names, key)
        if name is not None:
            entry = self._entries[name]
            known = KnownKey(name, not entry.is_read_only, entry.has_expired(self._now()))
            if not known.has_expired:
                self.uses.record(name)
            return known
        if self._problem:
            raise KeysUnusableError(self._problem)
        return None

    def warn_daily(self) -> None:
        """Warn of keys that have expired or will soon, once on each day."""
        now = self._now()
        if now.date() == self._warned:
            return
        self._warned = now.date()
        for entry in self._entries.values():
            if warning := entry.warning(now):
                logger.warning("%s", warning)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock() / 1e9, UTC)

    def _read(self) -> None:
        had_keys = bool(self._names)
        self._names, self._entries = (), {}  # if reading fails no earlier key is accepted
        text = _text_of(self._path, self._file.read)
        if text is not None:
            if not text and (had_keys or self._problem):
                raise KeyFileError(f"key file {self._path} is empty")
            entries = _entries(self._path, text)
            self._names = tuple((entry.name, entry.digest) for entry in entries)
            self._entries = {entry.name: entry for entry in entries}
            self._problem = ""
        elif had_keys or self._problem:
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
        self.file = KeyFile(path)
        self._fixed = FixedKeys(fixed, SERVICE_KEYS)
        self._made = None if made is None else FixedKeys([made], "made")
        self._path, self._first_version = path, file_version(path)

    def find(self, key: bytes) -> KnownKey | None:
        """Return a key that is known now, or None. Raises KeysUnusableError."""
        if self._made is not None and file_version(self._path) != self._first_version:
            self._made = None  # for good, whatever becomes of the file
        made = self._made and self._made.find(key)
        return self._fixed.find(key) or made or self.file.find(key)


class KeyUses:
    """When each key of a file was used last, in a file beside it; only what is new is in memory.

    Where it can't be written, which is logged once, the keys work all the same.
    """

    def __init__(self, key_file: Path) -> None:
        self._key_file = key_file
        self._new: dict[str, int] = {}  # seconds since 1970
        self._problem = ""

    def record(self, name: str) -> None:
        """Record that a key is used now."""
        self._new[name] = int(time.time())

    def save(self) -> None:
        """Write what is new, together with what is there of keys that are still in the file."""
        new, self._new = self._new, {}
        if not new:
            return
        try:
            names = {entry.name for entry in list_keys(self._key_file)}
            known = read_uses(self._key_file) | new
            remaining = {name: at for name, at in known.items() if name in names}
            replace_file(uses_file(self._key_file), json.dumps(remaining).encode(), durably=False)
            self._problem = ""
        except (OSError, KeyFileError) as error:
            self._new = new | self._new  # for the next time
            reason = reason_of(error) if isinstance(error, OSError) else error
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


def _read_lines(path: Path) -> list[KeyEntry | str]:
    """Return the lines of the file, entries as such, and the others as they are."""
    text = _text_of(path, partial(read_regular_file, path, FILE_MAXIMUM))
    return [] if text is None else _lines(path, text)


def _lines(path: Path, text: str) -> list[KeyEntry | str]:
    if text and not text.endswith("\n"):
        # What is lost may be what a key may not do: "read-only", or the day on which it ends.
        raise KeyFileError(f"key file {path} is cut off: its last line has no end; copy it again")
    lines = text.removesuffix("\n").split("\n") if text else []
    return [
        line if not line.strip() or line.lstrip().startswith("#") else _entry(path, number, line)
        for number, line in enumerate(lines, 1)
    ]


def _pass_on_use(key_file: Path, name: str, former: str) -> None:
    """Record when a key was used last as a use of the former one."""
    uses = read_uses(key_file)
    if (used := uses.pop(name, None)) is not None:
        uses[former] = used
        with suppress(OSError):  # what is only shown is no reason to keep a key that is to end
            replace_file(uses_file(key_file), json.dumps(uses).encode(), durably=False)


def _entries(path: Path, text: str) -> list[KeyEntry]:
    return [line for line in _lines(path, text) if isinstance(line, KeyEntry)]


def _entry(path: Path, number: int, line: str) -> KeyEntry:
    match = _LINE.fullmatch(line.strip())
    try:
        if match is not None:
            created = date.fromisoformat(match[3])
            expires = date.fromisoformat(match[5]) if match[5] else None
            until = datetime.fromisoformat(match[6]) if match[6] else None
            digest = bytes.fromhex(match[2])
            return KeyEntry(match[1], digest, created, bool(match[4]), expires, until)
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
        raise KeyFileError(f"key file {path} can't be written: {reason_of(error)}") from error


def _write(path: Path, lines: Iterable[KeyEntry | str]) -> None:
    """Replace the file; one without any line has an empty one, since no bytes are an accident."""
    texts = [line if isinstance(line, str) else line.line() for line in lines]
    replace_file(path, "".join(f"{text}\n" for text in texts or [""]).encode())
