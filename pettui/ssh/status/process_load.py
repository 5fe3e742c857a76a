"""ProcessLoad: the keys of one process and how long they took, in memory that all processes have.

A key costs an addition. Nothing is locked: whoever reads while somebody writes is a key behind.
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

SPAN: Final = 10.0  # seconds that are counted together
SPANS: Final = 6  # that are told of: the last minute, of which the last one still goes on
SAMPLE: Final = 0.05  # seconds between two keys whose frames are waited for, in one process
SHORTEST: Final = 0.0001  # seconds of the first bin
BINS_OF_A_DOUBLING: Final = 8  # 9 % from one to the next
BINS: Final = 160  # to a hundred seconds
_WORD: Final = 8  # bytes
_PID, _SINCE, _FIRST = 0, 1, 2  # words of a process
_NUMBER, _KEYS, _BINS = 0, 1, 2  # words of a span
_SPAN_WORDS: Final = _BINS + BINS
_ROW_WORDS: Final = _FIRST + SPANS * _SPAN_WORDS


@dataclass(frozen=True, slots=True)
class LoadSummary:
    """The last minute of one process, or of several."""

    keys_per_second: float
    p99: float | None  # seconds from a key to its frame; None where there was none


class ProcessLoad:
    """The load of one process."""

    def __init__(self, row: memoryview, clock: Callable[[], float]) -> None:
        """Take words of memory that all processes have, and a clock likewise."""
        self._row = row
        self._clock = clock
        self._sampled = 0.0  # when a key was last waited for

    def begin(self) -> None:
        """Be a process that begins."""
        for index in range(_ROW_WORDS):
            self._row[index] = 0
        self._row[_PID], self._row[_SINCE] = os.getpid(), int(self._clock())

    @property
    def pid(self) -> int:
        """The process, or the last one before it; 0 before the first."""
        return int(self._row[_PID])

    def typed(self, keys: int) -> None:
        """Count keys."""
        self._row[self._span() + _KEYS] += keys

    def wants_sample(self) -> bool:
        """Whether the frame of the next key is to be waited for: of a few it is, every second."""
        now = self._clock()
        if now - self._sampled < SAMPLE:
            return False
        self._sampled = now
        return True

    def drew(self, seconds: float) -> None:
        """Count a frame by how long it came after its key."""
        doublings = log2(max(seconds, SHORTEST) / SHORTEST)
        index = min(int(doublings * BINS_OF_A_DOUBLING), BINS - 1)
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
        """Return how long the last minute was, which is less for a process that just began."""
        now = self._clock()
        oldest = (self._number() - SPANS + 1) * SPAN
        return max(now - max(oldest, self._row[_SINCE]), 1.0)

    def _number(self) -> int:
        return int(self._clock() // SPAN) + 1

    def _span(self) -> int:
        """Return where the words of this span stand; those of an old one are cleared."""
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
    """Return the end of the bin in which 99 % are reached, in seconds."""
    total, reached = sum(bins), 0
    for index, count in enumerate(bins):
        reached += count
        if count and reached >= 0.99 * total:
            return float(SHORTEST * 2 ** ((index + 1) / BINS_OF_A_DOUBLING))
    return None


class SharedLoads:
    """The memory of all processes' loads."""

    def __init__(self, workers: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with none.

        Args:
            workers: how many processes there will be.
            clock: seconds, the same in all of them.
        """
        self._memory = mmap.mmap(-1, workers * _ROW_WORDS * _WORD)
        words = memoryview(self._memory).cast("Q")
        rows = (words[n * _ROW_WORDS :][:_ROW_WORDS] for n in range(workers))
        self.processes = tuple(ProcessLoad(row, clock) for row in rows)
