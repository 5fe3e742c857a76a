"""TokenBucket: limits what one client may use of something, on average and at once."""

from __future__ import annotations

from math import inf
from time import monotonic


class TokenBucket:
    """What one client may still use."""

    def __init__(self, rate: float, burst: float, *, debt: float = inf) -> None:
        """Start with a full bucket.

        Args:
            rate: that is added in a second.
            burst: that may be used at once.
            debt: that is remembered at most of what was used beyond that.
        """
        self._rate = rate
        self._burst = burst
        self._debt = debt
        self._available = burst
        self._at = monotonic()

    @property
    def available(self) -> float:
        """What may be used now; negative where more was used."""
        passed = self._pass_time()
        self._available = min(self._available + passed * self._rate, self._burst)
        return self._available

    def use(self, amount: float) -> float:
        """Count what was used; return the seconds in which no more may be."""
        self._available = max(self.available - amount, -self._debt)
        return max(-self._available / self._rate, 0.0)

    def skip_time(self) -> None:
        """Add nothing for the time that passed since the bucket was looked at."""
        self._pass_time()

    def _pass_time(self) -> float:
        before, self._at = self._at, monotonic()
        return self._at - before
