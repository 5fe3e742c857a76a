"""Periodic checks of all connections of a process.

A timer for each connection would be most of the cost of users who do nothing, and so would a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.background_tasks import next_tick

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.asyncssh_internals import ServerConnection
    from pettui.ssh.server_state import ServerState


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
