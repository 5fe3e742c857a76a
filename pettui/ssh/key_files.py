"""Files of keys: the server's own, and OpenSSH's of those that may log in.

The server's own is of Ed25519, created at the first start, and readable only by its owner. The
other one is read again when it changes: within a second by the parent, which tells the workers and
the log, and at each login by its worker.

A line that is not fully understood is ignored, which is logged once. Of the options before a key
(sshd(8), AUTHORIZED_KEYS FILE FORMAT) ``from`` and ``expiry-time`` are applied. What ``restrict``
and ``no-…`` forbid is never allowed here, except for a terminal (``no-pty``). An option that would
replace the app (``command``) is not supported. ``environment="PETTUI_USER=anna"`` says to whose
account a key belongs; a client's own variables never do.
"""

from __future__ import annotations

import hashlib
import logging
import re
from base64 import b64encode
from codecs import BOM_UTF8
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_network
from typing import TYPE_CHECKING

import asyncssh

from pettui.ssh.options import SshSetupError
from pettui.system.files import (
    WatchedFile,
    locked_directory,
    make_directory,
    read_regular_file,
    reason_of,
    replace_file,
)
from pettui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KEY_MAXIMUM = 100_000  # bytes of a file with one key
FILE_MAXIMUM = 4_000_000  # bytes of a file with many
LOGGED_EVERY = 30.0  # seconds between two warnings of the file of keys as a whole

logger = logging.getLogger(__name__)


def host_key(path: Path, comment: str) -> asyncssh.SSHKey:
    """Return the server's key, whose file is created if missing (0600, in a directory of 0700).

    Args:
        path: of the file.
        comment: in a key that is created.

    Raises:
        SshSetupError: it can't be created, or as for ``read_host_key``.
    """
    try:
        _make_if_missing(path, comment)
    except OSError as error:
        raise SshSetupError(f"host key {path} can't be used: {reason_of(error)}") from error
    return read_host_key(path)


def read_host_key(path: Path) -> asyncssh.SSHKey:
    """Return the server's key.

    Raises:
        SshSetupError: it can't be read, others can read it, or it is not an Ed25519 key.
    """
    try:
        file = read_regular_file(path, KEY_MAXIMUM)
        if file.status.st_mode & 0o077:
            raise SshSetupError(f"host key {path} can be read by others; run: chmod 600 {path}")
    except OSError as error:
        raise SshSetupError(f"host key {path} can't be used: {reason_of(error)}") from error
    try:
        key = asyncssh.import_private_key(file.content)
    except Exception as error:  # asyncssh raises many kinds for a damaged one
        reason = "it must be a private key in OpenSSH's format, without a passphrase"
        raise SshSetupError(f"host key {path} can't be used: {reason}") from error
    if key.get_algorithm() != "ssh-ed25519":
        raise SshSetupError(f"host key {path} must be of Ed25519; another is not offered")
    return key


def _make_if_missing(path: Path, comment: str) -> None:
    if path.exists():
        return
    make_directory(path.parent)
    # Two servers that start at once use the same key, if the file system has locks.
    with locked_directory(path.parent, is_required=False):
        if not path.exists():
            key = asyncssh.generate_private_key("ssh-ed25519", comment=comment)
            replace_file(path, key.export_private_key())


# Those that may log in

