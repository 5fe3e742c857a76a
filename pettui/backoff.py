"""Backoff: how long to wait after failures in a row."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential backoff with full jitter, bounded.

    The jitter keeps the clients of a restarted service from coming back all at once.
    """

    first: float = 1.0  # seconds at most after the first failure; doubled with each more
    longest: float = 60.0
    longest_asked_for: float = 300.0  # of a service's Retry-After

    def after(self, failures: int, asked_for: float | None = None) -> float:
        """Return the seconds to wait after so many failures in a row (from 1)."""
        if asked_for is not None:
            return min(max(asked_for, 0.0), self.longest_asked_for)
        most = min(self.longest, self.first * 2.0 ** min(failures - 1, 32))
        return random.uniform(0, most)  # noqa: S311 - spreads load, keeps no secret
