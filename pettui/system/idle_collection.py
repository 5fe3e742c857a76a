"""Garbage collection while nobody types.

Python runs a full collection every so many allocations: with ten thousand rows, or a hundred apps,
a key that is pressed at that moment would have to wait.
"""

from __future__ import annotations

import asyncio
import gc
from typing import Final

# The oldest generation is never collected automatically, only here.
THRESHOLDS: Final = (50_000, 20, 1_000_000)
CHECK_SECONDS: Final = 0.5  # between two calls of ``collect_if_time``
IDLE: Final = 0.25  # seconds without a key, after which a collection disturbs nobody
YOUNG_MAXIMUM: Final = 20  # young collections, after which a full one is run even while users type


def collect_young_objects_alone() -> None:
    """Have Python collect only young objects automatically."""
    gc.set_threshold(*THRESHOLDS)


class IdleCollection:
    """Runs a full collection when one is due and nobody types, or when one is overdue.

    After 50,000 net allocations Python runs a young collection. After one a full collection is due;
    after YOUNG_MAXIMUM it is overdue.
    """

    def __init__(self) -> None:
        self._typed = 0.0  # seconds of the loop's clock
        self._young = _young_collections()  # at the last full collection

    def typed(self) -> None:
        """Note that a user typed."""
        self._typed = asyncio.get_running_loop().time()

    def collect_if_time(self) -> None:
        """Collect if it is due and nobody types, or if it is overdue."""
        is_idle = asyncio.get_running_loop().time() - self._typed > IDLE
        if self._is_overdue() or (self._is_due() and is_idle):
            gc.collect()
            self._reset()

    def _is_due(self) -> bool:
        return _young_collections() > self._young

    def _is_overdue(self) -> bool:
        return _young_collections() >= self._young + YOUNG_MAXIMUM

    def _reset(self) -> None:
        self._young = _young_collections()


def _young_collections() -> int:
    """Return the number of young collections since the process started."""
    return int(gc.get_stats()[0]["collections"])