_KEY = re.compile(
    r"((?:ssh-|ecdsa-|sk-)[A-Za-z0-9@.-]+)[ \t]+([A-Za-z0-9+/]+={0,3})(?:[ \t]+(.*))?"
)
_OPTION = re.compile(r'([A-Za-z0-9-]+)(?:="((?:[^"\\]|\\.)*)")?')
_FORWARDING = {"agent-forwarding", "port-forwarding", "x11-forwarding", "user-rc", "pty"}
_FLAGS = {"restrict", "no-touch-required", *_FORWARDING, *(f"no-{name}" for name in _FORWARDING)}
_TERMINAL = {"pty", "no-pty", "restrict"}  # of these the last one counts
_ONCE = {"from", "expiry-time"}
_VALUED = {*_ONCE, "permitopen", "permitlisten", "environment"}
_ACCOUNT = "PETTUI_USER="  # of the option environment
_ACCOUNT_MAXIMUM = COMMENT_SHOWN = 80  # characters
# Those of OpenSSH that are refused; nothing else is said of a line, which may be a part of a key.
_KNOWN_ELSEWHERE = {"cert-authority", "command", "principals", "tunnel", "verify-required"}
_ADDRESS_PATTERN = re.compile(r"!?[0-9A-Fa-f:.*?]+(/[0-9]{1,3})?")
_EXPIRY = re.compile(r"([0-9]{8})(?:([0-9]{4})([0-9]{2})?)?(Z)?")
NO_TIME = "option expiry-time has no valid time"
_SAME_COMMENT = (
    "lines {} and {} of the authorized keys have one comment, {}, and are two users: each has an"
    ' outbox of its own, unless both have environment="PETTUI_USER=…" with one name'
)


class UnknownOption(ValueError):
    """An option that is not understood or not supported."""


@dataclass(frozen=True, slots=True)
class AuthorizedKey:
    """One line of the file."""

    blob: bytes  # the public key (RFC 4253, 6.6)
    entry: asyncssh.SSHAuthorizedKeys  # the same, and its addresses
    comment: str
    expiry: datetime | None
    may_draw: bool  # without no-pty and restrict
    account: str | None  # whose key it is, where the line says so

    def is_valid(self, now: datetime) -> bool:
        """Whether this line lets anybody in at a time."""
        return self.may_draw and (self.expiry is None or now < self.expiry)

    def allows(self, key: asyncssh.SSHKey, address: str, now: datetime) -> bool:
        """Whether this line allows a key to log in from an address at a time."""
        if not self.is_valid(now):
            return False
        try:
            return self.entry.validate(key, "", address) is not None
        except ValueError:  # an address that cannot be matched
            return False

    def is_another_users(self, other: AuthorizedKey) -> bool:
        """Whether this key and another one belong to two users."""
        if self.account is None and other.account is None:
            return self.blob != other.blob
        return self.account != other.account


class GoneError(SshSetupError):
    """There is no file of keys."""


