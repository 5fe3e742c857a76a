"""AutomaticRefresh: refreshes the list on a timer: while watching, and until a service is back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from textual.widgets import Input

from pettui.client import PetClientError
from pettui.tui.lists.refresh_timing import RefreshTiming
from pettui.tui.wording import is_away

if TYPE_CHECKING:
    from textual.timer import Timer

    from pettui.tui.lists.refresh_timing import RefreshPace
    from pettui.tui.screens.browsing.all_pages import AllPages
    from pettui.tui.screens.browsing.list_loader import ListLoader
    from pettui.tui.screens.store_screen import StoreScreen
    from pettui.tui.wording import Failure

PAUSE: Final = 1.0  # seconds between two looks at whether the pause is over


class AutomaticRefresh:
    """One timer, restarted by each response and each failure.

    It pauses while another screen is on top, something is typed, another request is running, or a
    later page has failed, which F5 retries.
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
        self._newest: object = None  # which call of ``_wait`` counts

    @property
    def every(self) -> float | None:
        """The interval of the watch in seconds; None while not watching."""
        return self._timing.every

    @property
    def next_in(self) -> float | None:
        """The seconds until the next refresh; None if none is planned."""
        if self._at is None:
            return None
        return max(self._at - asyncio.get_running_loop().time(), 0.0)

    @property
    def is_backing_off(self) -> bool:
        """Whether the newest refresh failed, and is retried."""
        return self._timing.is_backing_off

    def watch(self, every: float | None) -> None:
        """Refresh at this interval in seconds from now on; None stops refreshing."""
        self._timing.every = every
        self._wait(self._timing.seconds())

    def succeeded(self) -> None:
        """Restart the timer after a response."""
        self._timing.succeeded()
        self._wait(self._timing.seconds())

    def failed(self, error: PetClientError | Failure, *, is_automatic: bool) -> bool:
        """Retry later, if that can help; return whether to show the failure.

        Args:
            error: of the request; a Failure if the clerk stopped it.
            is_automatic: whether it happened without the clerk: then it is not shown again that the
                service is still away.
        """
        is_known = False
        if isinstance(error, PetClientError):
            is_known = is_automatic and self._timing.has_failed and is_away(error)
            self._timing.failed(is_away=is_away(error), retry_after=error.retry_after)
        self._wait(self._timing.seconds())
        return not is_known

    def wake(self) -> None:
        """Refresh now, if that was due during the pause."""
        if self._at is not None and self.next_in == 0.0:
            self._refresh()

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._at = None
        if seconds is not None:
            self._at = asyncio.get_running_loop().time() + seconds
            self._newest = wait = object()
            self._timer = self._screen.set_timer(seconds, lambda: self._waited(wait))

    def _waited(self, wait: object) -> None:
        # A timer that has fired may call only after it was stopped: Textual queues its callback.
        if self._at is not None and self._newest is wait:
            self._refresh()

    def _refresh(self) -> None:
        if self._is_paused:
            at = self._at  # it stays due
            self._wait(PAUSE)
            self._at = at
        else:
            self._wait(None)
            self._loader.refresh_first()

    @property
    def _is_paused(self) -> bool:
        return (
            not self._screen.is_on_top
            or isinstance(self._screen.focused, Input)
            or self._screen.request.is_out
            or self._loader.is_interrupted
            or self._all_pages.is_interrupted
        )
