"""StagedFaults: faults that the presenter of a demo stages, for one session.

The screens stage and show them, and the demo's service acts on them.
"""

from __future__ import annotations

import math
import time
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

AWAY_SECONDS: Final = 20.0  # from when it is staged
SLOW_SECONDS: Final = 3.0  # before each response


class Fault(Enum):
    """A way in which a service may fail its clients."""

    ADD_REFUSED = "the next add is refused (400)", "add 400"
    KEY_REFUSED = "the key is refused (401)", "key 401"
    AWAY = "the service is away for 20 s (503, Retry-After)", "away 503"
    SLOW = "answers take 3 s", "slow 3 s"
    GET_PET_GONE = "getPet is gone (410)", "getPet 410"

    def __init__(self, title: str, word: str) -> None:
        self.title = title  # in the palette
        self.word = word  # in the header


class StagedFaults:
    """The faults of one session; each lasts until it is ended, has happened, or times out."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, away: float = AWAY_SECONDS
    ) -> None:
        """Start without faults.

        Args:
            clock: a monotonic clock, in seconds.
            away: seconds for which the service is away.
        """
        self._clock = clock
        self._away = away
        self._until: dict[Fault, float] = {}  # in the clock's time; inf: until it is ended
        self._listeners: list[Callable[[], None]] = []

    @property
    def staged(self) -> tuple[Fault, ...]:
        """The faults that are staged now, in the palette's order."""
        return tuple(fault for fault in Fault if self.is_staged(fault))

    def is_staged(self, fault: Fault) -> bool:
        """Whether a fault is staged now."""
        return self.seconds_left(fault) > 0

    def seconds_left(self, fault: Fault) -> float:
        """Return how long a fault lasts: 0 if it is not staged, inf if no time ends it."""
        return max(self._until.get(fault, -math.inf) - self._clock(), 0.0)

    def stage(self, fault: Fault) -> None:
        """Stage a fault from now on; a time that was running starts over."""
        self._until[fault] = self._clock() + (self._away if fault is Fault.AWAY else math.inf)
        self._notify()

    def end(self, fault: Fault) -> None:
        """End a fault."""
        if self._until.pop(fault, None) is not None:
            self._notify()

    def use_up(self, fault: Fault) -> bool:
        """End a fault that happens now; return False if it is not staged."""
        is_there = self.is_staged(fault)
        self.end(fault)
        return is_there

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call a listener when a fault is staged or ended; return a function to unsubscribe.

        It is not called when a fault times out: ``seconds_left`` says when that will be.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _notify(self) -> None:
        for listener in (*self._listeners,):
            listener()
