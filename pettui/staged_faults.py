"""StagedFaults: what goes wrong in a demo because whoever shows it said so, for one session alone.

The demo's service acts on them, the screens stage them and say which ones there are.
"""

from __future__ import annotations

import math
import time
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

AWAY_SECONDS: Final = 20.0  # from when it is staged
SLOW_SECONDS: Final = 3.0  # an answer


class Fault(Enum):
    """Something that a service may do to its clients."""

    ADD_REFUSED = "the next add is refused (400)", "add 400"
    KEY_REFUSED = "the key is refused (401)", "key 401"
    AWAY = "the service is away for 20 s (503, Retry-After)", "away 503"
    SLOW = "answers take 3 s", "slow 3 s"
    GET_PET_GONE = "getPet is gone (410)", "getPet 410"

    def __init__(self, title: str, word: str) -> None:
        self.title = title  # in the palette
        self.word = word  # in the header


class StagedFaults:
    """Those of one session; each is there until it is ended, was met, or its time is over."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, away: float = AWAY_SECONDS
    ) -> None:
        """Begin with none.

        Args:
            clock: seconds that only go forward.
            away: seconds that the service is away.
        """
        self._clock = clock
        self._away = away
        self._until: dict[Fault, float] = {}  # in the clock's time; inf: until it is ended
        self._listeners: list[Callable[[], None]] = []

    @property
    def staged(self) -> tuple[Fault, ...]:
        """Those that are there now, in the palette's order."""
        return tuple(fault for fault in Fault if self.is_staged(fault))

    def is_staged(self, fault: Fault) -> bool:
        """Whether it is there now."""
        return self.seconds_left(fault) > 0

    def seconds_left(self, fault: Fault) -> float:
        """Return how long it is there still: 0 where it is not, inf where no time ends it."""
        return max(self._until.get(fault, -math.inf) - self._clock(), 0.0)

    def stage(self, fault: Fault) -> None:
        """Let it happen from now on; what has a time begins anew."""
        self._until[fault] = self._clock() + (self._away if fault is Fault.AWAY else math.inf)
        self._tell()

    def end(self, fault: Fault) -> None:
        """Let it happen no more."""
        if self._until.pop(fault, None) is not None:
            self._tell()

    def take(self, fault: Fault) -> bool:
        """Return whether it happens now, and let that be the last time."""
        is_there = self.is_staged(fault)
        self.end(fault)
        return is_there

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Tell a listener when one was staged or ended; return the unsubscriber.

        That a time is over nobody is told: ``seconds_left`` says when it will be.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self) -> None:
        for listener in (*self._listeners,):
            listener()
