"""ListTransfers: the export and the import of the list screen, imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pettui.tui.runs import Section
    from pettui.tui.screens.browsing.open_line import OpenLine
    from pettui.tui.screens.exporting.pet_export import PetExport
    from pettui.tui.screens.import_opener import ImportOpener
    from pettui.tui.screens.listing_screen import ListingScreen


class ListTransfers:
    """Export and import are not imported before the first frame."""

    def __init__(self, screen: ListingScreen, open_line: OpenLine) -> None:
        self._screen = screen
        self._open_line = open_line
        self._export: PetExport | None = None
        self._importing: ImportOpener | None = None

    @property
    def is_export_open(self) -> bool:
        """Whether the export line is open."""
        return self._export is not None and self._export.is_open

    async def open_export(self) -> None:
        """Open the export line."""
        if self._export is None:
            from pettui.tui.screens.browsing.list_export import (
                ListExport,
            )
            from pettui.tui.screens.exporting.pet_export import PetExport

            self._export = PetExport(self._screen, ListExport(self._screen), self._screen.table)
        await self._export.open()

    async def close_export(self) -> None:
        """Stop the running export, or close its line."""
        if self._export is not None:
            await self._export.cancel()

    def rows_changed(self) -> None:
        """Show in the export line which rows are exported now."""
        if self._export is not None:
            self._export.rows_changed()

    def cut_sections(self) -> list[Section]:
        """Return the full texts that the export line cuts."""
        return self._export.cut_sections() if self._export is not None else []

    async def open_import(self) -> None:
        """Open the prompt for a file to import."""
        if self._importing is None:
            from pettui.tui.screens.import_opener import ImportOpener

            self._importing = ImportOpener(self._screen, self._open_line)
        await self._importing.open()
