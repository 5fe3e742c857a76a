"""A clock that a test sets, in place of ``time.monotonic`` and its like."""

from __future__ import annotations


class Clock:
    """Returns the seconds that the test has set."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
