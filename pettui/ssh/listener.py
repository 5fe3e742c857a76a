"""Listening, and closing down: one process with all its sessions."""

from __future__ import annotations

import asyncio
import signal
from functools import partial
from typing import TYPE_CHECKING

import asyncssh

from pettui import __version__
from pettui.ssh.asyncssh_internals import ServerConnection
from pettui.ssh.background_tasks import keep_running
from pettui.ssh.connections.backlogs import watch_backlogs
from pettui.ssh.connections.connection import Connection
from pettui.ssh.connections.listening_sockets import BACKLOG
from pettui.ssh.loop_errors import LoopErrors
from pettui.ssh.options import DRAIN
from pettui.ssh.process_signals import GO_ON, IS_READY, WANTS_SUCCESSOR, tell_supervisor
from pettui.ssh.renewal import Renewal
from pettui.ssh.server_state import STOPPING, ServerState

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine

    from pettui.ssh.status.status_socket import StatusResponder


ACCEPTED = 0.05  # seconds in which a connection that was accepted is taken note of
KEEPALIVE = 30  # seconds without a byte until the client is asked whether it is there
# What ssh-audit has no complaint about, of what asyncssh has.
KEY_EXCHANGES = (
    "curve25519-sha256", "curve25519-sha256@libssh.org", "diffie-hellman-group16-sha512",
    "diffie-hellman-group18-sha512",
)  # fmt: skip
CIPHERS = ("chacha20-poly1305@openssh.com", "aes256-gcm@openssh.com", "aes128-gcm@openssh.com")
MACS = ("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com")
SIGNATURES = (
    "ssh-ed25519", "sk-ssh-ed25519@openssh.com", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521", "sk-ecdsa-sha2-nistp256@openssh.com", "rsa-sha2-256", "rsa-sha2-512",
)  # fmt: skip


class Server:
    """One process that listens."""

    def __init__(
        self, state: ServerState, key: asyncssh.SSHKey, status: StatusResponder | None = None
    ) -> None:
        """Take what it is made of.

        Args:
            state: of the process.
            key: the server's.
            status: says how the server does; None where nobody can ask.
        """
        self._state = state
        self._key = key
        self._status = status
        self._listening: list[asyncio.Server] = []
        self._wake = asyncio.Event()
        self._is_stopping = False

    async def listen(self, sockets: list[socket.socket]) -> None:
        """Accept connections on these sockets."""
        state = self._state
        errors = LoopErrors(state.event_log, state.tell_of_bug)
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(errors)
        options = asyncssh.SSHServerConnectionOptions(
            server_factory=partial(Connection, self._state),
            server_host_keys=[self._key],
            server_version=f"pettui_{__version__}",
            login_timeout=0,  # ``Connection`` waits for a session, and not for a login alone
            keepalive_interval=KEEPALIVE,
            kex_algs=KEY_EXCHANGES,
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
        for one in sockets:
            # asyncio accepts as many at once, and tells of each that there was no descriptor for.
            accept = partial(ServerConnection, loop, options)
            self._listening.append(await loop.create_server(accept, sock=one, backlog=1))
            one.listen(BACKLOG)

    async def run(self, sockets: list[socket.socket], lifeline: int) -> None:
        """Serve until SIGTERM or SIGINT, then drain.

        Args:
            sockets: that listen.
            lifeline: a descriptor that can be read when the process that watches over this one
                is no more.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        loop.add_signal_handler(GO_ON, self._wake.set)
        loop.add_reader(lifeline, self._stop)
        renewal = Renewal(self._state, self._wake.set)
        while not self._is_stopping:
            await self._serve(sockets, renewal)
            if self._is_left and not self._is_stopping:
                self._wake.clear()
                tell_supervisor(WANTS_SUCCESSOR)
                await self._wake.wait()
        loop.remove_reader(lifeline)
        await self.close()

    def _stop(self) -> None:
        self._is_stopping = True
        self._wake.set()

    async def _serve(self, sockets: list[socket.socket], renewal: Renewal) -> None:
        """Serve until it is to stop, or until this process is to be replaced."""
        loop, state = asyncio.get_running_loop(), self._state
        self._wake.clear()
        state.load.begin()
        # Duplicates: they are closed when it stops accepting, and it may go on afterwards.
        copies = [one.dup() for one in sockets]
        await self.listen(copies)
        if self._status is not None:
            loop.add_reader(self._status.listening, self._status.respond)
        background = [
            self._keep("collect unused memory", state.gc_schedule.collect),
            self._keep("let people in", state.admission.watch),
            self._keep("watch backlogs", partial(watch_backlogs, state)),
            self._keep("look whether to be replaced", renewal.watch),
        ]
        if state.factory.can_prepare:
            background.append(self._keep("keep apps ready", state.apps.keep_ready))
        tell_supervisor(IS_READY)
        await self._wake.wait()
        for task in background:
            task.cancel()
        if self._status is not None:
            loop.remove_reader(self._status.listening)
        # Whoever comes now waits in the socket, which the next process has, too.
        for one in copies:
            loop.remove_reader(one)
        await asyncio.sleep(ACCEPTED)  # asyncio drops who was accepted by a server that is closed
        self._stop_accepting()

    @property
    def _is_left(self) -> bool:
        return not (self._state.connections or self._state.sessions)

    def _stop_accepting(self) -> None:
        listening, self._listening = self._listening, []
        for server in listening:
            server.close()

    def _keep(
        self, name: str, run: Callable[[], Coroutine[None, None, None]]
    ) -> asyncio.Task[None]:
        return asyncio.create_task(keep_running(run, self._state.tell_of_bug), name=name)

    async def close(self) -> None:
        """Accept nobody any more, tell those who are there, and restore their terminals."""
        state = self._state
        state.is_closing = True
        state.logins.close()
        self._stop_accepting()
        state.event_log.write("stopping", sessions=len(state.sessions))
        for session in tuple(state.sessions.values()):
            session.end("stopped", STOPPING)
        await state.apps.close()
        if state.sessions:
            await asyncio.wait(tuple(state.sessions), timeout=DRAIN)
        await self._wait_for_clients()
        for connection in tuple(state.connections):
            connection.abort()
        await asyncio.sleep(0)
        state.event_log.write("stopped")

    async def _wait_for_clients(self) -> None:
        """Let clients have a moment to take what was sent: closing a connection drops it."""
        closings = [
            asyncio.create_task(connection.wait_closed()) for connection in self._state.connections
        ]
        if closings:
            _, late = await asyncio.wait(closings, timeout=1.0)
            for task in late:
                task.cancel()
