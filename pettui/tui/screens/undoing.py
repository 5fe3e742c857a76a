"""Undoing: what Esc puts away on the list, one thing at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.keys.available_actions import hints

if TYPE_CHECKING:
    from pettui.tui.screens.browsing.find_line import FindLine
    from pettui.tui.screens.browsing.open_line import OpenLine
    from pettui.tui.screens.list_transfers import ListTransfers
    from pettui.tui.screens.listing_screen import ListingScreen

GOES_ON = "{all_pages} goes on"


class Undoing:
    """The request first, then the line, the find, the marks, the banner and the notices."""

    def __init__(
        self,
        screen: ListingScreen,
        open_line: OpenLine,
        finding: FindLine,
        transfers: ListTransfers,
    ) -> None:
        self._screen = screen
        self._open_line = open_line
        self._finding = finding
        self._transfers = transfers

    @property
    def is_offered(self) -> bool:
        """Whether there is anything to undo that only a list has."""
        is_find_on = self._open_line.owner is not None or self._finding.is_on
        is_marked = self._screen.marked.count > 0
        return (
            is_find_on
            or self._transfers.is_export_open
            or is_marked
            or self._screen.notice_bar.display
        )

    async def undo(self) -> bool:
        """Undo one thing; False where that is what every screen puts away: request or banner."""
        screen = self._screen
        if screen.request.waiting_for:
            return self._stop_paging()
        if self._open_line.owner is not None:
            await self._open_line.owner.line_closed()
        elif self._transfers.is_export_open:
            await self._transfers.close_export()
        elif self._finding.is_on:
            self._finding.clear()
        elif screen.marked.count:
            screen.marked.clear()
        elif screen.strip.failure is not None:
            return False
        else:
            screen.session.greeting = ""
            screen.notice_bar.put_away()
            screen.refresh_bindings()
        return True

    def _stop_paging(self) -> bool:
        """Stop loading all pages; False where something else is asked for."""
        screen = self._screen
        if came := screen.paging.stop():
            screen.automatic.watch(screen.automatic.every)  # M may have dropped its request
            screen.tell_remark("  ".join([f"stopped after {came}", *hints(GOES_ON, screen)]))
        return bool(came)
