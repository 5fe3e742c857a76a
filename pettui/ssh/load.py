"""What a process handles and how fast: counters, and the bins of a histogram, which add up.

A worker counts in ``Load``; its parent keeps what it reports, by time, in ``LoadHistory``. A key
costs an addition.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from math import log2
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MINUTE: Final = 60.0  # seconds that a report counts
SAMPLE: Final = 0.05  # seconds between two keys whose frames are timed, in one process
SHORTEST: Final = 0.0001  # seconds, where the first bin starts
BINS_A_DOUBLING: Final = 8  # each 9 % longer than the one before
BINS: Final = 160  # up to a hundred seconds
COUNT_MAXIMUM: Final = 1_000_000  # of a report, in which a second's keys are
# Why a login is refused.
Reason: TypeAlias = Literal[
    "unknown key", "not authorized", "bad signature", "unusable key", "no such method", "no key"
]
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)


class Report(NamedTuple):
    """What a worker has handled since its last one."""

    keys: int
    bins: list[tuple[int, int]]  # of the times from keys to their frames, with their counts
    refused: list[tuple[str, int]]  # logins, by reason
    lines_dropped: int = 0  # by its log


class Load:
    """What a worker has handled since its last report."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with nothing, by a clock that counts seconds."""
        self._clock = clock
        self._sampled = 0.0  # when a key was last timed
        self._keys = 0
        self._bins: Counter[int] = Counter()  # of the times from keys to their frames
        self._refused: Counter[str] = Counter()  # logins, by reason
        self._dropped = self._reported = 0  # lines of the log, in all

    def typed(self, keys: int) -> None:
        """Count keys."""
        self._keys += keys

    @property
    def keys(self) -> int:
        """How many were counted since the last report."""
        return self._keys

    def refused(self, reason: Reason) -> None:
        """Count a refused login."""
        self._refused[reason] += 1

    def dropped_lines(self, in_all: int) -> None:
        """Count the lines that the log has dropped so far."""
        self._dropped = in_all

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
        self._bins[min(int(doublings * BINS_A_DOUBLING), BINS - 1)] += 1

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to report."""
        return not (self._keys or self._bins or self._refused or self._dropped > self._reported)

    def drain(self) -> Report:
        """Return what was counted; count from zero again."""
        bins, refused = list(self._bins.items()), list(self._refused.items())
        drained = Report(self._keys, bins, refused, self._dropped - self._reported)
        self._keys, self._reported = 0, self._dropped
        self._bins.clear()
        self._refused.clear()
        return drained


def middle_of(index: int) -> float:
    """Return the seconds in the middle of a bin."""
    return float(SHORTEST * 2 ** ((index + 0.5) / BINS_A_DOUBLING))


class LoadHistory:
    """What a worker reported in the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with nothing, for a worker that starts now."""
        self._clock = clock
        self._since = clock()
        self._reports: deque[tuple[float, int, Counter[int]]] = deque()  # time, keys and bins

    def add(self, keys: int, bins: Iterable[tuple[int, int]]) -> None:
        """Add a report; what cannot be counted raises now, and not when somebody asks."""
        counts = Counter(dict(bins))
        reported = (keys, *counts.values())
        if not all(0 <= index < BINS for index in counts) or not all(
            0 <= count <= COUNT_MAXIMUM for count in reported
        ):
            raise ValueError("it cannot be counted")
        self._reports.append((self._clock(), keys, counts))
        self._forget_old()

    def keys_per_second(self) -> float:
        """Return the keys of the last minute, which is shorter for a new worker."""
        self._forget_old()
        seconds = min(self._clock() - self._since, MINUTE)
        return sum(keys for _, keys, _ in self._reports) / max(seconds, 1.0)

    def bins(self) -> Counter[int]:
        """Return the histogram of the last minute."""
        self._forget_old()
        return sum((bins for *_, bins in self._reports), Counter())

    def _forget_old(self) -> None:
        while self._reports and self._reports[0][0] < self._clock() - MINUTE:
            self._reports.popleft()


class LoadSummary(NamedTuple):
    """The last minute of one process, or of several."""

    keys_per_second: float
    p99: float | None  # seconds from a key to its frame; None without any


def summary(histories: Sequence[LoadHistory]) -> LoadSummary:
    """Return the last minute of several workers."""
    bins = sum((history.bins() for history in histories), Counter[int]())
    return LoadSummary(sum(history.keys_per_second() for history in histories), _p99(bins))


def _p99(bins: Counter[int]) -> float | None:
    """Return the end of the bin that reaches 99 %, in seconds."""
    total, reached = bins.total(), 0
    for index, count in sorted(bins.items()):
        reached += count
        if reached >= 0.99 * total:
            return float(SHORTEST * 2 ** ((index + 1) / BINS_A_DOUBLING))
    return None
