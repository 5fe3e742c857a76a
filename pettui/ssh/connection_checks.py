"""Disconnects clients that do not read what they cause, and clients that are gone.

A client from which nothing is received for a while is asked for a reply. asyncssh can do that, too,
but its timer for each connection and its task for each request cost three times as much: a timer
for each connection would be most of the cost of users who do nothing, and so would a call.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from pettui.background_tasks import next_tick
from pettui.ssh.asyncssh_internals import unsent

if TYPE_CHECKING:
    from pettui.ssh.asyncssh_internals import ServerConnection
    from pettui.ssh.server_state import ServerState

INTERVAL: Final = 1.0  # seconds between two checks, in which a flood causes half a megabyte
UNSENT_MAXIMUM: Final = 4_000_000  # bytes; a screen and a copy are far less
NOT_READING: Final = "the client does not read"
SILENCE: Final = 30.0  # seconds without input until a client is asked, and between two requests
UNANSWERED_MAXIMUM: Final = 3  # requests; so a client is gone two minutes after its last input
NOT_RESPONDING: Final = "the client does not respond"


async def watch_connections(state: ServerState) -> None:
    """Check all connections periodically, until cancelled; a bug ends only its connection."""

    def check_all() -> None:  # a function, so that no variable keeps the last connection alive
        latest = monotonic() - SILENCE
        for connection in tuple(state.connections):
            try:
                _check(state, connection, latest)
            except Exception as error:  # noqa: BLE001 - the others are checked nevertheless
                state.report_bug(error)
                connection.abort()

    while True:
        await next_tick(INTERVAL)
        check_all()


def _check(state: ServerState, connection: ServerConnection, latest: float) -> None:
    if unsent(connection) > UNSENT_MAXIMUM:
        _drop(state, connection, NOT_READING)
    elif connection.silent_since > latest or not connection.is_authenticated:
        return  # before it has logged in, it has a deadline
    elif connection.unanswered >= UNANSWERED_MAXIMUM:
        _drop(state, connection, NOT_RESPONDING)
    else:
        connection.request_reply()


def _drop(state: ServerState, connection: ServerConnection, reason: str) -> None:
    address = str(connection.get_extra_info("peername", ("",))[0])
    state.event_log.write("dropped", address=address, reason=reason)
    connection.abort()
