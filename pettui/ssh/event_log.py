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
PERIOD: Final = 60.0  # seconds


@dataclass(slots=True)
class _Period:
    """The number of refusals of one kind in a period."""

    began: float
    lines: int = 0
    unwritten: int = 0


class EventLog:
    """Writes the lines of one process.

    Refusals of one kind get ten lines a minute, and then one line that counts the others: thousands
    of attempts must neither fill the disk nor hide other events.
    """

    def __init__(self, log: Log, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._periods: dict[tuple[str, str], _Period] = {}

    def write(self, event: str, **fields: str | float | None) -> None:
        """Write one line in one piece, since several processes may share the stream."""
        now = self._clock()
        self._count_refusals(lambda period: now - period.began >= PERIOD)
        if event not in REFUSALS:
            self._line(event, fields)
            return
        period = self._periods.setdefault((event, str(fields.get("reason"))), _Period(now))
        if period.lines < LINES:
            period.lines += 1
            self._line(event, fields)
        else:
            period.unwritten += 1

    def close(self) -> None:
        """Write the counts of refusals without a line; the caller closes the log."""
        self._count_refusals(lambda _period: True)

    def _count_refusals(self, is_over: Callable[[_Period], bool]) -> None:
        over = [kind for kind, period in self._periods.items() if is_over(period)]
        for kind in over:
            event, reason = kind
            period = self._periods.pop(kind)
            if period.unwritten:
                self._line(event, {"reason": reason, "more": period.unwritten})

    def _line(self, event: str, fields: dict[str, str | float | None]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, "event": event, **fields})
        with suppress(OSError, ValueError):  # a log that cannot be written must not end a session
            self._log.write(line + "\n")
            self._log.flush()
