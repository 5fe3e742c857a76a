"""When the list is asked for by itself: every so often, and less often while that fails."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class RefreshPace:
    """The seconds between two refreshes that happen by themselves."""

    first: float = 2.0  # after a failure; doubled with each that follows
    longest: float = 15.0  # after many
    longest_watch: float = 60.0  # the same, for who watches


class RefreshTiming:
    """Counts failures in a row, and says how long to wait for the next refresh."""

    def __init__(
        self, pace: RefreshPace, spread: Callable[[float, float], float] = random.uniform
    ) -> None:
        """Begin without a failure, and without a watch.

        Args:
            pace: between two refreshes.
            spread: a number between two, so that not all who lost a service come back at once.
        """
        self.every: float | None = None  # seconds of the watch; None while nobody watches
        self._pace = pace
        self._spread = spread
        self._failures = 0
        self._asked_for = 0.0
        self._tries_again = False

    @property
    def is_backing_off(self) -> bool:
        """Whether the newest refresh failed, and another try is made."""
        return self._failures > 0 and self.seconds() is not None

    @property
    def has_failed(self) -> bool:
        """Whether no answer came since the newest failure."""
        return self._failures > 0

    def succeeded(self) -> None:
        """Begin anew: an answer came."""
        self._failures = 0

    def failed(self, *, is_away: bool, retry_after: float | None = None) -> None:
        """Wait longer with each failure in a row.

        Args:
            is_away: the service was not there, so that it is tried again although nobody watches.
            retry_after: seconds that the service asked to wait.
        """
        self._failures += 1
        self._tries_again = is_away
        self._asked_for = retry_after or 0.0

    def seconds(self) -> float | None:
        """Return the seconds to the next refresh; None where there is none by itself."""
        if not self._failures:
            return self.every
        if self.every is None and not self._tries_again:
            return None
        doubled = 2.0 ** min(self._failures - 1, 32)
        most = min(self._pace.longest, self._pace.first * doubled)
        if self.every is not None:
            most = max(self.every, min(self._pace.longest_watch, self.every * 2 * doubled))
        return max(self._asked_for, self._spread(0.8 * most, most))
