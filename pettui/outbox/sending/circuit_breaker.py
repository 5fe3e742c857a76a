"""CircuitBreaker: stops sending after failures, and says for how long."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pettui.backoff import Backoff
    from pettui.client import PetClientError
    from pettui.outbox.sending.pace import Timer


_AFTER_UNKNOWN: Final = (0.5, 3.0, 12.0, 28.0, 4600.0)  # times the first; 0.8 of all is an hour
_STALE: Final = 5.0  # seconds of waiting, after which the service is probed once more
_TOLERATED: Final = 5  # lost responses in a row


class Next(Enum):
    """What happens to the entries behind a failed one."""

    GO_ON = "continue"
    WAIT = "try the same one again, after a backoff"
    PROBE_FIRST = "continue once listPets succeeds"
    PROBE_LATER = "the same, after a backoff"
    NEED_KEY = "wait for another key"


@dataclass(frozen=True, slots=True)
class Trip:
    """Why the breaker is open, so that nothing is sent for now, and until when."""

    reason: str  # one raw line
    until: float  # in the timer's time; inf: until ``resume`` is called
    probe_first: bool = False  # listPets must succeed before an entry is sent
    key_error: PetClientError | None = None  # how the service refused the key
    is_away: bool = False  # the service did not respond, or failed even to list


class CircuitBreaker:
    """Closed while all is well; failures open it, and a probe or a wait closes it again."""

    def __init__(self, backoff: Backoff, timer: Timer, *, tolerated: int = _TOLERATED) -> None:
        """Start closed.

        Args:
            backoff: after failures.
            timer: its clock.
            tolerated: how many lost responses in a row are ignored if the list shows that the
                animal was added.
        """
        self.trip: Trip | None = None
        self._backoff = backoff
        self._timer = timer
        self._most_tolerated = tolerated
        self._failures = 0  # in a row
        self._unknowns = 0  # unknown entries since the last one that was added
        self._tolerated = 0  # those that were unknown at first, and then seen in the list
        self._pending_wait = 0.0  # seconds, unless the lost animal is seen in the list

    @property
    def is_half_open(self) -> bool:
        """Whether one request at a time is sent, since the last ones may have been lost."""
        return self._unknowns > 0 or self._pending_wait > 0

    def succeeded(self) -> None:
        """Close: the service added an animal."""
        self.resume()
        self._unknowns = self._tolerated = 0

    def resume(self) -> None:
        """Close for now: it is not known yet that adds succeed."""
        self.trip = None
        self._failures = 0
        self._pending_wait = 0.0

    def service_responded(self, *, is_automatic: bool = False) -> None:
        """End a wait for the service: another request just succeeded.

        A wait after a lost response, or that a 429 asked for, goes on: a list says nothing of adds.

        Args:
            is_automatic: nobody asked for it; then it does not send a refused key once more.
        """
        trip = self.trip
        if trip is None or (trip.key_error is not None and is_automatic):
            return
        if trip.key_error is not None and self.is_half_open:  # the wait after what was lost goes on
            self.trip = Trip(trip.reason, 0.0, probe_first=True)
        elif trip.is_away and trip.probe_first:  # what was lost may be in the list by now
            self.trip = replace(trip, until=0.0, is_away=False)
        elif trip.is_away or not (trip.probe_first or self.is_half_open):
            self.trip = None

    def probed(self, *, is_seen: bool = False) -> None:
        """Close after a list was loaded, or wait as long as a lost response requires.

        Args:
            is_seen: the animal whose response was lost is in the list, so adds are carried out.
        """
        seconds, self._pending_wait = self._pending_wait, 0.0
        reason = self.trip.reason if self.trip else ""
        self.trip = None
        if is_seen and self._tolerated < self._most_tolerated:
            self._tolerated += 1
            self._unknowns -= 1
        elif seconds:
            self._wait(reason, seconds, probe_first=seconds > _STALE)

    def failed(self, then: Next, error: PetClientError) -> None:
        """React to a failure."""
        reason = str(error)
        if then in (Next.GO_ON, Next.PROBE_FIRST) and self.trip is not None and self.is_half_open:
            return  # of requests that were out together, the lost one counts
        if then is Next.GO_ON:
            self.resume()
        elif then is Next.NEED_KEY:
            self.trip = Trip(reason, math.inf, key_error=error)
        elif then is Next.PROBE_FIRST:
            self.trip = Trip(reason, 0.0, probe_first=True)
        else:
            is_probe = then is Next.PROBE_LATER
            is_away = error.status is None or (is_probe and error.status != 429)
            self.back_off(reason, error.retry_after, probe_first=is_probe, is_away=is_away)

    def back_off(
        self,
        reason: str,
        asked_for: float | None = None,
        *,
        probe_first: bool = False,
        is_away: bool = False,
    ) -> None:
        """Wait longer with each failure in a row, or as long as the service asks for."""
        self._failures += 1
        seconds = self._backoff.after(self._failures)
        if asked_for is not None:
            seconds = max(seconds, self._backoff.after(self._failures, asked_for))
        self._wait(reason, seconds, probe_first=probe_first, is_away=is_away)

    def outcome_unknown(self, reason: str, asked_for: float | None = None) -> None:
        """Probe, and then wait before the next entry is sent: the last one's outcome is unknown."""
        self._unknowns += 1
        self._pending_wait = wait_after_unknown(self._backoff, self._unknowns, asked_for)
        self.trip = Trip(reason, 0.0, probe_first=True)

    def _wait(
        self, reason: str, seconds: float, *, probe_first: bool, is_away: bool = False
    ) -> None:
        until = self._timer.now() + seconds
        self.trip = Trip(reason, until, probe_first=probe_first, is_away=is_away)


def wait_after_unknown(backoff: Backoff, unknowns: int, asked_for: float | None = None) -> float:
    """Return the seconds to wait after so many entries in a row (from 1) whose outcome is unknown.

    Short at first, since most responses are lost by chance, and then so long that an hour in which
    the service adds nothing leaves five entries unknown. What is asked for counts where it is
    longer.
    """
    step = min(unknowns, len(_AFTER_UNKNOWN)) - 1
    seconds = backoff.first * _AFTER_UNKNOWN[step] * random.uniform(0.8, 1.0)  # noqa: S311
    return max(seconds, 0.0 if asked_for is None else backoff.after(1, asked_for))
