"""Server: accepts connections in one process, and shuts it down."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from pettui.background_tasks import keep_running
from pettui.ssh import process_signals
from pettui.ssh.asyncssh_internals import ServerConnection
from pettui.ssh.connection import connection_options
from pettui.ssh.connection_checks import watch_connections
from pettui.ssh.connections.host_key import read_host_key
from pettui.ssh.connections.listening_sockets import BACKLOG
from pettui.ssh.fair_loop import begin_activity
from pettui.ssh.loop_errors import LoopErrors
from pettui.ssh.options import DRAIN, SshSetupError
from pettui.ssh.renewal import Renewal
from pettui.ssh.server_state import STOPPING, ServerState

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    import asyncssh

    from pettui.ssh.status import StatusResponder

ACCEPT_SECONDS = 0.05  # until asyncio has registered a connection that was just accepted


def accepted(state: ServerState, options: asyncssh.SSHServerConnectionOptions) -> ServerConnection:
    """Return the protocol of a new connection; until it has an app, users' keys go before it.

    It may be a while until its ``connection_made`` is called, and it counts from now on.
    """
    begin_activity()
    connection = ServerConnection(asyncio.get_running_loop(), options)
    state.accepted.add(connection)
    return connection


class Server:
    """The server in one process."""

    def __init__(
        self,
        state: ServerState,
        key: asyncssh.SSHKey,
        status: StatusResponder | None = None,
        key_file: Path | None = None,
    ) -> None:
        """Start without sockets.

        Args:
            state: of the process.
            key: the host key.
            status: sends the status to local connections; None without a status socket.
            key_file: of the host key; None if it is not read again.
        """
        self._state = state
        self._options = connection_options(state, key)  # of new connections
        self._key_file = key_file
        self._status = status
        self._listening: list[asyncio.Server] = []
        self._wake = asyncio.Event()
        self._is_stopping = False

    async def listen(self, sockets: list[socket.socket]) -> None:
        """Accept connections on these sockets."""
        loop, state = asyncio.get_running_loop(), self._state
        loop.set_exception_handler(LoopErrors(state.event_log, state.report_bug))

        def accept() -> ServerConnection:
            return accepted(state, self._options)

        for one in sockets:
            # asyncio accepts ``backlog`` connections at once, and logs each lack of a descriptor.
            self._listening.append(await loop.create_server(accept, sock=one, backlog=1))
            one.listen(BACKLOG)

    async def run(self, sockets: list[socket.socket], lifeline: int, supervisor: int) -> None:
        """Serve until SIGTERM or SIGINT, then drain.

        Args:
            sockets: that listen.
            lifeline: a pipe that becomes readable when the supervisor ends.
            supervisor: its process id.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        loop.add_signal_handler(signal.SIGHUP, self._read_again)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})
        if process_signals.CAN_REPLACE:
            loop.add_signal_handler(process_signals.CONTINUE, self._wake.set)
        loop.add_reader(lifeline, self._stop)
        renewal = Renewal(self._state, self._wake.set)
        while not self._is_stopping:
            await self._serve(sockets, renewal, supervisor)
            if self._is_empty and not self._is_stopping:
                self._wake.clear()
                process_signals.signal_supervisor(supervisor, process_signals.REPLACE)
                await self._wake.wait()
        loop.remove_reader(lifeline)
        await self.close()

    def _read_again(self) -> None:
        """Read the keys again, for new connections; without a new host key the old one stays."""
        state = self._state
        if state.keys is not None:
            state.keys.forget()
        if self._key_file is not None:
            with suppress(SshSetupError):  # the supervisor could read it, and says if it cannot
                self._options = connection_options(state, read_host_key(self._key_file))

    def _stop(self) -> None:
        self._is_stopping = True
        self._wake.set()

    async def _serve(self, sockets: list[socket.socket], renewal: Renewal, supervisor: int) -> None:
        """Serve until the process is to stop or to be replaced."""
        loop, state = asyncio.get_running_loop(), self._state
        self._wake.clear()
        state.load.begin()
        # Duplicates: they are closed below, and the process may have to continue afterwards.
        copies = [one.dup() for one in sockets]
        await self.listen(copies)
        background = [
            self._keep("collect unused memory", state.gc_schedule.collect),
            self._keep("admit clients", state.admission.watch),
            self._keep("watch connections", partial(watch_connections, state)),
        ]
        if self._status is not None:
            background.append(self._keep("send the status", self._status.serve))
        if process_signals.CAN_REPLACE:
            background.append(self._keep("check for renewal", renewal.watch))
        if state.factory.can_prepare:
            background.append(self._keep("keep apps ready", state.apps.keep_ready))
        process_signals.signal_supervisor(supervisor, process_signals.READY)
        await self._wake.wait()
        for task in background:
            task.cancel()
        # New connections wait in the socket, which the successor has, too.
        for one in copies:
            loop.remove_reader(one)
        await asyncio.sleep(ACCEPT_SECONDS)  # asyncio drops new connections of a closed server
        self._stop_accepting()

    @property
    def _is_empty(self) -> bool:
        return not (self._state.has_connections or self._state.sessions)

    def _stop_accepting(self) -> None:
        listening, self._listening = self._listening, []
        for server in listening:
            server.close()

    def _keep(
        self, name: str, run: Callable[[], Coroutine[None, None, None]]
    ) -> asyncio.Task[None]:
        return asyncio.create_task(keep_running(run, self._state.report_bug), name=name)

    async def close(self) -> None:
        """Stop accepting, end all sessions with a message, and restore their terminals."""
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
        """Give clients a moment to read: aborting a connection discards unsent output."""
        closings = [
            asyncio.create_task(connection.wait_closed()) for connection in self._state.connections
        ]
        if closings:
            _, late = await asyncio.wait(closings, timeout=1.0)
            for task in late:
                task.cancel()
