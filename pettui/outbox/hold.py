"""Why nothing is sent for now, and until when."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pauses:
    """How long to wait after failures in a row: exponential, with full jitter, bounded."""

    first: float = 1.0  # seconds at most after the first failure; doubled with each more
    longest: float = 60.0
    longest_asked_for: float = 300.0  # of a service's Retry-After

    def after(self, failures: int) -> float:
        """Give the seconds to wait after so many failures in a row (from 1)."""
        most = min(self.longest, self.first * 2.0 ** min(failures - 1, 32))
        return random.uniform(0, most)  # noqa: S311 - spreads load, keeps no secret

    def asked_for(self, seconds: float) -> float:
        """Give a Retry-After's seconds within what this client puts up with."""
        return min(max(seconds, 0.0), self.longest_asked_for)


@dataclass(frozen=True, slots=True)
class Hold:
    """Sending stands still."""

    reason: str  # one line, raw
    until: float = math.inf  # in the loop's time; inf: until somebody resumes
    ask_first: bool = False  # then a list must be answered before an entry is sent
    needs_key: bool = False  # the service refused the one it has
