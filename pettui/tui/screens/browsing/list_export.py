"""ListExport: which animals of the list are exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.transfer.writing import FileFormat, export_name
from pettui.tui.screens.exporting import Selection

if TYPE_CHECKING:
    from pettui.tui.screens.pet_list import PetListScreen


class ListExport:
    """The marked rows, or else those that are shown; or all pages."""

    def __init__(self, screen: PetListScreen) -> None:
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
            has_all = self._screen.loader.has_all
            return Selection(rows, self._extent, has_further_pages=not has_all)
        if self._screen.marked.count:
            marked = self._screen.marked
            return Selection(marked.in_order(shown), "marked", not_shown=marked.hidden(shown))
        return Selection(self._screen.table.rows, "as shown")

    @property
    def _extent(self) -> str:
        """How much of the service's list is loaded."""
        listing = self._screen.listing
        if not self._screen.loader.has_all or listing is None:
            return "then all further pages"
        if listing.is_at_maximum or (listing.last_page is not None and listing.last_page.is_cut):
            return "all that can be loaded"
        return "all there are"

    @property
    def everything(self) -> str:
        """What else can be exported than the rows that are shown; "" for nothing."""
        if not self._screen.loader.has_all:
            return "all pages"
        shown = self._screen.shown
        is_part = shown is not None and len(shown.indexes) < len(shown.loaded)
        return "all rows" if is_part or self._screen.marked.count else ""

    async def load_rest(self) -> bool:
        """Load the missing pages; the screen shows why a page failed."""
        return await self._screen.load_all_pages()
