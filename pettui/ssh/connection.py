"""Connection: authentication and channel requests of one client, and what it is offered.

That is: algorithms, logins with a key, and nothing to forward.
"""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import TYPE_CHECKING, NoReturn

import asyncssh
from asyncssh.kex import get_kex_algs

from pettui.ssh.apps.app_factory import LOGIN_MAXIMUM, User
from pettui.ssh.asyncssh_internals import SessionChannel, TooManyKeyExchangesError, unread
from pettui.ssh.logins import FAILURES_MAXIMUM
from pettui.ssh.session import SshSession
from pettui.terminal.guarded_calls import guarded

if TYPE_CHECKING:
    from pettui.logs import Field
    from pettui.ssh.asyncssh_internals import ServerConnection
    from pettui.ssh.logins import Login
    from pettui.ssh.options import SshOptions
    from pettui.ssh.server_state import ServerState

NO_FORWARDING = "forwarding is not supported"
TOO_LATE = "no session was opened in time"
USER_NAMES_MAXIMUM = 5  # that one connection may try
SOFTWARE_MAXIMUM = 40  # characters of our own
CLIENT_MAXIMUM = 100  # characters of a client's version that are logged
# The algorithms of asyncssh that ssh-audit accepts without a warning; of its key exchanges those
# that take a server a fraction of a millisecond: group18 takes 14, and its client nothing.
KEY_EXCHANGES = (
    "mlkem768x25519-sha256", "curve25519-sha256", "curve25519-sha256@libssh.org",
)  # fmt: skip
CIPHERS = ("chacha20-poly1305@openssh.com", "aes256-gcm@openssh.com", "aes128-gcm@openssh.com")
MACS = ("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com")
SIGNATURES = (
    "ssh-ed25519", "sk-ssh-ed25519@openssh.com", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521", "sk-ecdsa-sha2-nistp256@openssh.com", "rsa-sha2-256", "rsa-sha2-512",
)  # fmt: skip


