"""Who may log in: OpenSSH's file of public keys, which is read again when it changes.

A line that is not fully understood is ignored, which is logged once. Of the options before a key
(sshd(8), AUTHORIZED_KEYS FILE FORMAT) ``from`` and ``expiry-time`` are applied. What ``restrict``
and ``no-…`` forbid is never allowed here, except for a terminal (``no-pty``). An option that would
replace the app (``command``) is not supported.
"""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_network
from typing import TYPE_CHECKING

import asyncssh

from pettui.files import FileVersion, file_version, read_regular_file
from pettui.ssh.options import SshSetupError

if TYPE_CHECKING:
    import os
    from pathlib import Path

FILE_MAXIMUM = 4_000_000  # bytes
_KEY = re.compile(
    r"((?:ssh-|ecdsa-|sk-)[A-Za-z0-9@.-]+)[ \t]+([A-Za-z0-9+/]+={0,3})(?:[ \t]+(.*))?"
)
_OPTION = re.compile(r'([A-Za-z0-9-]+)(?:="((?:[^"\\]|\\.)*)")?')
_FORWARDING = {"agent-forwarding", "port-forwarding", "x11-forwarding", "user-rc", "pty"}
_FLAGS = {"restrict", "no-touch-required", *_FORWARDING, *(f"no-{name}" for name in _FORWARDING)}
_ONCE = {"from", "expiry-time"}
_VALUED = {*_ONCE, "permitopen", "permitlisten", "environment"}
_ADDRESS_PATTERN = re.compile(r"!?[0-9A-Fa-f:.*?]+(/[0-9]{1,3})?")
_EXPIRY = re.compile(r"([0-9]{8})(?:([0-9]{4})([0-9]{2})?)?(Z)?")

NO_TIME = "option expiry-time has no valid time"

logger = logging.getLogger(__name__)


class UnknownOption(ValueError):
    """An option that is not understood or not supported."""


@dataclass(frozen=True, slots=True)
class KeyOptions:
    """The options of one line."""

    addresses: str | None  # the pattern list of ``from``
    expiry: datetime | None
    may_draw: bool  # without no-pty and restrict


_NO_OPTIONS = KeyOptions(addresses=None, expiry=None, may_draw=True)


@dataclass(frozen=True, slots=True)
class AuthorizedKey:
    """One line of the file."""

    blob: bytes  # the public key (RFC 4253, 6.6)
    comment: str
    options: KeyOptions
    entry: asyncssh.SSHAuthorizedKeys  # of the key and its addresses

    def allows(self, key: asyncssh.SSHKey, address: str, now: datetime) -> bool:
        """Whether this line allows a key to log in from an address at a time."""
        options = self.options
        if not options.may_draw or (options.expiry is not None and now >= options.expiry):
            return False
        try:
            return self.entry.validate(key, "", address) is not None
        except ValueError:  # an address that cannot be matched
            return False


