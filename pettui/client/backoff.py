"""How long to wait after failures in a row, how long if a service asks for it, and at which pace.

A service that asks for a wait (Retry-After) gets it. Somebody who waits in front of the screen is
told instead, if it is more than ``Limits.retry_after``. What happens by itself waits at most 77
minutes, and a key ends that.
"""

from __future__ import annotations

import random
from typing import Final, NamedTuple

LONGEST_ASKED_FOR: Final = 4600.0  # seconds of a Retry-After; no wait of our own is longer


class Backoff(NamedTuple):
    """Exponential backoff with full jitter, bounded.

    The jitter keeps the clients of a restarted service from coming back all at once.
    """

    first: float = 1.0  # seconds at most after the first failure; see ``growth``
    longest: float = 60.0

    def after(self, failures: int) -> float:
        """Return the seconds to wait after so many failures in a row (from 1)."""
        most = min(self.longest, self.first * growth(failures))
        return random.uniform(0, most)  # noqa: S311 - spreads load, keeps no secret

    def at_least(self, failures: int, asked_for: float | None) -> float:
        """Return those, or what the service asks for, if that is longer."""
        return max(self.after(failures), granted(asked_for or 0.0))

    def after_too_many(self, failures: int, asked_for: float | None = None) -> float:
        """Return the seconds to wait after so many requests in a row that met a 429.

        They are those that the service asks for, or else the first, doubled each time. Less would
        meet the next 429. One that asks for none at all is not taken at its word.
        """
        if asked_for is None:
            most = min(self.longest, self.first * growth(failures))
            return most * random.uniform(1.0, 1.1)  # noqa: S311 - as above
        return granted(asked_for) if asked_for >= 1.0 else self.after(failures)


def growth(failures: int) -> float:
    """Return how much longer the wait is after so many failures (from 1) than after the first."""
    return 2.0 ** min(failures - 1, 32)


def granted(asked_for: float) -> float:
    """Return how many of the seconds that a service asks for are waited without anybody asking."""
    return min(max(asked_for, 0.0), LONGEST_ASKED_FOR)


_STEP: Final = 0.8  # of the time between two requests, once one passed
_FASTEST: Final = 0.002  # seconds; below it there is no pace any more
_SLOWEST: Final = 60.0
_FIRST: Final = 1.0  # second at most
_KEPT: Final = 100  # requests that pass before a faster pace is tried again


class Pace:
    """The time from one request to the next, since a service said that they come too fast.

    It begins slow, and each request that passes makes it faster, until one does not. Then the pace
    before that is kept for a while: finding its limit costs one refused request in a hundred.
    """

    def __init__(self) -> None:
        """Start without one."""
        self.seconds = 0.0  # between the beginnings of two requests; 0 for none
        self._kept_for = 0  # requests
        self._has_passed = False  # one, since the last that did not

    def too_fast(self, waited: float) -> None:
        """Go slower: a request met a 429, and so many seconds are waited for that.

        While none passes, waiting longer is all that helps.
        """
        if not self.seconds:
            self.seconds = min(max(waited, _FASTEST), _FIRST)
        elif self._has_passed:
            self.seconds = min(self.seconds / _STEP, _SLOWEST)
            self._kept_for = _KEPT
        self._has_passed = False

    def passed(self) -> None:
        """Go faster, or as before: a request did not meet a 429."""
        self._has_passed = True
        if self._kept_for:
            self._kept_for -= 1
            return
        self.seconds *= _STEP
        if self.seconds < _FASTEST:
            self.seconds = 0.0
