"""The access log: one JSON line an event. No keystroke, no key, no name of an animal."""

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
    {"dropped", "refused", "told", "queued", "left"}
)  # events that strangers can cause at will
LINES: Final = 10  # for one kind of refusal in one period; the others are counted
PERIOD: Final = 60.0  # seconds


@dataclass(slots=True)
class _Period:
    """How often one kind of refusal came since the first of it."""

    began: float
    lines: int = 0
    unwritten: int = 0


class EventLog:
    """Writes the lines of one process.

    Refusals of one kind get ten lines a minute, and then one line that counts the others: whoever
    knocks thousands of times must not fill the disk, nor hide what else is in the log.
    """

    def __init__(self, log: Log, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._periods: dict[tuple[str, str], _Period] = {}

    def write(self, event: str, **facts: str | float | None) -> None:
        """Write one line, whole: several processes may have the stream."""
        now = self._clock()
        self._count_refusals(lambda period: now - period.began >= PERIOD)
        if event not in REFUSALS:
            self._line(event, facts)
            return
        period = self._periods.setdefault((event, str(facts.get("reason"))), _Period(now))
        if period.lines < LINES:
            period.lines += 1
            self._line(event, facts)
        else:
            period.unwritten += 1

    def close(self) -> None:
        """Write how many refusals had no line so far; the log stays the caller's to close."""
        self._count_refusals(lambda _period: True)

    def _count_refusals(self, is_over: Callable[[_Period], bool]) -> None:
        over = [kind for kind, period in self._periods.items() if is_over(period)]
        for kind in over:
            event, reason = kind
            period = self._periods.pop(kind)
            if period.unwritten:
                self._line(event, {"reason": reason, "more": period.unwritten})

    def _line(self, event: str, facts: dict[str, str | float | None]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, "event": event, **facts})
        with suppress(OSError, ValueError):  # a log that nobody takes must not cost a session
            self._log.write(line + "\n")
            self._log.flush()
