"""ListExport: which animals of the list are exported."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from textual.worker import WorkerCancelled

from pettui.transfer.writing import FileFormat, export_name
from pettui.tui.screens.exporting import Selection

if TYPE_CHECKING:
    from pettui.rows import ShownRows
    from pettui.tui.lists.listing import Listing
    from pettui.tui.lists.marked_pets import MarkedPets
    from pettui.tui.screens.background_request import BackgroundRequest
    from pettui.tui.screens.browsing.paging import Paging
    from pettui.tui.user_session import UserSession
    from pettui.tui.widgets.pet_table import PetTable


class ExportedScreen(Protocol):
    """The list screen, as far as an export needs it."""

    session: UserSession
    request: BackgroundRequest
    table: PetTable
    shown: ShownRows | None
    marked: MarkedPets
    paging: Paging

    @property
    def listing(self) -> Listing | None:
        """What is loaded."""


class ListExport:
    """The marked rows, or else those that are shown; or all pages."""

    def __init__(self, screen: ExportedScreen) -> None:
        self._screen = screen

    def export_name(self, *, is_everything: bool) -> str:
        """Return the default file name, by what is in it: pets-available-2026-11-21.csv."""
        listing = self._screen.listing
        which = listing.query.status if listing is not None else None
        if self._screen.marked.count and not is_everything:
            which = "marked"  # of any status
        return export_name(which, self._screen.session.clock.now().date(), FileFormat.CSV)

    def selection(self, *, is_everything: bool) -> Selection:
        """Return the rows that are shown, or all that are loaded, in the order shown."""
        shown = self._screen.shown
        if is_everything and shown is not None:
            loaded = shown.loaded
            rows = [loaded[index] for index in shown.order]
            has_all = self._screen.paging.all_pages.has_all
            return Selection(rows, self._extent, has_further_pages=not has_all)
        if self._screen.marked.count:
            marked = self._screen.marked
            return Selection(marked.in_order(shown), "marked", not_shown=marked.hidden(shown))
        return Selection(self._screen.table.rows, "as shown")

    @property
    def _extent(self) -> str:
        """How much of the service's list is loaded."""
        listing = self._screen.listing
        if not self._screen.paging.all_pages.has_all or listing is None:
            return "then all further pages"
        if listing.is_at_maximum or (listing.last_page is not None and listing.last_page.is_cut):
            return "all that can be loaded"
        return "all there are"

    @property
    def everything(self) -> str:
        """What else can be exported than the rows that are shown; "" for nothing."""
        if not self._screen.paging.all_pages.has_all:
            return "all pages"
        shown = self._screen.shown
        is_part = shown is not None and len(shown.indexes) < len(shown.loaded)
        return "all rows" if is_part or self._screen.marked.count else ""

    async def load_rest(self) -> bool:
        """Load the missing pages; the screen shows why a page failed."""
        pages, request = self._screen.paging.all_pages, self._screen.request
        if pages.has_all:
            return True
        if pages.is_interrupted:
            pages.resume()
        else:
            pages.start()
        if request.worker is None:
            return False
        try:
            await request.worker.wait()
        except (WorkerCancelled, asyncio.CancelledError):
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # the export itself is cancelled
                pages.stop()
                raise asyncio.CancelledError from None
        return pages.has_all