class AuthorizedKeys:
    """The lines of a file: as it was when it could be read last, whoever it lets in.

    So one in which no key is left lets nobody in, and one that is gone neither. While it can't be
    read, is writable by others or ends in the middle of a line, the keys before stay: nobody meant
    that. Those are the ones that this process read last, or was told by its parent.
    """

    def __init__(self, path: Path, name: str = "--authorized-keys") -> None:
        """Read the file.

        Args:
            path: of the file.
            name: of the argument that it was passed as, for errors.

        Raises:
            SshSetupError: it can't be read, others can write it, or it lets nobody in.
        """
        self._file = WatchedFile(path, FILE_MAXIMUM)
        self._name = f"{name} {path}"
        self._warnings: frozenset[str] = frozenset()  # about lines of the file
        self._logged: frozenset[str] = frozenset()  # of them
        self._lasting = ""  # what was logged of the file as a whole, and lasts
        self._logs_at = 0.0  # when it is logged again
        self._keys: tuple[AuthorizedKey, ...] = ()
        self._cut: str | None = None  # the last line, if it has no end and is ignored
        self._is_gone = False  # so that it has no lines
        self.content = b""  # of the file, as it counts
        self.problem = ""  # why the file can't be used, so that the keys before stay
        self.use(self._read())
        self._log_new(self._warnings)
        if why := self._why_nobody:
            raise SshSetupError(f"{self._name} {why}")

    def find(self, key: asyncssh.SSHKey, address: str) -> AuthorizedKey | None:
        """Return the line that allows a key to log in from an address now, or None."""
        self.refresh()
        now = datetime.now(UTC)
        blob = key.public_data  # asyncssh compares keys twenty times as slowly
        matching = (line for line in self._keys if line.blob == blob)
        return next((line for line in matching if line.allows(key, address, now)), None)

    def fingerprints_of(self, account: str | None) -> frozenset[str]:
        """Return the fingerprints of all keys of an account, even of those that have expired."""
        keys = [line.blob for line in self._keys if account is not None and line.account == account]
        digests = (b64encode(hashlib.sha256(blob).digest()).decode() for blob in keys)
        return frozenset(f"SHA256:{digest.rstrip('=')}" for digest in digests)

    def refresh(self, *, is_asked: bool = False) -> bool:
        """Read the file if it has changed, or somebody asked; return whether it says another thing.

        Why it can't be used is in ``problem`` then.
        """
        if not (is_asked or self._file.has_changed):
            return False
        before, self.problem = self.content, ""
        try:
            self.use(self._read(), may_be_cut=True)
        except GoneError:
            self.use(b"")
            self._is_gone = True
        except SshSetupError as error:
            self.problem = str(error)
        return self.content != before

    def watch(self, now: float, *, logs_all: bool = False) -> bool:
        """Refresh, log what is wrong, and return whether the workers are to be told of other keys.

        Args:
            now: seconds. While the file can't be used or lets nobody in, that is logged each half
                minute.
            logs_all: it is read even if it did not change, and what was logged before is, too.
        """
        is_other = self.refresh(is_asked=logs_all)
        if logs_all:
            self._logged, self._lasting = frozenset(), ""
        lasting = f"{self.problem}; the keys read before stay" if self.problem else ""
        if not lasting:
            self._log_new(self._warnings)
            if why := self._why_nobody:
                lasting = f"nobody can log in: {self._name} {why}"
        if lasting and (lasting != self._lasting or now >= self._logs_at):
            self._logs_at = now + LOGGED_EVERY
            logger.warning("%s", lasting)
        self._lasting = lasting
        return is_other

    def use(self, content: bytes, *, may_be_cut: bool = False) -> None:
        """Have the lines of a file count from now on, as it was read here or by the parent.

        Args:
            content: of the file.
            may_be_cut: the last line may be the beginning of one.

        Raises:
            SshSetupError: that is so; the keys before stay.
        """
        if content and content == self.content:
            return
        is_text = b"\0" not in content  # as UTF-16 has it, with which some editors save
        lines = content.removeprefix(BOM_UTF8).split(b"\n") if is_text else []
        text = "\n".join(map(_decoded, lines))
        read: dict[int, AuthorizedKey] = {}  # by the number of its line
        warnings: set[str] = set()
        cut = None
        for number, line in enumerate(text.split("\n"), 1):
            entry = line.strip(" \t\r")
            if entry and not entry.startswith("#"):
                try:
                    read[number] = _line(entry)
                except UnknownOption as reason:
                    if number > text.count("\n"):
                        cut = entry
                    warnings.add(f"line {number} of the authorized keys is ignored: {reason}")
                    continue
                expiry = read[number].expiry
                if expiry is not None and expiry <= datetime.now(UTC):
                    at = expiry.isoformat(" ", "minutes")
                    warnings.add(f"line {number} of the authorized keys has expired: {at}")
        # One that was there before is no part of another, and keeps no key that is taken back.
        if may_be_cut and cut is not None and cut != self._cut:
            raise SshSetupError(f"{self._name} is cut off")
        self._keys = tuple(read.values())
        self._warnings = frozenset(warnings | _same_comments(read))
        self.content, self._cut, self._is_gone = content, cut, False

    @property
    def _why_nobody(self) -> str:
        """Why nobody can log in now; "" if somebody can, from some address."""
        now = datetime.now(UTC)
        if any(line.is_valid(now) for line in self._keys):
            return ""
        return "is gone" if self._is_gone else "contains no key that can log in"

    def _read(self) -> bytes:
        """Read the file. Raises SshSetupError."""
        try:
            file = self._file.read()
        except OSError as error:
            is_gone = isinstance(error, FileNotFoundError | NotADirectoryError)
            kind = GoneError if is_gone else SshSetupError
            raise kind(f"{self._name} can't be read: {reason_of(error)}") from error
        if file.status.st_mode & 0o022:
            reason = f"can be written by others; run: chmod go-w {self._file.path}"
            raise SshSetupError(f"{self._name} {reason}")
        return file.content

    def _log_new(self, warnings: frozenset[str]) -> None:
        for warning in sorted(warnings - self._logged):
            logger.warning("%s", warning)
        self._logged = warnings


