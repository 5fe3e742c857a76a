"""How long to wait after failures in a row, and how much of what a service asks for.

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

    def after(self, failures: int, asked_for: float | None = None) -> float:
        """Return the seconds to wait after so many failures in a row (from 1)."""
        if asked_for is not None:
            return granted(asked_for)
        most = min(self.longest, self.first * growth(failures))
        return random.uniform(0, most)  # noqa: S311 - spreads load, keeps no secret


def growth(failures: int) -> float:
    """Return how much longer the wait is after so many failures (from 1) than after the first."""
    return 2.0 ** min(failures - 1, 32)


def granted(asked_for: float) -> float:
    """Return how many of the seconds that a service asks for are waited without anybody asking."""
    return min(max(asked_for, 0.0), LONGEST_ASKED_FOR)
