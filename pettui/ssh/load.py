"""ProcessLoad: what a process handles and how fast, in memory that all processes share.

A key costs an addition. Nothing is locked: a concurrent reader may miss the latest key.
"""

from __future__ import annotations

import mmap
import os
import time
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SPAN: Final = 10.0  # seconds in one group of counters
SPANS: Final = 6  # that make the last minute; the latest is incomplete
SAMPLE: Final = 0.05  # seconds between two keys whose frames are timed, in one process
SHORTEST: Final = 0.0001  # seconds, where the first bin starts
BINS_A_DOUBLING: Final = 8  # each 9 % longer than the one before
BINS: Final = 160  # up to a hundred seconds
_WORD: Final = 8  # bytes
_PID, _SINCE, _HEARTBEATS, _FIRST = 0, 1, 2, 3  # words of a process
_NUMBER, _KEYS, _BINS = 0, 1, 2  # words of a span
_SPAN_WORDS: Final = _BINS + BINS
_ROW_WORDS: Final = _FIRST + SPANS * _SPAN_WORDS


@dataclass(frozen=True, slots=True)
class LoadSummary:
    """The last minute of one process, or of several."""

    keys_per_second: float
    p99: float | None  # seconds from a key to its frame; None without any


class ProcessLoad:
    """The load of one process."""

    def __init__(self, row: memoryview, clock: Callable[[], float]) -> None:
        """Use words of shared memory, and a clock that is the same in all processes."""
        self._row = row
        self._clock = clock
        self._sampled = 0.0  # when a key was last timed

    def begin(self, pid: int | None = None) -> None:
        """Reset the counters for a new process: this one, unless another id is given."""
        for index in range(_ROW_WORDS):
            self._row[index] = 0
        self._row[_PID], self._row[_SINCE] = pid or os.getpid(), int(self._clock())

    @property
    def pid(self) -> int:
        """The id of the current or the last process; 0 before the first."""
        return int(self._row[_PID])

    def beat(self) -> None:
        """Show that the event loop runs."""
        self._row[_HEARTBEATS] += 1

    @property
    def heartbeats(self) -> int:
        """How often it did."""
        return int(self._row[_HEARTBEATS])

    def typed(self, keys: int) -> None:
        """Count keys."""
        self._row[self._span() + _KEYS] += keys

    def wants_sample(self) -> bool:
        """Whether the frame of the next key should be timed, which is so for a few every second."""
        now = self._clock()
        if now - self._sampled < SAMPLE:
            return False
        self._sampled = now
        return True

    def drew(self, seconds: float) -> None:
        """Count a frame that was drawn so many seconds after its key."""
        doublings = log2(max(seconds, SHORTEST) / SHORTEST)
        index = min(int(doublings * BINS_A_DOUBLING), BINS - 1)
        self._row[self._span() + _BINS + index] += 1

    def summary(self) -> LoadSummary:
        """Return the last minute of this process."""
        return summary([self])

    def spans(self) -> list[list[int]]:
        """Return the words of the spans of the last minute."""
        oldest = self._number() - SPANS + 1
        starts = range(_FIRST, _ROW_WORDS, _SPAN_WORDS)
        spans = [self._row[start : start + _SPAN_WORDS].tolist() for start in starts]
        return [span for span in spans if span[_NUMBER] >= max(oldest, 1)]

    def seconds(self) -> float:
        """Return the length of the last minute, which is less for a new process."""
        now = self._clock()
        oldest = (self._number() - SPANS + 1) * SPAN
        return max(now - max(oldest, self._row[_SINCE]), 1.0)

    def _number(self) -> int:
        return int(self._clock() // SPAN) + 1

    def _span(self) -> int:
        """Return the index of the current span's words, which are cleared if they are old."""
        number = self._number()
        start = _FIRST + number % SPANS * _SPAN_WORDS
        if self._row[start] != number:
            for index in range(start, start + _SPAN_WORDS):
                self._row[index] = 0
            self._row[start] = number
        return start


def summary(loads: Iterable[ProcessLoad]) -> LoadSummary:
    """Return the last minute of several processes."""
    keys_per_second, bins = 0.0, [0] * BINS
    for load in loads:
        spans = load.spans()
        keys_per_second += sum(span[_KEYS] for span in spans) / load.seconds()
        bins = [sum(counts) for counts in zip(bins, *(span[_BINS:] for span in spans), strict=True)]
    return LoadSummary(keys_per_second, _p99(bins))


def _p99(bins: list[int]) -> float | None:
    """Return the end of the bin that reaches 99 %, in seconds."""
    total, reached = sum(bins), 0
    for index, count in enumerate(bins):
        reached += count
        if count and reached >= 0.99 * total:
            return float(SHORTEST * 2 ** ((index + 1) / BINS_A_DOUBLING))
    return None


class SharedLoads:
    """The shared memory with the loads of all processes."""

    def __init__(self, workers: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Allocate the memory.

        Args:
            workers: how many processes there will be.
            clock: seconds, the same in all of them.
        """
        self._memory = mmap.mmap(-1, workers * _ROW_WORDS * _WORD)
        words = memoryview(self._memory).cast("Q")
        rows = (words[n * _ROW_WORDS :][:_ROW_WORDS] for n in range(workers))
        self.processes = tuple(ProcessLoad(row, clock) for row in rows)
