"""Who may come in: OpenSSH's file of public keys, read again when it changes.

Of its options (sshd(8), AUTHORIZED_KEYS FILE FORMAT) those that make sense here are kept to:
``from``, ``expiry-time``, and what ``restrict`` and ``no-…`` forbid, which nobody may here anyway,
but for ``no-pty``. A line with an option that would allow less than the app (``command``), or that
is not known, lets nobody in.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import asyncssh

from pettui.ssh.errors import SshSetupError

if TYPE_CHECKING:
    from pathlib import Path

FILE_MAXIMUM = 4_000_000  # bytes
_KEY_AND_COMMENT = re.compile(
    r"(?:^|\s)((?:ssh-|ecdsa-|sk-)[A-Za-z0-9@.-]+)\s+([A-Za-z0-9+/]+=*)(?:\s+(.*))?$"
)
_EXPIRY = re.compile(r"(\d{8})(\d{4})?(\d{2})?(Z)?")
_KEPT = {
    "from", "expiry-time", "restrict", "pty", "no-pty", "no-agent-forwarding", "agent-forwarding",
    "no-port-forwarding", "port-forwarding", "no-X11-forwarding", "X11-forwarding", "no-user-rc",
    "user-rc", "no-touch-required", "permitopen", "permitlisten", "environment",
}  # fmt: skip

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AuthorizedKey:
    """One line of the file."""

    blob: bytes  # the public key (RFC 4253, 6.6)
    comment: str
    entry: asyncssh.SSHAuthorizedKeys
    may_draw: bool  # neither no-pty nor restrict

    def lets_in(self, key: asyncssh.SSHKey, address: str, now: datetime) -> bool:
        """Say whether this line lets a key in, from an address, at a time."""
        options = self.entry.validate(key, "", address)
        if options is None or not self.may_draw:
            return False
        expiries = options.get("expiry-time", ())
        texts = expiries if isinstance(expiries, list) else ()
        return all(now < _time(text) for text in texts)


class AuthorizedKeys:
    """The lines of a file, as they are now.

    A file that can't be used any more lets nobody in, since a key that was taken out must not come
    back; the log says so.
    """

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            SshSetupError: it can't be read, others can write it, or it holds no key.
        """
        self._path = path
        self._seen = self._version()
        self._keys = _read(path)
        if not self._keys:
            raise SshSetupError(f"--authorized-keys {path} holds no key that lets anybody in")

    def find(self, key: asyncssh.SSHKey, address: str) -> AuthorizedKey | None:
        """Give the line that lets a key in from an address now, or None."""
        version = self._version()
        if version != self._seen:
            self._seen = version
            self._keys = self._read_again()
        now = datetime.now(UTC)
        blob = key.public_data
        matching = (line for line in self._keys if line.blob == blob)
        return next((line for line in matching if line.lets_in(key, address, now)), None)

    def _read_again(self) -> tuple[AuthorizedKey, ...]:
        try:
            return _read(self._path)
        except SshSetupError as error:
            logger.error("%s; nobody is let in", error)  # noqa: TRY400 - no traceback
            return ()

    def _version(self) -> tuple[int, ...] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size


def _read(path: Path) -> tuple[AuthorizedKey, ...]:
    name = f"--authorized-keys {path}"
    try:
        found = path.stat()
        if found.st_mode & 0o022:
            raise SshSetupError(f"{name} can be written by others; run: chmod go-w {path}")
        if found.st_size > FILE_MAXIMUM:
            raise SshSetupError(f"{name} is too long to be a file of keys")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SshSetupError(f"{name} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SshSetupError(f"{name} is no UTF-8 text") from error
    lines = enumerate(text.splitlines(), 1)
    read = [_line(number, line.strip()) for number, line in lines]
    return tuple(line for line in read if line is not None)


def _line(number: int, line: str) -> AuthorizedKey | None:
    if not line or line.startswith("#"):
        return None
    match = _KEY_AND_COMMENT.search(line)
    if match is None:
        logger.warning("line %d of the authorized keys holds no key", number)
        return None
    try:
        entry = asyncssh.import_authorized_keys(line)
        key = asyncssh.import_public_key(f"{match[1]} {match[2]}")
        options = _options(line[: match.start(1)])
        for text in options.get("expiry-time", ()):
            _time(text)
    except (ValueError, asyncssh.KeyImportError) as error:
        reason = error if isinstance(error, UnknownOption) else "it is none that is understood"
        logger.warning("line %d of the authorized keys lets nobody in: %s", number, reason)
        return None
    may_draw = "no-pty" not in options and ("restrict" not in options or "pty" in options)
    return AuthorizedKey(key.public_data, (match[3] or "").strip(), entry, may_draw)


class UnknownOption(ValueError):
    """An option that this server does not keep to."""


def _options(text: str) -> dict[str, list[str]]:
    """Give the options in front of a key: names, and values without their quotes."""
    options: dict[str, list[str]] = {}
    for name, value in re.findall(r'([A-Za-z0-9-]+)(?:="((?:[^"\\]|\\.)*)")?(?:,|\s|$)', text):
        if name not in _KEPT:
            raise UnknownOption(f"option {name} is not kept to here")
        options.setdefault(name, []).append(value)
    return options


def _time(text: str) -> datetime:
    """Read YYYYMMDD[HHMM[SS]][Z]; without the Z it is the server's own time."""
    match = _EXPIRY.fullmatch(text)
    if match is None:
        raise ValueError("no time")
    digits = f"{match[1]}{match[2] or '0000'}{match[3] or '00'}"
    time = datetime.strptime(digits, "%Y%m%d%H%M%S")  # noqa: DTZ007 - its zone follows
    return time.replace(tzinfo=UTC) if match[4] else time.astimezone()
