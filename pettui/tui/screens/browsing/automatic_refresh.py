"""AutomaticRefresh: refreshes the list by itself: for who watches, and until a service is back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from textual.widgets import Input

from pettui.client import PetClientError
from pettui.tui.lists.refresh_timing import RefreshTiming
from pettui.tui.wording.failures import is_away

if TYPE_CHECKING:
    from textual.timer import Timer

    from pettui.tui.lists.refresh_timing import RefreshPace
    from pettui.tui.screens.browsing.all_pages import AllPages
    from pettui.tui.screens.browsing.list_loader import ListLoader
    from pettui.tui.screens.store_screen import StoreScreen
    from pettui.tui.wording.failures import Failure

REST: Final = 1.0  # seconds, after which it is seen whether there is still a reason to rest


class AutomaticRefresh:
    """One timer, set anew by each answer and each failure.

    It rests while another screen is on top, something is typed, another request is out, or a page
    further down failed: F5 goes on from that one.
    """

    def __init__(
        self,
        screen: StoreScreen[None],
        loader: ListLoader,
        all_pages: AllPages,
        pace: RefreshPace,
    ) -> None:
        self._screen = screen
        self._loader = loader
        self._all_pages = all_pages
        self._timing = RefreshTiming(pace)
        self._timer: Timer | None = None
        self._at: float | None = None  # of the loop's clock

    @property
    def every(self) -> float | None:
        """The seconds of the watch; None where nobody watches."""
        return self._timing.every

    @property
    def next_in(self) -> float | None:
        """The seconds until the next refresh; None where there is none by itself."""
        if self._at is None:
            return None
        return max(self._at - asyncio.get_running_loop().time(), 0.0)

    @property
    def is_backing_off(self) -> bool:
        """Whether the newest refresh failed, and another try is made."""
        return self._timing.is_backing_off

    def watch(self, every: float | None) -> None:
        """Refresh every so many seconds from now on; None refreshes no more."""
        self._timing.every = every
        self._wait(self._timing.seconds())

    def answered(self) -> None:
        """Begin anew: the list was answered."""
        self._timing.succeeded()
        self._wait(self._timing.seconds())

    def failed(self, error: PetClientError | Failure, *, by_itself: bool) -> bool:
        """Try again later, where that is of any use; whether the failure is news to the clerk.

        Args:
            error: why no answer came; what the clerk stopped is no failure.
            by_itself: nobody asked for it: that the service is still away is no news.
        """
        is_known = False
        if isinstance(error, PetClientError):
            is_known = by_itself and self._timing.has_failed and is_away(error)
            self._timing.failed(is_away=is_away(error), retry_after=error.retry_after)
        self._wait(self._timing.seconds())
        return not is_known

    def wake(self) -> None:
        """Refresh now what was due while it rested."""
        if self._at is not None and self.next_in == 0.0:
            self._refresh()

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._at = None
        if seconds is not None:
            self._at = asyncio.get_running_loop().time() + seconds
            self._timer = self._screen.set_timer(seconds, self._refresh)

    def _refresh(self) -> None:
        if self._rests:
            at = self._at  # it stays due
            self._wait(REST)
            self._at = at
        else:
            self._wait(None)
            self._loader.refresh_first()

    @property
    def _rests(self) -> bool:
        return (
            not self._screen.is_on_top
            or isinstance(self._screen.focused, Input)
            or self._screen.request.is_out
            or self._loader.is_interrupted
            or self._all_pages.is_interrupted
        )