class AuthorizedKeys:
    """The current lines of a file.

    While the file can't be used nobody can log in, since a removed key must not work again. The
    problem is logged once, and each login tries the file again.
    """

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            SshSetupError: it can't be read, others can write it, or it contains no key.
        """
        self._path = path
        self._logged: frozenset[str] = frozenset()  # warnings about the current file
        self._seen: FileVersion | None = None  # of the file when it was read; None to read it again
        self._keys: tuple[AuthorizedKey, ...] = ()
        self._read()
        if not self._keys:
            raise SshSetupError(f"--authorized-keys {path} contains no key that can log in")

    def find(self, key: asyncssh.SSHKey, address: str) -> AuthorizedKey | None:
        """Return the line that allows a key to log in from an address now, or None."""
        if self._seen is None or self._seen != file_version(self._path):
            try:
                self._read()
            except SshSetupError as error:
                self._log_new({f"{error}; nobody can log in"})
        now = datetime.now(UTC)
        blob = key.public_data
        matching = (line for line in self._keys if line.blob == blob)
        return next((line for line in matching if line.allows(key, address, now)), None)

    def forget(self) -> None:
        """Read the file with the next login, whether it seems to have changed or not."""
        self._seen = None

    def _read(self) -> None:
        """Read the file; if that fails there are no keys, and it is read again the next time."""
        self._seen, self._keys = None, ()
        text, status = _text(self._path)
        read: list[AuthorizedKey] = []
        warnings: set[str] = set()
        for number, line in enumerate(text.split("\n"), 1):
            content = line.strip(" \t\r")
            if content and not content.startswith("#"):
                try:
                    read.append(_line(content))
                except UnknownOption as reason:
                    warnings.add(f"line {number} of the authorized keys is ignored: {reason}")
        self._log_new(warnings)
        self._keys = tuple(read)
        version = FileVersion.of(status)
        self._seen = version if version.is_settled(time.time_ns()) else None

    def _log_new(self, warnings: set[str]) -> None:
        for warning in sorted(warnings - self._logged):
            logger.warning("%s", warning)
        self._logged = frozenset(warnings)


def _text(path: Path) -> tuple[str, os.stat_result]:
    name = f"--authorized-keys {path}"
    try:
        file = read_regular_file(path, FILE_MAXIMUM)
        if file.status.st_mode & 0o022:
            raise SshSetupError(f"{name} can be written by others; run: chmod go-w {path}")
        return file.content.decode(), file.status
    except OSError as error:
        raise SshSetupError(f"{name} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SshSetupError(f"{name} is not UTF-8 text") from error


def _line(text: str) -> AuthorizedKey:
    """Read a line.

    Raises:
        UnknownOption: it is not fully understood.
    """
    match = _KEY.fullmatch(text)
    options = _NO_OPTIONS
    if match is None:
        options, rest = key_options(text)
        match = _KEY.fullmatch(rest)
    if match is None:
        raise UnknownOption("it contains no key")
    try:
        key = asyncssh.import_public_key(f"{match[1]} {match[2]}")
        addresses = f'from="{options.addresses}" ' if options.addresses is not None else ""
        entry = asyncssh.import_authorized_keys(f"{addresses}{match[1]} {match[2]}")
    except (ValueError, asyncssh.KeyImportError) as error:
        raise UnknownOption("its key cannot be read") from error
    if key.get_algorithm() != match[1]:
        raise UnknownOption("its key is not of the type that it names")
    return AuthorizedKey(key.public_data, (match[3] or "").strip(), options, entry)


def key_options(text: str) -> tuple[KeyOptions, str]:
    """Return the options at the start of a line, and the rest of the line.

    Raises:
        UnknownOption: they are not fully understood.
    """
    values: dict[str, str] = {}
    may_draw = True
    index = 0
    while index == 0 or text[index - 1] == ",":
        match = _OPTION.match(text, index)
        if match is None:
            raise UnknownOption("its options are malformed")
        name, value = match[1].lower(), match[2]
        _check(name, value, values)
        values[name] = value or ""
        if name in ("pty", "no-pty", "restrict"):  # the last one counts
            may_draw = name == "pty"
        index = match.end() + 1
    if text[index - 1 : index].strip(" \t"):
        raise UnknownOption("its options are malformed")
    addresses, expiry = values.get("from"), values.get("expiry-time")
    if addresses is not None:
        _check_addresses(addresses)
    time = None if expiry is None else _time(expiry)
    return KeyOptions(addresses, time, may_draw), text[index:].lstrip(" \t")


def _check(name: str, value: str | None, before: dict[str, str]) -> None:
    if name not in _FLAGS | _VALUED:
        raise UnknownOption(f"option {name[:40]} is not supported")
    if (value is None) is (name in _VALUED):
        raise UnknownOption(f"option {name} {'needs a' if value is None else 'takes no'} value")
    if name in _ONCE and name in before:
        raise UnknownOption(f"option {name} is given twice")


def _check_addresses(patterns: str) -> None:
    """Check that each pattern is of addresses, since host names are not looked up."""
    for pattern in patterns.split(","):
        match = _ADDRESS_PATTERN.fullmatch(pattern)
        try:
            if match is not None and match[1]:
                ip_network(pattern.removeprefix("!"))
        except ValueError:
            match = None
        if match is None:
            raise UnknownOption("option from has a pattern that is not an address")


def _time(text: str) -> datetime:
    """Parse YYYYMMDD[HHMM[SS]][Z]; without the Z it is in the server's time zone."""
    match = _EXPIRY.fullmatch(text)
    if match is None:
        raise UnknownOption(NO_TIME)
    digits = f"{match[1]}{match[2] or '0000'}{match[3] or '00'}"
    try:
        time = datetime.strptime(digits, "%Y%m%d%H%M%S")  # noqa: DTZ007 - its zone follows
        return time.replace(tzinfo=UTC) if match[4] else time.astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise UnknownOption(NO_TIME) from error