class Connection(asyncssh.SSHServer):
    """One connection, from its start to its end."""

    def __init__(self, state: ServerState) -> None:
        self._state = state
        self._address = ""
        self._user: User | None = None
        self._login: Login | None = None  # until a session begins
        self._login_name: str | None = None  # the user name of the last request to log in
        self._has_failed = False  # the last request to log in, which is in the log
        self._is_logged_in = False
        self._user_names = self._failures = 0
        self._channels = self._sessions = 0  # open; and those with a session that has begun
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, conn: ServerConnection) -> None:  # type: ignore[override]
        """Register the connection, which waits for its turn if many log in at once."""
        self._connection = conn
        self._state.accepted.discard(conn)
        self._address = str(conn.get_extra_info("peername", ("",))[0])
        if self._state.is_closing:
            conn.abort()
            return
        self._state.connections.add(conn)
        self._state.connection_count += 1
        conn.pause()
        self._login = self._state.logins.begin(self._address, self._proceed, self._drop)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection; malformed packets are logged, no bug: anyone can send them."""
        if isinstance(exc, TooManyKeyExchangesError):
            self._log_dropped(exc.reason)
        elif exc is not None and not isinstance(exc, asyncssh.Error | OSError):
            self._log_dropped(f"unreadable: {type(exc).__name__}")
        elif not self._is_logged_in:
            self._log_without_login(exc)
        self._state.connections.discard(self._connection)
        self._stop_deadline()

    def _log_without_login(self, exc: Exception | None) -> None:
        """Log why a client did not get as far as to log in."""
        if isinstance(exc, asyncssh.PermissionDenied | asyncssh.ConnectionLost):
            exc = None
        if isinstance(exc, asyncssh.DisconnectError):
            # Its text may be the client's: only the kind bounds the number of lines.
            self._log_dropped(f"no login: {type(exc).__name__}", detail=exc.reason)
        elif self._login_name is not None and not self._failures:
            self._log_refused("no key")

    def _log_dropped(self, reason: str, **more: Field) -> None:
        self._state.event_log.write("dropped", address=self._address, reason=reason, **more)

    def _log_refused(self, reason: str, **more: Field) -> None:
        """Log that a login is refused."""
        login = (self._login_name or "")[:LOGIN_MAXIMUM]
        client = str(self._connection.get_extra_info("client_version", ""))[:CLIENT_MAXIMUM]
        fields = {"address": self._address, "user": login, "client": client, "reason": reason}
        self._state.event_log.write("login refused", **fields, **more)

    def _proceed(self) -> None:
        self._connection.resume()
        self._start_deadline()

    def _drop(self) -> None:
        self._log_dropped("too many logins")
        self._connection.abort()

    def _start_deadline(self) -> None:
        """Disconnect the client unless it opens a session in time."""
        loop = asyncio.get_running_loop()
        too_late = guarded(self._too_late, self._fail, otherwise=None)
        self._deadline = loop.call_later(self._state.options.login_timeout, too_late)

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if self._login is not None:
            self._state.logins.end(self._login)
            self._login = None

    def _too_late(self) -> None:
        self._log_dropped(TOO_LATE)
        self._connection.disconnect(asyncssh.DISC_BY_APPLICATION, TOO_LATE)

    def _fail(self, error: Exception) -> None:
        """Report a bug, and end the connection, which has no deadline any more."""
        self._state.report_bug(error)
        self._connection.abort()

    # Authentication

    def begin_auth(self, username: str) -> bool:
        """Return whether authentication is required, unless anyone may log in."""
        self._login_name = username
        self._user_names += 1
        if self._user_names > USER_NAMES_MAXIMUM:
            self._deny()
        if self._state.keys is None:
            self._user = User(username, self._address)
            return False
        return True

    def public_key_auth_supported(self) -> bool:
        """Whether users log in with a key, the only method there is."""
        return self._state.keys is not None

    async def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        """Return whether the key may log in; asyncssh then verifies the client's signature."""
        line = None if self._state.keys is None else self._state.keys.find(key, self._address)
        if line is not None:
            fingerprint, name = key.get_fingerprint(), line.comment or None
            self._user = User(username, self._address, fingerprint, name)
            return True
        self._user = None
        self._failures += 1
        self._has_failed = True
        self._log_refused("unknown key", fingerprint=key.get_fingerprint())
        delay = self._state.logins.failed(self._address)
        if self._failures >= FAILURES_MAXIMUM:
            self._deny()
        if delay:
            with unread(self._connection):
                await asyncio.sleep(delay)
        return False

    def login_failed(self, method: str) -> None:
        """Log that a request was refused, unless it is; ``none`` only asks for the methods."""
        if method == "publickey" and not self._has_failed:
            self._failures += 1
            self._log_refused("bad signature" if self._user else "unusable key")
        elif method not in ("publickey", "none"):
            self._failures += 1
            self._log_refused("no such method", method=method[:LOGIN_MAXIMUM])
        self._has_failed = False
        if self._failures >= FAILURES_MAXIMUM:
            self._deny()

    def _deny(self) -> NoReturn:
        self._log_dropped("too many failures")
        raise asyncssh.PermissionDenied("too many login attempts")

    def auth_completed(self) -> None:
        """Reset the failures of the address."""
        self._is_logged_in = True
        self._state.logins.succeeded(self._address)

    # Channels

    def session_requested(self) -> tuple[SessionChannel, SshSession]:
        """Open a channel, unless this connection has too many."""
        if self._user is None or self._channels >= self._state.options.per_connection:
            raise asyncssh.ChannelOpenError(
                asyncssh.OPEN_RESOURCE_SHORTAGE, "too many sessions on this connection"
            )
        self._channels += 1
        return SessionChannel(self._connection), SshSession(
            self._state,
            self._user,
            self._session_began,
            self._session_ended,
            self._channel_closed,
        )

    def _session_began(self) -> None:
        self._sessions += 1
        self._connection.read_little()
        self._stop_deadline()

    def _session_ended(self) -> None:
        self._sessions -= 1
        if not self._sessions and self._connection in self._state.connections:
            self._start_deadline()

    def _channel_closed(self) -> None:
        self._channels -= 1

    def connection_requested(self, *_where: object) -> NoReturn:
        """Refuse TCP forwarding (ssh -L, -D, -W)."""
        self._refuse_forwarding()

    def unix_connection_requested(self, _path: str) -> NoReturn:
        """Refuse forwarding to a Unix socket."""
        self._refuse_forwarding()

    def server_requested(self, *_where: object) -> bool:
        """Refuse remote forwarding (ssh -R)."""
        self._state.event_log.write("refused", address=self._address, reason="remote forwarding")
        return False

    def unix_server_requested(self, _path: str) -> bool:
        """Refuse remote forwarding of a Unix socket."""
        return self.server_requested()

    def tun_requested(self, _unit: int | None) -> NoReturn:
        """Refuse a tunnel (ssh -w)."""
        self._refuse_forwarding()

    def tap_requested(self, _unit: int | None) -> NoReturn:
        """Refuse an Ethernet tunnel (ssh -w)."""
        self._refuse_forwarding()

    def _refuse_forwarding(self) -> NoReturn:
        self._state.event_log.write("refused", address=self._address, reason="forwarding")
        raise asyncssh.ChannelOpenError(asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED, NO_FORWARDING)


def connection_options(
    state: ServerState, key: asyncssh.SSHKey
) -> asyncssh.SSHServerConnectionOptions:
    """Return what asyncssh needs for each connection.

    ML-KEM is offered where cryptography's OpenSSL has it.

    Args:
        state: of the process.
        key: the host key.
    """
    return asyncssh.SSHServerConnectionOptions(
        server_factory=partial(Connection, state),
        server_host_keys=[key],
        server_version=_software(state.options),
        login_timeout=0,  # ``Connection`` has a deadline that includes the session
        keepalive_interval=0,  # ``watch_connections`` does it for all
        kex_algs=[name for name in KEY_EXCHANGES if name.encode() in get_kex_algs()],
        encryption_algs=CIPHERS,
        mac_algs=MACS,
        signature_algs=SIGNATURES,
        compression_algs=None,
        password_auth=False,
        kbdint_auth=False,
        host_based_auth=False,
        gss_host=None,
        agent_forwarding=False,
        x11_forwarding=False,
        config=None,
    )


def _software(options: SshOptions) -> str:
    """Return the name and version that clients are told, of printable ASCII (RFC 4253, 4.2)."""
    text = "_".join(filter(None, (options.name, options.version)))
    return re.sub(r"[^!-,.-~]", "_", text)[:SOFTWARE_MAXIMUM]