def _same_comments(lines: Mapping[int, AuthorizedKey]) -> set[str]:
    """Return a warning for each two users whose keys have one comment: it tells nobody apart."""
    first: dict[str, int] = {}
    warnings = set()
    for number, line in lines.items():
        other = first.setdefault(line.comment, number)
        if line.comment and line.is_another_users(lines[other]):
            warnings.add(_SAME_COMMENT.format(other, number, safe(line.comment, COMMENT_SHOWN)))
    return warnings


def _decoded(line: bytes) -> str:
    """Return a line as text, whose comment may be in Latin-1: all else is ASCII."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _line(text: str) -> AuthorizedKey:
    """Read a line.

    Raises:
        UnknownOption: it is not fully understood.
    """
    options, rest = ({}, text) if _KEY.fullmatch(text) else _options(text)
    match = _KEY.fullmatch(rest)
    if match is None:
        raise UnknownOption("it contains no key")
    kind, comment = match[1], (match[3] or "").strip()
    key_text = f"{kind} {match[2]}"
    addresses = f'from="{options["from"]}" ' if "from" in options else ""
    try:
        key = asyncssh.import_public_key(key_text)
        entry = asyncssh.import_authorized_keys(addresses + key_text)
    except Exception as error:  # asyncssh raises many kinds for a damaged one
        raise UnknownOption("its key cannot be read") from error
    if key.get_algorithm() != kind:
        raise UnknownOption("its key is not of the type that it names")
    expiry = _time(options["expiry-time"]) if "expiry-time" in options else None
    last = next((name for name in reversed(options) if name in _TERMINAL), "pty")
    may_draw, account = last == "pty", options.get(_ACCOUNT)
    return AuthorizedKey(key.public_data, entry, comment, expiry, may_draw, account)


def _options(text: str) -> tuple[dict[str, str], str]:
    """Return the options at the start of a line, the last ones last, and the rest of the line.

    Raises:
        UnknownOption: they are not fully understood.
    """
    options: dict[str, str] = {}
    index = 0
    while index == 0 or text[index - 1 : index] == ",":  # the line may end with them
        match = _OPTION.match(text, index)
        if match is None:
            raise UnknownOption("its options are malformed")
        name, value = match[1].lower(), match[2]
        if name not in _FLAGS | _VALUED:
            named = f"option {name}" if name in _KNOWN_ELSEWHERE else "what it begins with"
            raise UnknownOption(f"{named} is not supported")
        if (value is None) is (name in _VALUED):
            raise UnknownOption(f"option {name} {'needs a' if value is None else 'takes no'} value")
        if options.pop(name, None) is not None and name in _ONCE:
            raise UnknownOption(f"option {name} is given twice")
        options[name] = value or ""
        if name == "environment" and options[name].startswith(_ACCOUNT):
            if _ACCOUNT in options:
                raise UnknownOption("option environment names two users")
            options[_ACCOUNT] = _account(options[name].removeprefix(_ACCOUNT))
        index = match.end() + 1
    if text[index - 1 : index].strip(" \t"):
        raise UnknownOption("its options are malformed")
    _check_addresses(options.get("from", "*"))
    return options, text[index:].lstrip(" \t")


def _account(text: str) -> str:
    name = text.replace('\\"', '"')
    if not (name.isprintable() and name == name.strip() and 0 < len(name) <= _ACCOUNT_MAXIMUM):
        raise UnknownOption("option environment has no valid PETTUI_USER")
    return name


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
