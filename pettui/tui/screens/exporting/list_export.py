"""ListExport: what of the list is taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.models import PetStatus
from pettui.transfer.formats import FileFormat, export_name
from pettui.tui.exports import Selection

if TYPE_CHECKING:
    from pettui.tui.screens.listing_screen import ListingScreen


class ListExport:
    """The rows as they stand: those that are found, in the order that is seen."""

    def __init__(self, screen: ListingScreen) -> None:
        self._screen = screen

    @property
    def export_name(self) -> str:
        """The usual name of a file, by the status that is shown: pets-available-2026-11-21.csv."""
        listing = self._screen.listing
        status = listing.query.status if listing is not None else None
        day = self._screen.session.clock.now().date()
        return export_name(PetStatus(status) if status else None, day, FileFormat.CSV)

    def selection(self, *, is_everything: bool) -> Selection:  # noqa: ARG002
        """Return the rows as they stand."""
        return Selection(self._screen.table.rows, "as shown")

    @property
    def has_other_rows(self) -> bool:
        """Whether all rows are others than those that are shown."""
        return False

    async def load_rest(self) -> bool:
        """Load the pages that are not loaded yet."""
        return True
