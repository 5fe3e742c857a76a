"""When unused memory is collected: when nobody types.

Python looks for cycles when so many objects were made, and at all of them now and then: with ten
thousand rows, or a hundred apps, a key that was pressed just then would wait for that.
"""

from __future__ import annotations

import asyncio
import gc
from typing import Final

# Young objects are many and die soon; full looks are made here.
THRESHOLDS: Final = (50_000, 20, 1_000_000)
LOOK: Final = 0.5  # seconds between looks at whether it is time
IDLE: Final = 0.25  # seconds without a key, after which nobody is held up
YOUNG_MAXIMUM: Final = 20  # collections of young objects, after which it is time though users type


def collect_young_objects_alone() -> None:
    """Let Python look at young objects by itself, and at all of them never."""
    gc.set_threshold(*THRESHOLDS)


class IdleCollection:
    """Knows when somebody last typed, and how much was made since the last full look.

    Of 50,000 objects that were made and are still there, Python looks at the young ones. Once it
    did there may be something to be found; after a million of them it is overdue.
    """

    def __init__(self) -> None:
        self._typed = 0.0  # seconds of the loop's clock
        self._young = _young_collections()  # at the last full look

    def typed(self) -> None:
        """Note that somebody typed."""
        self._typed = asyncio.get_running_loop().time()

    def collect_if_time(self) -> None:
        """Collect unused memory where there is some and nobody types, or where it is overdue."""
        is_idle = asyncio.get_running_loop().time() - self._typed > IDLE
        if self._is_overdue() or (self._is_due() and is_idle):
            gc.collect()
            self._begin_anew()

    def _is_due(self) -> bool:
        return _young_collections() > self._young

    def _is_overdue(self) -> bool:
        return _young_collections() >= self._young + YOUNG_MAXIMUM

    def _begin_anew(self) -> None:
        self._young = _young_collections()


def _young_collections() -> int:
    """Return how often young objects were collected, since the process began."""
    return int(gc.get_stats()[0]["collections"])
