"""The access log: one JSON line for each event, without keystrokes, keys and names of animals."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.log_writer import Log

REFUSALS: Final = frozenset(
    {"dropped", "refused", "warning", "queued", "left"}
)  # events that anyone can cause
LINES: Final = 10  # of one kind of refusal in a period; further ones are counted
SESSIONS: Final = 60  # that one network begins in a period, and that have lines
PERIOD: Final = 60.0  # seconds


@dataclass(slots=True)
class _Period:
    """The number of events of one kind in a period."""

    began: float
    lines: int = 0
    unwritten: int = 0


class EventLog:
    """Writes the lines of one process.

    Refusals of one kind get ten lines a minute, and then one line that counts the others: thousands
    of attempts must neither fill the disk nor hide other events. So must not the sessions of one
    network, of which anyone can begin and end many: some have lines, and the others are counted.
    """

    def __init__(
        self,
        log: Log,
        clock: Callable[[], float] = time.monotonic,
        per_address: int = 0,
    ) -> None:
        """Write to a log.

        Args:
            log: of the server.
            clock: in seconds.
            per_address: sessions that one network may have at once, which all have lines.
        """
        self._log = log
        self._clock = clock
        self._sessions = max(SESSIONS, per_address)
        self._periods: dict[tuple[str, str, str], _Period] = {}

    def write(self, event: str, **fields: str | float | None) -> None:
        """Write one line in one piece, since several processes may share the stream."""
        self._write_counts()
        reason = str(fields.get("reason"))
        if event not in REFUSALS or self._has_line(event, "reason", reason, LINES):
            self._line(event, fields)

    def session_has_lines(self, network: str) -> bool:
        """Whether a session that a network begins now has lines for its begin and its end."""
        self._write_counts()
        return self._has_line("begin", "address", network, self._sessions)

    def close(self) -> None:
        """Write the counts of events without a line; the caller closes the log."""
        self._write_counts(is_last=True)

    def _has_line(self, event: str, field: str, value: str, maximum: int) -> bool:
        """Count an event, whose kind is one value of a field."""
        period = self._periods.setdefault((event, field, value), _Period(self._clock()))
        if period.lines < maximum:
            period.lines += 1
            return True
        period.unwritten += 1
        return False

    def _write_counts(self, *, is_last: bool = False) -> None:
        now = self._clock()
        kinds = self._periods.items()
        over = [kind for kind, period in kinds if is_last or now - period.began >= PERIOD]
        for kind in over:
            event, field, value = kind
            period = self._periods.pop(kind)
            if period.unwritten:
                self._line(event, {field: value, "more": period.unwritten})

    def _line(self, event: str, fields: dict[str, str | float | None]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, "event": event, **fields})
        with suppress(OSError, ValueError):  # a log that cannot be written must not end a session
            self._log.write(line + "\n")
            self._log.flush()
