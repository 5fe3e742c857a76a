"""Connection: authentication and channel requests of one client, and what it is offered.

That is: algorithms, logins with a key, and nothing to forward. A client that does not read what it
causes is disconnected, and one that is gone: where nothing came for a while it is asked for a
reply. asyncssh can do that, too, but its timer for each connection and its task for each request
cost three times as much, which would be most of the cost of users who do nothing.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable
from dataclasses import replace
from functools import partial
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import asyncssh
from asyncssh.kex import get_kex_algs

from pettui.ssh.apps.app_factory import LOGIN_MAXIMUM, Admitted, Refused, User
from pettui.ssh.asyncssh_internals import SessionChannel, TooManyKeyExchangesError, unsent
from pettui.ssh.logins import FAILURES_MAXIMUM
from pettui.ssh.session import SshSession
from pettui.system.background_tasks import next_tick
from pettui.text.safe import terminal_lines

if TYPE_CHECKING:
    from pettui.ssh.asyncssh_internals import ServerConnection
    from pettui.ssh.load import Reason
    from pettui.ssh.options import SshOptions
    from pettui.ssh.server_state import ServerState
    from pettui.system.logs import Field

NO_FORWARDING = "forwarding is not supported"
REVOKED: Final = "this key may no longer log in"
TOO_LATE = "no session was opened in time"
SLOW: Final = "authorize takes longer than login_timeout"
SHORT_TIMEOUT: Final = 3.0  # seconds to open one in, where the system lacks descriptors
SOFTWARE_MAXIMUM = 40  # characters of our own
CLIENT_MAXIMUM = 100  # characters of a client's version that are logged
INTERVAL: Final = 1.0  # seconds between two checks, in which a flood causes half a megabyte
UNSENT_MAXIMUM: Final = 4_000_000  # bytes; a screen and a copy are far less
SILENCE: Final = 30.0  # seconds without input until a client is asked, and between two requests
UNANSWERED_MAXIMUM: Final = 3  # requests; so a client is gone two minutes after its last input
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
        self._user: User | None = None
        self._key: asyncssh.SSHKey | None = None  # with which the user logs in
        self._refused: tuple[Refused, asyncssh.SSHKey] | None = None  # once the key is proved
        self._login_name: str | None = None  # the user name of the last request to log in
        self._has_failed = False  # the last request to log in, which is in the log
        self._is_logged_in = False
        self._failures = 0
        # By user name and key.
        self._answers: dict[tuple[str, str], asyncio.Task[Admitted | Refused]] = {}

    def connection_made(self, conn: ServerConnection) -> None:  # type: ignore[override]
        """Register the connection, which waits for its turn if many log in at once."""
        self._connection = conn
        self._state.accepted.discard(conn)
        if self._state.is_closing:
            conn.abort()
            return
        self._state.connections.add(conn)
        self._state.connection_count += 1
        conn.pause()
        if (surplus := self._state.logins.begin(conn)) is not None:
            cast("Connection", surplus.get_owner()).drop("too many logins")

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection; malformed packets are logged, no bug: anyone can send them."""
        if isinstance(exc, TooManyKeyExchangesError):
            self._log_dropped(exc.reason)
        elif exc is not None and not isinstance(exc, asyncssh.Error | OSError):
            self._log_dropped(f"unreadable: {type(exc).__name__}")
        elif not self._is_logged_in:
            self._log_without_login(exc)
        self._state.connections.discard(self._connection)
        self._state.logins.end(self._connection)
        while self._answers:
            self._answers.popitem()[1].cancel()

    def _log_without_login(self, exc: Exception | None) -> None:
        """Log why a client did not get as far as to log in."""
        if isinstance(exc, asyncssh.PermissionDenied | asyncssh.ConnectionLost):
            exc = None
        if isinstance(exc, asyncssh.DisconnectError):
            # Its text may be the client's: only the kind bounds the number of lines.
            self._log_dropped(f"no login: {type(exc).__name__}", detail=exc.reason)
        elif self._login_name is not None and not self._failures:
            self._log_refused("not authorized" if self._is_asking else "no key")

    def _log_dropped(self, reason: str, **more: Field) -> None:
        self._state.event_log.write(
            "dropped", address=self._connection.address, reason=reason, **more
        )

    def _log_refused(self, reason: Reason, **more: Field) -> None:
        """Log and count that a login is refused."""
        self._state.load.refused(reason)
        login = (self._login_name or "")[:LOGIN_MAXIMUM]
        client = str(self._connection.get_extra_info("client_version", ""))[:CLIENT_MAXIMUM]
        fields = {
            "address": self._connection.address,
            "user": login,
            "client": client,
            "reason": reason,
        }
        self._state.event_log.write("login refused", **fields, **more)

    def drop(self, reason: str) -> None:
        """End it without a word to the client."""
        self._log_dropped(reason)
        self._connection.abort()

    def check(self, latest: float) -> None:
        """Disconnect a client that does not read, is gone or late, or keeps others from connecting.

        Args:
            latest: from when on it need not have sent anything, by the monotonic clock.
        """
        connection, state = self._connection, self._state
        is_short = asyncio.get_running_loop().time() < state.short_until
        if unsent(connection) > UNSENT_MAXIMUM:
            self.drop("the client does not read")
        elif self._is_late(SHORT_TIMEOUT if is_short else inf):
            self._disconnect_late()
        elif connection.silent_since > latest or not connection.is_authenticated:
            return
        elif connection.unanswered >= UNANSWERED_MAXIMUM:
            self.drop("the client does not respond")
        else:
            connection.request_reply()

    def _is_late(self, longest: float = inf) -> bool:
        """Whether the client should have opened a session by now."""
        seconds = min(self._state.options.login_timeout, longest)
        return self._connection.waits_since + seconds <= asyncio.get_running_loop().time()

    def _disconnect_late(self) -> None:
        self._log_dropped(TOO_LATE)
        if self._is_asking:
            self._state.report_bug(TimeoutError(SLOW))
        self._connection.disconnect(asyncssh.DISC_BY_APPLICATION, TOO_LATE)

    # Authentication

    def begin_auth(self, username: str) -> bool:
        """Return whether authentication is required, unless anyone may log in."""
        if self._login_name is None and self._state.options.banner:
            self._show_banner(self._state.options.banner)
        self._login_name = username
        if not self.public_key_auth_supported():
            self._user = User(username, self._connection.address)
            return False
        return True

    def public_key_auth_supported(self) -> bool:
        """Whether users log in with a key, the only method there is."""
        return self._state.keys is not None or self._state.options.authorize is not None

    async def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        """Return whether the key may log in; asyncssh then verifies the client's signature."""
        self._user = self._refused = None
        self._key = key
        address, public = self._connection.address, key.export_public_key().decode().strip()
        user = User(username, address, key.get_fingerprint(), public_key=public)
        if (keys := self._state.keys) is not None:
            line = keys.find(key, address)
            if line is None:
                return await self._refuse("unknown key", key)
            of_account = keys.fingerprints_of(line.account)
            user = replace(
                user, key=line.comment or None, account=line.account, account_keys=of_account
            )
        if self._state.options.authorize is not None:
            answer = await self._answer_for(user)
            if isinstance(answer, Refused):
                if not answer.reason:
                    return await self._refuse("not authorized", key)
                self._refused = answer, key
                return True
            user = replace(user, data=answer.data)
        self._user = user
        return True

    async def key_proved(self) -> bool:
        """Whether who has the key may log in, who reads why where it may not."""
        if self._refused is None:
            return True
        refused, key = self._refused
        self._show_banner(refused.reason)
        return await self._refuse("not authorized", key, detail=refused.reason)

    def _show_banner(self, text: str) -> None:
        """Have the client show lines before it has logged in."""
        self._connection.send_auth_banner(terminal_lines(text.splitlines()).decode())

    async def _answer_for(self, user: User) -> Admitted | Refused:
        """Return the answer for a user and a key, for which this connection asks only once."""
        asked = user.login, user.public_key or ""
        if asked not in self._answers:
            if len(self._answers) >= FAILURES_MAXIMUM:
                self._deny()
            self._answers[asked] = asyncio.create_task(self._ask(user), name="authorize")
        self._connection.pause()  # asyncssh would buffer all that the client sends
        try:
            return await asyncio.shield(self._answers[asked])
        finally:
            self._connection.resume()

    @property
    def _is_asking(self) -> bool:
        """Whether an app has not said yet if a user may log in."""
        return not all(answer.done() for answer in self._answers.values())

    async def _ask(self, user: User) -> Admitted | Refused:
        """Ask whether a user may log in; whatever does not admit in time refuses."""
        authorize = self._state.options.authorize
        try:
            answer: object = authorize(user) if authorize is not None else False
            if isinstance(answer, Awaitable):
                answer = await answer
            answer = _parsed(answer)
        except BaseException as error:  # a bug of the app lets nobody in
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            self._state.report_bug(error, **user.fields)
            return Refused("")
        if self._is_late():
            self._state.report_bug(TimeoutError(SLOW), **user.fields)
            return Refused("")
        return answer

    async def _refuse(self, reason: Reason, key: asyncssh.SSHKey, **more: Field) -> bool:
        """Refuse a key, after a delay where the address had others refused before."""
        self._failures += 1
        self._has_failed = True
        self._log_refused(reason, fingerprint=key.get_fingerprint(), **more)
        delay = self._state.logins.failed(self._connection.address)
        if self._failures >= FAILURES_MAXIMUM:
            self._deny()
        if delay:
            self._connection.pause()  # asyncssh would buffer all that the client sends
            try:
                await asyncio.sleep(delay)
            finally:
                self._connection.resume()
        return False

    def login_failed(self, method: str) -> None:
        """Log that a request was refused, unless it is; ``none`` only asks for the methods."""
        if method == "publickey" and not self._has_failed:
            self._failures += 1
            self._log_refused("bad signature" if self._user or self._refused else "unusable key")
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
        self._state.logins.succeeded(self._connection.address)

    # Channels

    def session_requested(self) -> tuple[SessionChannel, SshSession]:
        """Open a channel, unless this connection has too many."""
        connection = self._connection
        if self._user is not None and not self._may_still_log_in:
            self._state.event_log.write("refused", reason=REVOKED, **self._user.fields)
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED, REVOKED)
        if self._user is None or len(connection.channels) >= self._state.options.per_connection:
            raise asyncssh.ChannelOpenError(
                asyncssh.OPEN_RESOURCE_SHORTAGE, "too many sessions on this connection"
            )
        session = SshSession(self._state, self._user)
        connection.channels.add(session)
        return SessionChannel(connection, self._state.options.accept_env), session

    @property
    def _may_still_log_in(self) -> bool:
        """Whether the key is still in the file: a connection may outlive that."""
        keys = self._state.keys
        if keys is None or self._key is None:
            return True
        return keys.find(self._key, self._connection.address) is not None

    def connection_requested(self, *_where: Any, **_named: Any) -> NoReturn:
        """Refuse forwarding of TCP (ssh -L, -D, -W), to a Unix socket, and tunnels (ssh -w)."""
        self._state.event_log.write(
            "refused", address=self._connection.address, reason="forwarding"
        )
        raise asyncssh.ChannelOpenError(asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED, NO_FORWARDING)

    unix_connection_requested = tun_requested = tap_requested = connection_requested

    def server_requested(self, *_where: Any, **_named: Any) -> bool:
        """Refuse remote forwarding (ssh -R), of a Unix socket, too."""
        self._state.event_log.write(
            "refused", address=self._connection.address, reason="remote forwarding"
        )
        return False

    unix_server_requested = server_requested


def _parsed(answer: object) -> Admitted | Refused:
    """Return an answer of ``authorize``.

    Raises:
        TypeError: it is none.
    """
    match answer:
        case True:
            return Admitted()
        case False:
            return Refused("")
        case Admitted() | Refused(reason=str()):
            return answer
    kind = type(answer).__name__
    raise TypeError(f"authorize must return True, Admitted or Refused, and returned one of {kind}")


async def watch_connections(state: ServerState) -> None:
    """Check all connections periodically, until cancelled; a bug ends only its connection."""

    def check_all() -> None:  # a function, so that no variable keeps the last connection alive
        latest = monotonic() - SILENCE
        for connection in tuple(state.connections):
            try:
                cast("Connection", connection.get_owner()).check(latest)
            except Exception as error:  # noqa: BLE001 - the others are checked nevertheless
                state.report_bug(error)
                connection.abort()

    while True:
        await next_tick(INTERVAL)
        check_all()


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
