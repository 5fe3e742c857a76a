"""SessionLog: what is written down of one session."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.ssh.event_log import EventLog


class SessionLog:
    """The lines of one session: refused; or perhaps queued, and then left, or begin and end."""

    def __init__(self, event_log: EventLog, user: User) -> None:
        """Take where the lines go, and whose they are."""
        self._event_log = event_log
        self._user = user
        self._since = time.monotonic()
        self._has_begun = False

    def refused(self, reason: str) -> None:
        """Write that there is no session."""
        self._write("refused", reason=reason)

    def queued(self) -> None:
        """Write that somebody waits for one."""
        self._write("queued")

    def begin(self, terminal: ClientTerminal) -> None:
        """Write that it begins."""
        self._has_begun, self._since = True, time.monotonic()
        columns, rows = terminal.size
        self._write("begin", term=terminal.kind, columns=columns, rows=rows)

    def end(self, sent: int, reason: str) -> None:
        """Write that it ends, or that somebody who waited left.

        Args:
            sent: bytes to the client.
            reason: quit, cut, idle …
        """
        seconds = round(time.monotonic() - self._since, 1)
        event = "end" if self._has_begun else "left"
        self._write(event, seconds=seconds, bytes=sent, reason=reason)

    def _write(self, event: str, **facts: str | float | None) -> None:
        user = self._user
        self._event_log.write(
            event,
            name=user.name[:80],
            address=user.address,
            fingerprint=user.fingerprint,
            **facts,
        )
