"""ListTransfers: the export and the import of the list screen, once they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pettui.tui.screens.browsing.open_line import OpenLine
    from pettui.tui.screens.exporting.pet_export import PetExport
    from pettui.tui.screens.importing.import_opening import ImportOpening
    from pettui.tui.screens.listing_screen import ListingScreen
    from pettui.tui.wording.text_runs import Section


class ListTransfers:
    """Neither is imported before the first frame."""

    def __init__(self, screen: ListingScreen, open_line: OpenLine) -> None:
        self._screen = screen
        self._open_line = open_line
        self._export: PetExport | None = None
        self._importing: ImportOpening | None = None

    @property
    def is_export_open(self) -> bool:
        """Whether the line of an export stands there."""
        return self._export is not None and self._export.is_open

    async def open_export(self) -> None:
        """Ask where to, and take the rows away."""
        if self._export is None:
            from pettui.tui.screens.browsing.list_export import (
                ListExport,
            )
            from pettui.tui.screens.exporting.pet_export import PetExport

            self._export = PetExport(self._screen, ListExport(self._screen), self._screen.table)
        await self._export.open()

    async def close_export(self) -> None:
        """Stop the export that is under way, or close its line."""
        if self._export is not None:
            await self._export.closed()

    def rows_changed(self) -> None:
        """Say in the line of an export which rows are taken now."""
        if self._export is not None:
            self._export.rows_changed()

    def cut_sections(self) -> list[Section]:
        """Return the whole of what the line of an export has no room for."""
        return self._export.cut_sections() if self._export is not None else []

    async def open_import(self) -> None:
        """Ask for a file, and add its animals."""
        if self._importing is None:
            from pettui.tui.screens.importing.import_opening import (
                ImportOpening,
            )

            self._importing = ImportOpening(self._screen, self._open_line)
        await self._importing.open()
