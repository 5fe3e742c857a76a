"""SessionLog: the events of one session in the log, and of those whose process died."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pettui.ssh.admission.networks import network_of

if TYPE_CHECKING:
    from pettui.ssh.admission.session_slots import SessionSlots
    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.ssh.event_log import EventLog


class SessionLog:
    """Writes the events: refused; or queued, if there was no slot, then left, or begin and end.

    Begin and end are written both or neither.
    """

    def __init__(self, event_log: EventLog, user: User) -> None:
        """Write a user's events to a log."""
        self._event_log = event_log
        self._user = user
        self._since = time.monotonic()
        self._has_begun = False
        self._has_lines = True
        self._numbered: dict[str, int] = {}  # the field with the session's number

    def use_number(self, number: int) -> None:
        """Write this number, which no other session of the server has, with all further events."""
        self._numbered = {"session": number}

    def refused(self, reason: str) -> None:
        """Log that the session is refused."""
        self._write("refused", reason=reason)

    def queued(self) -> None:
        """Log that the user waits in the queue."""
        self._write("queued")

    def begin(self, terminal: ClientTerminal) -> None:
        """Log that the session begins."""
        self._has_begun, self._since = True, time.monotonic()
        columns, rows = terminal.size
        self._has_lines = self._event_log.session_has_lines(network_of(self._user.address))
        self._write("begin", term=terminal.kind, columns=columns, rows=rows)

    def end(self, sent: int, reason: str) -> None:
        """Log that the session ends, or that the user left the queue.

        Args:
            sent: bytes to the client.
            reason: such as quit, cut or idle.
        """
        seconds = round(time.monotonic() - self._since, 1)
        event = "end" if self._has_begun else "left"
        self._write(event, seconds=seconds, bytes=sent, reason=reason)

    def _write(self, event: str, **fields: str | float | None) -> None:
        if not self._has_lines:
            return
        user = self._user
        self._event_log.write(
            event,
            name=user.name[:80],
            address=user.address,
            fingerprint=user.fingerprint,
            **self._numbered,
            **fields,
        )


def log_lost_sessions(event_log: EventLog, slots: SessionSlots, worker: int) -> None:
    """Log the ends of all sessions of a process that ended without doing so itself."""
    for slot in slots.taken_by(worker):
        event_log.write(
            "end" if slot.is_inside else "left",
            session=slot.number,
            seconds=round(slot.seconds, 1),
            reason="worker ended",
        )
