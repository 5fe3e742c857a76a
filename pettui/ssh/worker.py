"""Worker: one process of the server, with its apps, connections and sessions."""

from __future__ import annotations

import sys
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pettui.logs import EventLog, LogWriter, logged
from pettui.ssh.apps.served_app import SharedResources
from pettui.ssh.listener import Server
from pettui.ssh.server_state import ServerState

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    import asyncssh

    from pettui.ssh.apps.app_factory import AppFactory
    from pettui.ssh.authorized_keys import AuthorizedKeys
    from pettui.ssh.load import SharedLoads
    from pettui.ssh.options import SshOptions
    from pettui.ssh.session_slots import SessionSlots
    from pettui.ssh.status import StatusResponder


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the caller provides to serve an app."""

    open_factory: Callable[[EventLog], AbstractAsyncContextManager[AppFactory[Any]]]  # in each
    report_bug: Callable[[BaseException], str]  # writes a report, and returns a line about it
    announce: Callable[[str, int, str], None]  # host, port and the host key's fingerprint
    imported_late: tuple[str, ...] = ()  # modules that the first app would import
    served: Mapping[str, str] = field(default_factory=dict)  # what is served, for the status


@dataclass(frozen=True, slots=True)
class Worker:
    """Everything that each worker process starts with."""

    options: SshOptions
    hooks: Hooks
    key: asyncssh.SSHKey  # the server's
    key_file: Path  # which has the key, and is read again after SIGHUP
    keys: AuthorizedKeys | None  # None: anyone may log in
    slots: SessionSlots
    loads: SharedLoads
    status: StatusResponder | None  # None: no status socket

    async def run(
        self, number: int, sockets: list[socket.socket], lifeline: int, supervisor: int
    ) -> None:
        """Serve until a signal, or until the supervisor ends.

        Args:
            number: of this worker, from 0.
            sockets: to listen on.
            lifeline: a pipe that becomes readable when the supervisor ends.
            supervisor: its process id.
        """
        # A log of its own: the supervisor's has its thread in the supervisor.
        with (
            closing(LogWriter(sys.stderr)) as log,
            closing(EventLog(log)) as event_log,
            logged(event_log),
        ):

            def report_bug(error: BaseException) -> None:
                event_log.write("bug", reason=self.hooks.report_bug(error))

            shared = SharedResources(event_log)
            with redirect_stdout(shared.prints), redirect_stderr(shared.prints):
                async with self.hooks.open_factory(event_log) as factory:
                    state = ServerState(
                        options=self.options,
                        factory=factory,
                        report_bug=report_bug,
                        event_log=event_log,
                        slots=self.slots,
                        load=self.loads.processes[number],
                        worker=number,
                        shared=shared,
                        keys=self.keys,
                    )
                    server = Server(state, self.key, self.status, self.key_file)
                    await server.run(sockets, lifeline, supervisor)
