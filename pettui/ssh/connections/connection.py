"""Who may log in on one connection, and what is refused there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NoReturn

import asyncssh

from pettui.ssh.admission.logins import FAILURES_MAXIMUM
from pettui.ssh.apps.app_factory import User
from pettui.ssh.asyncssh_internals import SessionChannel, read_on, unread
from pettui.ssh.sessions.ssh_session import SshSession
from pettui.terminal.guarded_calls import guarded

if TYPE_CHECKING:
    from pettui.ssh.admission.logins import Login
    from pettui.ssh.server_state import ServerState

NO_FORWARDING = "forwarding is not supported"
TOO_LATE = "no session was opened in time"
USER_NAMES_MAXIMUM = 5  # that one connection may try


class Connection(asyncssh.SSHServer):
    """One connection, from the first byte to the last."""

    def __init__(self, state: ServerState) -> None:
        self._state = state
        self._address = ""
        self._user: User | None = None
        self._login: Login | None = None  # until it comes to a session
        self._user_names = self._failures = 0
        self._channels = self._sessions = 0  # open; of them those that have begun
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        """Count the connection; where many log in at once, its client waits until it may go on."""
        self._connection = conn
        self._address = str(conn.get_extra_info("peername", ("",))[0])
        if self._state.is_closing:
            conn.abort()
            return
        self._state.connections.add(conn)
        read_on(conn, is_wanted=False)
        self._login = self._state.logins.begin(self._address, self._proceed, self._drop)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it out; what asyncssh could not read is in the log, and no report: anybody can."""
        if exc is not None and not isinstance(exc, asyncssh.Error | OSError):
            reason = f"unreadable: {type(exc).__name__}"
            self._state.event_log.write("dropped", address=self._address, reason=reason)
        self._state.connections.discard(self._connection)
        self._wait_no_more()

    def _proceed(self) -> None:
        read_on(self._connection, is_wanted=True)
        self._wait_for_session()

    def _drop(self) -> None:
        self._state.event_log.write("dropped", address=self._address, reason="too many logins")
        self._connection.abort()

    def _wait_for_session(self) -> None:
        """Let go of the client unless it opens a session in time."""
        loop = asyncio.get_running_loop()
        too_late = guarded(self._too_late, self._fail, otherwise=None)
        self._waiting = loop.call_later(self._state.options.login_timeout, too_late)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        if self._login is not None:
            self._state.logins.end(self._login)
            self._login = None

    def _too_late(self) -> None:
        self._state.event_log.write("dropped", address=self._address, reason=TOO_LATE)
        self._connection.disconnect(asyncssh.DISC_BY_APPLICATION, TOO_LATE)

    def _fail(self, error: Exception) -> None:
        """End the connection by a bug: nothing watches over it any more."""
        self._state.tell_of_bug(error)
        self._connection.abort()

    # Who

    def begin_auth(self, username: str) -> bool:
        """Ask for a key, unless anybody may log in."""
        self._user_names += 1
        if self._user_names > USER_NAMES_MAXIMUM:
            self._give_up()
        if self._state.keys is None:
            self._user = User(username, self._address)
            return False
        return True

    def public_key_auth_supported(self) -> bool:
        """Whether a key is what lets anybody in; nothing else does."""
        return self._state.keys is not None

    async def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        """Look the key up; asyncssh then checks that the client has it."""
        line = None if self._state.keys is None else self._state.keys.find(key, self._address)
        if line is not None:
            name = line.comment or username
            self._user = User(name, self._address, key.get_fingerprint())
            return True
        self._user = None
        self._failures += 1
        delay = self._state.logins.failed(self._address)
        if self._failures >= FAILURES_MAXIMUM:
            self._give_up()
        if delay:
            with unread(self._connection):
                await asyncio.sleep(delay)
        return False

    def _give_up(self) -> NoReturn:
        self._state.event_log.write("dropped", address=self._address, reason="too many failures")
        raise asyncssh.PermissionDenied("too many login attempts")

    def auth_completed(self) -> None:
        """Forget what was wrong before."""
        self._state.logins.succeeded(self._address)

    # What

    def session_requested(self) -> tuple[SessionChannel, SshSession]:
        """Open a session, unless this connection has enough."""
        if self._user is None or self._channels >= self._state.options.per_connection:
            raise asyncssh.ChannelOpenError(
                asyncssh.OPEN_RESOURCE_SHORTAGE, "too many sessions on this connection"
            )
        self._channels += 1
        return SessionChannel(self._connection), SshSession(
            self._state, self._user, self._session_began, self._session_ended
        )

    def _session_began(self) -> None:
        self._sessions += 1
        self._wait_no_more()

    def _session_ended(self, had_begun: bool) -> None:
        self._channels -= 1
        self._sessions -= had_begun
        is_idle = had_begun and not self._sessions
        if is_idle and self._connection in self._state.connections:
            self._wait_for_session()

    def connection_requested(self, *_where: object) -> NoReturn:
        """Refuse a connection to elsewhere (ssh -L, -D, -W)."""
        self._refuse_forwarding()

    def unix_connection_requested(self, _path: str) -> NoReturn:
        """Refuse a connection to a socket."""
        self._refuse_forwarding()

    def server_requested(self, *_where: object) -> bool:
        """Refuse to listen (ssh -R); the client says so."""
        self._state.event_log.write("refused", address=self._address, reason="remote forwarding")
        return False

    def unix_server_requested(self, _path: str) -> bool:
        """Refuse to listen on a socket."""
        return self.server_requested()

    def tun_requested(self, _unit: int | None) -> NoReturn:
        """Refuse a tunnel (ssh -w)."""
        self._refuse_forwarding()

    def tap_requested(self, _unit: int | None) -> NoReturn:
        """Refuse a tunnel likewise."""
        self._refuse_forwarding()

    def _refuse_forwarding(self) -> NoReturn:
        self._state.event_log.write("refused", address=self._address, reason="forwarding")
        raise asyncssh.ChannelOpenError(asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED, NO_FORWARDING)
