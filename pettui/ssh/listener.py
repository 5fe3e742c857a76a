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
from pettui.ssh.server_state import STOPPING, ServerState

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine

    from pettui.ssh.status.status_socket import StatusResponder


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

    async def run(self, sockets: list[socket.socket], lifeline: int | None = None) -> None:
        """Serve until SIGTERM or SIGINT, then drain.

        Args:
            sockets: that listen.
            lifeline: a descriptor that can be read when the process that watches over this one
                is no more.
        """
        loop = asyncio.get_running_loop()
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        if lifeline is not None:
            loop.add_reader(lifeline, stop.set)
        await self.listen(sockets)
        if self._status is not None:
            loop.add_reader(self._status.listening, self._status.respond)
        background = [
            self._keep("collect unused memory", self._state.gc_schedule.collect),
            self._keep("let people in", self._state.admission.watch),
            self._keep("watch backlogs", partial(watch_backlogs, self._state)),
        ]
        if self._state.factory.can_prepare:
            background.append(self._keep("keep apps ready", self._state.apps.keep_ready))
        await stop.wait()
        for task in background:
            task.cancel()
        if lifeline is not None:
            loop.remove_reader(lifeline)
        if self._status is not None:
            loop.remove_reader(self._status.listening)
        await self.close()

    def _keep(
        self, name: str, run: Callable[[], Coroutine[None, None, None]]
    ) -> asyncio.Task[None]:
        return asyncio.create_task(keep_running(run, self._state.tell_of_bug), name=name)

    async def close(self) -> None:
        """Accept nobody any more, tell those who are there, and restore their terminals."""
        state = self._state
        state.is_closing = True
        state.logins.close()
        for server in self._listening:
            server.close()
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
