"""Whether the next entry may be sent: what stops it after failures, and for how long."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pettui.backoff import Backoff
    from pettui.client import PetClientError
    from pettui.outbox.sending.pace import Timer


_AFTER_UNKNOWN: Final = (0.5, 3.0, 12.0, 28.0, 4600.0)  # times the first; 0.8 of all is an hour
_STALE: Final = 5.0  # seconds, after which the service is asked again before an entry is risked
_CHANCES: Final = 5  # lost answers in a row, of the outbox


class Next(Enum):
    """What those behind a failed entry do."""

    GO_ON = "go on"
    WAIT = "try the same one again, after a growing pause"
    ASK_FIRST = "go on as soon as the service answers a list"
    ASK_LATER = "the same, after a pause"
    NEED_KEY = "wait until a key is given anew"


@dataclass(frozen=True, slots=True)
class Trip:
    """Why the breaker is open, so that nothing is sent for now, and until when."""

    reason: str  # one raw line
    until: float  # in the timer's time; inf: until somebody resumes
    probe_first: bool = False  # then a list must be answered before an entry is sent
    key_error: PetClientError | None = None  # the service refused the key that it was sent


class CircuitBreaker:
    """Stops sending after failures: closed while all is well, tripped by each that says so."""

    def __init__(self, backoff: Backoff, timer: Timer, *, chances: int = _CHANCES) -> None:
        """Take how long to wait, and by which clock.

        Args:
            backoff: after failures.
            timer: what is waited by.
            chances: how many lost answers in a row are taken for chance, where the list shows that
                the animal was added.
        """
        self.trip: Trip | None = None
        self._backoff = backoff
        self._timer = timer
        self._most_chances = chances
        self._failures = 0  # in a row
        self._unknowns = 0  # entries that lost their certainty since the last that was added
        self._chances = 0  # those among them that were seen in the list
        self._owed = 0.0  # seconds to wait, unless the lost one is seen in the list

    @property
    def is_wary(self) -> bool:
        """Whether one request at a time is enough: the last ones may have been lost."""
        return self._unknowns > 0 or self._owed > 0

    def succeeded(self) -> None:
        """Go on: the service added an animal."""
        self.resume()
        self._unknowns = self._chances = 0

    def resume(self) -> None:
        """Go on: somebody said so, or the service answered; that adds succeed is not known yet."""
        self.trip = None
        self._failures = 0
        self._owed = 0.0

    def probed(self, *, is_seen: bool = False) -> None:
        """Go on after a list was answered, or wait as long as a lost answer demands.

        Args:
            is_seen: the animal whose answer was lost is in the list. So adds are carried out.
        """
        seconds, self._owed = self._owed, 0.0
        reason = self.trip.reason if self.trip else ""
        self.trip = None
        if is_seen and self._chances < self._most_chances:
            self._chances += 1
            self._unknowns -= 1
        elif seconds:
            self._wait(reason, seconds, probe_first=seconds > _STALE)

    def failed(self, then: Next, error: PetClientError) -> None:
        """Do as a failure demands."""
        reason = str(error)
        if then in (Next.GO_ON, Next.ASK_FIRST) and self.trip is not None and self.is_wary:
            return  # of requests that were out together the one that was lost counts
        if then is Next.GO_ON:
            self.resume()
        elif then is Next.NEED_KEY:
            self.trip = Trip(reason, math.inf, key_error=error)
        elif then is Next.ASK_FIRST:
            self.trip = Trip(reason, 0.0, probe_first=True)
        else:
            self.pause(reason, error.retry_after, probe_first=then is Next.ASK_LATER)

    def pause(
        self, reason: str, asked_for: float | None = None, *, probe_first: bool = False
    ) -> None:
        """Wait longer with each failure in a row, or for as long as was asked for."""
        self._failures += 1
        seconds = self._backoff.after(self._failures)
        if asked_for is not None:
            seconds = max(seconds, self._backoff.after(self._failures, asked_for))
        self._wait(reason, seconds, probe_first=probe_first)

    def lose_certainty(self, reason: str, asked_for: float | None = None) -> None:
        """Ask for a list, and then wait before the next entry is risked.

        It is not known what became of the last one.
        """
        self._unknowns += 1
        self._owed = wait_after_unknown(self._backoff, self._unknowns, asked_for)
        self.trip = Trip(reason, 0.0, probe_first=True)

    def _wait(self, reason: str, seconds: float, *, probe_first: bool) -> None:
        self.trip = Trip(reason, self._timer.now() + seconds, probe_first=probe_first)


def wait_after_unknown(backoff: Backoff, unknowns: int, asked_for: float | None = None) -> float:
    """Return the seconds to wait after so many entries in a row (from 1) whose outcome is unknown.

    Short at first, since most responses are lost by chance, and then so long that an hour in which
    the service adds nothing leaves five entries unknown. What is asked for counts where it is
    longer.
    """
    step = min(unknowns, len(_AFTER_UNKNOWN)) - 1
    seconds = backoff.first * _AFTER_UNKNOWN[step] * random.uniform(0.8, 1.0)  # noqa: S311
    return max(seconds, 0.0 if asked_for is None else backoff.after(1, asked_for))
