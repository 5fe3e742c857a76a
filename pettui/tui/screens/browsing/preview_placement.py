"""PreviewPlacement: shows the preview beside the table where it adds something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pettui.tui.widgets.pet_table import PetTable
    from pettui.tui.widgets.pet_view import PetView

MORE: Final = "-more"  # CSS class of a preview that shows more than the table
SCROLL_BAR: Final = 1  # cells


class PreviewPlacement:
    """Decided once for each response and size, never by the cursor."""

    def __init__(self, preview: PetView, table: PetTable) -> None:
        self._preview = preview
        self._table = table

    def decide(self, width: int, *, is_automatic: bool = False) -> None:
        """Show the preview if it adds something to what the table alone would show.

        Args:
            width: cells of the screen.
            is_automatic: whether this follows an automatic refresh, which never hides the preview:
                it would come and go with the animals.
        """
        preview, table = self._preview, self._table
        keeps = is_automatic and preview.has_class(MORE)
        shows_more = keeps or not table.shows_all_in(width - SCROLL_BAR)
        preview.set_class(shows_more, MORE)
        if shows_more and not table.is_followed:
            preview.element = table.highlighted
        table.is_followed = shows_more
