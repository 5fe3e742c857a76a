"""WatchToggle: turns automatic refreshing on and off, and shows when the next refresh is due."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from textual.widgets import Input

from pettui.transfer.results import duration

if TYPE_CHECKING:
    from textual.timer import Timer

    from pettui.tui.screens.browsing.automatic_refresh import AutomaticRefresh
    from pettui.tui.screens.store_screen import StoreScreen

COUNTED_EVERY = 1.0  # seconds


class WatchToggle:
    """A note beside the tabs, with a countdown."""

    def __init__(
        self, screen: StoreScreen[None], automatic: AutomaticRefresh, seconds: float
    ) -> None:
        """Start with the watch off.

        Args:
            screen: shows the note.
            automatic: the timer.
            seconds: between two refreshes.
        """
        self._screen = screen
        self._automatic = automatic
        self._seconds = seconds
        self._counting: Timer | None = None

    def toggle(self) -> str:
        """Turn the watch on or off; return which, in words."""
        is_on = self._automatic.every is None
        self._automatic.watch(self._seconds if is_on else None)
        return f"watching: refreshing every {self._seconds:g} s" if is_on else "no longer watching"

    def note(self) -> str:
        """Return what is refreshed automatically, and when; "" for nothing."""
        next_in = self._automatic.next_in
        self._count(is_on=next_in is not None)
        if next_in is None:
            return f"watch {self._seconds:g} s" if self._automatic.every is not None else ""
        if isinstance(self._screen.focused, Input):
            return "watch paused" if self._automatic.every is not None else ""
        if self._automatic.is_backing_off:
            return f"next attempt in {duration(ceil(next_in))}"
        return f"watch {self._seconds:g} s"

    def _count(self, *, is_on: bool) -> None:
        """Redraw the note each second while it counts down."""
        if is_on and self._counting is None:
            self._counting = self._screen.set_interval(COUNTED_EVERY, self._screen.update_status)
        elif not is_on and self._counting is not None:
            self._counting.stop()
            self._counting = None
