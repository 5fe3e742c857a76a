"""Disconnects clients that cause output without reading it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.ssh.asyncssh_internals import unsent
from pettui.ssh.connections.sweep import drop, sweep

if TYPE_CHECKING:
    from pettui.ssh.asyncssh_internals import ServerConnection
    from pettui.ssh.server_state import ServerState

UNSENT_MAXIMUM: Final = 4_000_000  # bytes; a screen and a copy are far less
INTERVAL: Final = 1.0  # seconds between two checks, in which a flood causes half a megabyte
NOT_READING: Final = "the client does not read"


async def watch_backlogs(state: ServerState) -> None:
    """Disconnect clients with too much unsent output, until cancelled."""

    def due() -> list[ServerConnection]:
        return [one for one in state.connections if one.has_sent]

    def check(connection: ServerConnection) -> None:
        backlog = unsent(connection)
        connection.has_sent = backlog > 0
        if backlog > UNSENT_MAXIMUM:
            drop(state, connection, NOT_READING)

    await sweep(state, INTERVAL, due, check)
