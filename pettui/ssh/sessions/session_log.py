"""SessionLog: the events of one session in the log, and of those whose process died."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from pettui.ssh.admission import network_of

if TYPE_CHECKING:
    from pettui.logs import EventLog, Field
    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.ssh.session_slots import SessionSlots

SESSIONS: Final = 60  # that one network begins in a minute, and that have lines


class SessionLog:
    """Writes the events: refused; or queued, if there was no slot, then left, or begin and end.

    Begin and end are written both or neither: anyone can begin and end many sessions, so some of
    a network have lines, and the others are counted.
    """

    def __init__(self, event_log: EventLog, user: User, at_once: int = 0) -> None:
        """Write a user's events to a log.

        Args:
            event_log: of the process.
            user: whose session it is.
            at_once: sessions that one network may have at once, which all have lines.
        """
        self._event_log = event_log
        self._sessions = max(SESSIONS, at_once)
        self._user = user
        self._since = time.monotonic()
        self._has_begun = False
        self._has_lines = True
        self._numbered: dict[str, Field] = {}  # the field with the session's number

    def use_number(self, number: int) -> None:
        """Write this number, which no other session of the server has, with all further events."""
        self._numbered = {"session": number}

    def refused(self, reason: str) -> None:
        """Log that the session is refused."""
        self._event_log.write("refused", **self._fields(reason=reason))

    def queued(self) -> None:
        """Log that the user waits in the queue."""
        self._event_log.write("queued", **self._fields())

    def begin(self, terminal: ClientTerminal) -> None:
        """Log that the session begins."""
        self._has_begun, self._since = True, time.monotonic()
        columns, rows = terminal.size
        self._has_lines = self._event_log.has_line(
            "begin", "address", network_of(self._user.address), self._sessions
        )
        if self._has_lines:
            fields = self._fields(term=terminal.kind, columns=columns, rows=rows)
            self._event_log.write_line("begin", fields)

    def end(self, sent: int, reason: str) -> None:
        """Log that the session ends, or that the user left the queue.

        Args:
            sent: bytes to the client.
            reason: such as quit, cut or idle.
        """
        seconds = round(time.monotonic() - self._since, 1)
        fields = self._fields(seconds=seconds, bytes=sent, reason=reason)
        if not self._has_begun:
            self._event_log.write("left", **fields)
        elif self._has_lines:
            self._event_log.write_line("end", fields)

    def _fields(self, **more: Field) -> dict[str, Field]:
        return {**self._user.fields, **self._numbered, **more}


def log_lost_sessions(event_log: EventLog, slots: SessionSlots, worker: int) -> None:
    """Log the ends of all sessions of a process that ended without doing so itself."""
    for slot in slots.taken_by(worker):
        event_log.write_line(
            "end" if slot.is_inside else "left",
            {
                "session": slot.number,
                "seconds": round(slot.seconds, 1),
                "reason": "worker ended",
            },
        )
