"""EscapeKey: what Esc undoes on the list, one thing at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.keys.available_actions import hints

if TYPE_CHECKING:
    from pettui.tui.screens.browsing.find_line import FindLine
    from pettui.tui.screens.browsing.open_line import OpenLine
    from pettui.tui.screens.list_transfers import ListTransfers
    from pettui.tui.screens.listing_screen import ListingScreen

CONTINUES = "{all_pages} continues"


class EscapeKey:
    """First the request, then the line, the find, the marks, the banner and the notices."""

    def __init__(
        self,
        screen: ListingScreen,
        open_line: OpenLine,
        find_line: FindLine,
        transfers: ListTransfers,
    ) -> None:
        self._screen = screen
        self._open_line = open_line
        self._find_line = find_line
        self._transfers = transfers

    @property
    def is_offered(self) -> bool:
        """Whether there is something to undo that only the list has."""
        is_finding = self._open_line.owner is not None or self._find_line.is_on
        is_marked = self._screen.marked.count > 0
        return (
            is_finding
            or self._transfers.is_export_open
            or is_marked
            or self._screen.notice_bar.display
        )

    async def undo(self) -> bool:
        """Undo one thing; False if it is one that every screen has: request or banner."""
        screen = self._screen
        if screen.request.busy_text:
            return self._stop_paging()
        if self._open_line.owner is not None:
            await self._open_line.owner.line_closed()
        elif self._transfers.is_export_open:
            await self._transfers.close_export()
        elif self._find_line.is_on:
            self._find_line.clear()
        elif screen.marked.count:
            screen.marked.clear()
        elif screen.error_banner.failure is not None:
            return False
        else:
            screen.session.greeting = ""
            screen.notice_bar.put_away()
            screen.refresh_bindings()
        return True

    def _stop_paging(self) -> bool:
        """Stop loading all pages; False if something else is loading."""
        screen = self._screen
        if loaded := screen.paging.stop():
            screen.automatic.watch(screen.automatic.every)  # M may have cancelled its request
            screen.show_remark("  ".join([f"stopped after {loaded}", *hints(CONTINUES, screen)]))
        return bool(loaded)
