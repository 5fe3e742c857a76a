"""Disconnects clients that cause output without reading it.

One timer checks all connections of a process: one for each would be most of the cost of users who
do nothing.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from pettui.ssh.asyncssh_internals import unsent

if TYPE_CHECKING:
    import asyncssh

    from pettui.ssh.server_state import ServerState

UNSENT_MAXIMUM: Final = 4_000_000  # bytes; a screen and a copy are far less
INTERVAL: Final = 0.5  # seconds between two checks
NOT_READING: Final = "the client does not read"


async def watch_backlogs(state: ServerState) -> None:
    """Disconnect clients with too much unsent output, until cancelled."""
    while True:
        await asyncio.sleep(INTERVAL)
        _check_all(state)  # a function, so that no variable keeps the last connection alive


def _check_all(state: ServerState) -> None:
    for connection in tuple(state.connections):
        try:
            _check(state, connection)
        except Exception as error:  # noqa: BLE001 - the others are checked nevertheless
            state.report_bug(error)
            connection.abort()


def _check(state: ServerState, connection: asyncssh.SSHServerConnection) -> None:
    if unsent(connection) > UNSENT_MAXIMUM:
        address = str(connection.get_extra_info("peername", ("",))[0])
        state.event_log.write("dropped", address=address, reason=NOT_READING)
        connection.abort()
