"""Disconnects clients that are gone without having said so.

A client from which nothing is received for a while is asked for a reply. asyncssh can do that, too,
but its timer for each connection and its task for each request cost three times as much.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from pettui.ssh.connections.sweep import drop, sweep

if TYPE_CHECKING:
    from pettui.ssh.asyncssh_internals import ServerConnection
    from pettui.ssh.server_state import ServerState

SILENCE: Final = 30.0  # seconds without input until a client is asked, and between two requests
UNANSWERED_MAXIMUM: Final = 3  # requests; so a client is gone two minutes after its last input
INTERVAL: Final = 1.0  # seconds between two checks
NOT_RESPONDING: Final = "the client does not respond"


async def watch_silent_clients(state: ServerState) -> None:
    """Disconnect clients that do not respond, until cancelled."""

    def due() -> list[ServerConnection]:
        latest = monotonic() - SILENCE
        silent = [one for one in state.connections if one.silent_since <= latest]
        return [one for one in silent if one.is_authenticated]  # before, there is a deadline

    def check(connection: ServerConnection) -> None:
        if connection.unanswered >= UNANSWERED_MAXIMUM:
            drop(state, connection, NOT_RESPONDING)
        else:
            connection.request_reply()

    await sweep(state, INTERVAL, due, check)
