"""Clients that ask for more and more and take no answer: one look at all of a process's.

A timer for each connection would be most of what people cost who only look at their screens.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from pettui.ssh.asyncssh_internals import unsent

if TYPE_CHECKING:
    import asyncssh

    from pettui.ssh.server_state import ServerState

UNSENT_MAXIMUM: Final = 4_000_000  # bytes; a picture and a copy are far less
LOOK: Final = 0.5  # seconds between looks at what waits for clients
NOT_READING: Final = "the client does not read"


async def watch_backlogs(state: ServerState) -> None:
    """Let go of clients for whom too much waits, until cancelled."""
    while True:
        await asyncio.sleep(LOOK)
        _look_at_all(state)  # whose variables go at its end: they would keep the last connection


def _look_at_all(state: ServerState) -> None:
    for connection in tuple(state.connections):
        try:
            _look(state, connection)
        except Exception as error:  # noqa: BLE001 - nothing watches over this one; others go on
            state.tell_of_bug(error)
            connection.abort()


def _look(state: ServerState, connection: asyncssh.SSHServerConnection) -> None:
    if unsent(connection) > UNSENT_MAXIMUM:
        address = str(connection.get_extra_info("peername", ("",))[0])
        state.event_log.write("dropped", address=address, reason=NOT_READING)
        connection.abort()
