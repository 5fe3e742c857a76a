"""ImportProgress: how far an import has come, and how fast it goes."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.transfer.importing.line_states import OutcomeKind

if TYPE_CHECKING:
    from collections.abc import Callable

_TOLD_EVERY: Final = 0.1  # seconds, while something changes
_TOLD_AT_LEAST_EVERY: Final = 1.0
_LATELY: Final = 10.0  # seconds, of the rate


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import has come."""

    total: int
    added: int
    refused: int
    unknown: int  # of this run and of earlier ones
    earlier: int  # added by an earlier import
    remaining: int
    rate: float  # lines a second, of late
    seconds_left: float | None  # None where nobody can tell
    waiting: str | None = None  # why nothing is sent for now, in one raw line
    tries_in: float = 0.0  # seconds until it goes on


class ProgressTeller:
    """Tells of an import's progress, ten times a second at most and about once at least."""

    def __init__(
        self,
        total: int,
        on_progress: Callable[[ImportProgress], None],
        waiting: Callable[[], tuple[str | None, float]],
    ) -> None:
        """Take whom to tell.

        Args:
            total: lines.
            on_progress: called on the running loop.
            waiting: returns why nothing is sent for now, and the seconds until it goes on.
        """
        self._total = total
        self._on_progress = on_progress
        self._waiting = waiting
        self._counts: Counter[OutcomeKind] = Counter()
        self._done = 0  # of those that were sent
        self._samples: deque[tuple[float, int]] = deque()  # time, and how many were done then

    def count(self, kind: OutcomeKind, *, is_sent: bool) -> None:
        """Count what became of a line."""
        self._counts[kind] += 1
        self._done += is_sent

    async def keep_telling(self) -> None:
        """Tell until cancelled."""
        loop = asyncio.get_running_loop()
        told, told_at = -1, 0.0
        while True:
            now = loop.time()
            if self._done != told or now - told_at >= _TOLD_AT_LEAST_EVERY:
                told, told_at = self._done, now
                self.tell()
            await asyncio.sleep(_TOLD_EVERY)

    def tell(self) -> None:
        """Tell how far it has come."""
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
        while now - samples[0][0] > _LATELY:
            samples.popleft()
        seconds = now - samples[0][0]
        return (self._done - samples[0][1]) / seconds if seconds else 0.0
