"""Refreshing without the clerk: at an interval while watching, and until a service is back."""

from __future__ import annotations

from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Final

from pettui.client import Backoff
from pettui.text.amounts import duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.tui.session.session import RefreshPace

COUNTED_EVERY: Final = 1.0  # seconds


class Refreshing:
    """When the next refresh is due, by the newest response or failure."""

    def __init__(
        self,
        pace: RefreshPace,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Start without a failure, and without a watch.

        Args:
            pace: the seconds between refreshes.
            clock: the time in seconds.
        """
        self.every: float | None = None  # seconds; None while the list is not watched
        self._pace = pace
        self._clock = clock
        self._due_at: float | None = None
        self._failures = 0
        self._retry_after: float | None = None
        self._retries = False

    @property
    def next_in(self) -> float | None:
        """The seconds until the next refresh; None if none is planned."""
        return None if self._due_at is None else max(self._due_at - self._clock(), 0.0)

    def wakes_in(self, *, is_paused: bool) -> float | None:
        """Return the seconds until it is due or, before, until it counts down; None for neither.

        Args:
            is_paused: it may not begin now; it is looked at again each second.
        """
        if self.next_in is None:
            return None
        return min(self.next_in, COUNTED_EVERY) if self.next_in or not is_paused else COUNTED_EVERY

    @property
    def has_failed(self) -> bool:
        """Whether no refresh succeeded since the last failure."""
        return self._failures > 0

    def remark(self, *, is_typing: bool) -> str:
        """Return what is refreshed without a key, and when; "" for nothing.

        Args:
            is_typing: something is typed, for which refreshing pauses.
        """
        if self.next_in is not None and not is_typing and self.has_failed:
            return f"next attempt in {duration(ceil(self.next_in))}"
        if self.every is None:
            return ""
        is_paused = self.next_in is not None and is_typing
        return "watch paused" if is_paused else f"watch {self.every:g} s"

    def watch(self, every: float | None) -> None:
        """Refresh at this interval in seconds from now on; None stops refreshing."""
        self.every = every
        self.plan()

    def begin(self) -> None:
        """Plan no refresh until the response or the failure of the one that begins."""
        self._due_at = None

    def succeeded(self) -> None:
        """Forget the failures: a response came."""
        self._failures = 0
        self.plan()

    def failed(self, *, is_tried: bool, retry_after: float | None = None) -> None:
        """Wait longer with each failure in a row.

        Args:
            is_tried: the service could not be reached, or asked for a wait, so it is retried even
                without a watch.
            retry_after: seconds that the service asked to wait.
        """
        self._failures += 1
        self._retries = is_tried
        self._retry_after = retry_after
        self.plan()

    def plan(self) -> None:
        """Plan the next refresh anew, from now."""
        seconds = self.seconds()
        self._due_at = None if seconds is None else self._clock() + seconds

    def seconds(self) -> float | None:
        """Return the seconds until the next automatic refresh; None for none."""
        if not self._failures:
            return self.every
        if self.every is None and not self._retries:
            return None
        pace, every = self._pace, self.every
        if every is None:
            return Backoff(pace.first, pace.longest).at_least(self._failures, self._retry_after)
        backoff = Backoff(2 * every, pace.longest_watch)
        return max(every, backoff.at_least(self._failures, self._retry_after))
