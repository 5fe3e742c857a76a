"""ImportProgress: how far and how fast an import is."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.transfer.importing.line_states import OutcomeKind

if TYPE_CHECKING:
    from collections.abc import Callable

_REPORT_EVERY: Final = 0.1  # seconds, while something changes
_REPORT_AT_LEAST_EVERY: Final = 1.0
_RATE_SECONDS: Final = 10.0  # over which the rate is measured


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import is."""

    total: int
    added: int
    refused: int
    unknown: int  # of this run and of earlier ones
    earlier: int  # added by an earlier import
    remaining: int
    rate: float  # lines a second, recently
    seconds_left: float | None  # None if unknown
    waiting: str | None = None  # why nothing is sent now, in one raw line
    tries_in: float = 0.0  # seconds until it goes on


def not_begun(total: int) -> ImportProgress:
    """Return the progress of an import of so many lines before the first is sent."""
    return ImportProgress(total, 0, 0, 0, 0, remaining=total, rate=0.0, seconds_left=None)


class ProgressReporter:
    """Reports progress at most ten times a second, and about once a second at least."""

    def __init__(
        self,
        total: int,
        on_progress: Callable[[ImportProgress], None],
        waiting: Callable[[], tuple[str | None, float]],
    ) -> None:
        """Create a reporter; nothing is reported yet.

        Args:
            total: lines.
            on_progress: called on the running loop.
            waiting: returns why nothing is sent now, and the seconds until it goes on.
        """
        self._total = total
        self._on_progress = on_progress
        self._waiting = waiting
        self._counts: Counter[OutcomeKind] = Counter()
        self._done = 0  # lines that were sent
        self._samples: deque[tuple[float, int]] = deque()  # time, and lines done by then

    def count(self, kind: OutcomeKind, *, is_sent: bool) -> None:
        """Count the outcome of a line."""
        self._counts[kind] += 1
        self._done += is_sent

    async def keep_reporting(self) -> None:
        """Report until cancelled."""
        loop = asyncio.get_running_loop()
        reported, reported_at = -1, 0.0
        while True:
            now = loop.time()
            if self._done != reported or now - reported_at >= _REPORT_AT_LEAST_EVERY:
                reported, reported_at = self._done, now
                self.report()
            await asyncio.sleep(_REPORT_EVERY)

    def report(self) -> None:
        """Report the progress now."""
        counts = self._counts
        remaining = self._total - counts.total()
        rate = self._rate(asyncio.get_running_loop().time())
        reason, tries_in = self._waiting()
        progress = ImportProgress(
            self._total,
            counts[OutcomeKind.ADDED],
            counts[OutcomeKind.REFUSED],
            counts[OutcomeKind.UNKNOWN],
            counts[OutcomeKind.ADDED_EARLIER],
            remaining,
            rate,
            remaining / rate if rate else None,
            reason,
            tries_in,
        )
        self._on_progress(progress)

    def _rate(self, now: float) -> float:
        samples = self._samples
        samples.append((now, self._done))
        while now - samples[0][0] > _RATE_SECONDS:
            samples.popleft()
        seconds = now - samples[0][0]
        return (self._done - samples[0][1]) / seconds if seconds else 0.0
