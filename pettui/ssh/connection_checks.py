"""Periodic checks of all connections of a process.

A timer for each connection would be most of the cost of users who do nothing, and so would a call.

Disconnected are clients that cause output without reading it, and those that are gone without
having said so: a client from which nothing is received for a while is asked for a reply. asyncssh
can do that, too, but its timer for each connection and its task for each request cost three times
as much.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from pettui.background_tasks import next_tick
from pettui.ssh.asyncssh_internals import unsent

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.asyncssh_internals import ServerConnection
    from pettui.ssh.server_state import ServerState

UNSENT_MAXIMUM: Final = 4_000_000  # bytes; a screen and a copy are far less
INTERVAL: Final = 1.0  # seconds between two checks, in which a flood causes half a megabyte
NOT_READING: Final = "the client does not read"
SILENCE: Final = 30.0  # seconds without input until a client is asked, and between two requests
UNANSWERED_MAXIMUM: Final = 3  # requests; so a client is gone two minutes after its last input
NOT_RESPONDING: Final = "the client does not respond"


async def sweep(
    state: ServerState,
    interval: float,
    due: Callable[[], list[ServerConnection]],
    check: Callable[[ServerConnection], None],
) -> None:
    """Check connections periodically, until cancelled; a bug ends only its connection.

    Args:
        state: of the process.
        interval: seconds between two checks.
        due: returns the connections to be checked, which should be few.
        check: checks one of them.
    """

    def check_due() -> None:  # a function, so that no variable keeps the last connection alive
        for connection in due():
            try:
                check(connection)
            except Exception as error:  # noqa: BLE001 - the others are checked nevertheless
                state.report_bug(error)
                connection.abort()

    while True:
        await next_tick(interval)
        check_due()


def drop(state: ServerState, connection: ServerConnection, reason: str) -> None:
    """Disconnect a client at once, and log the reason."""
    address = str(connection.get_extra_info("peername", ("",))[0])
    state.event_log.write("dropped", address=address, reason=reason)
    connection.abort()


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
