"""TokenBucket: limits what one client may use of something, on average and at once."""

from __future__ import annotations

from time import monotonic


class TokenBucket:
    """What one client may still use."""

    def __init__(self, rate: float, burst: float) -> None:
        """Start with a full bucket.

        Args:
            rate: that is added in a second.
            burst: that may be used at once.
        """
        self._rate = rate
        self._burst = burst
        self._left = burst
        self._at = monotonic()

    def use(self, amount: float) -> float:
        """Count what was used; return the seconds in which no more may be."""
        now = monotonic()
        self._left = min(self._left + (now - self._at) * self._rate, self._burst) - amount
        self._at = now
        return max(-self._left / self._rate, 0.0)
