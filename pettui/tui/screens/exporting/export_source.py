"""ExportSource: what an export knows of the screen whose animals it takes away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pettui.tui.exports import Selection


class ExportSource(Protocol):
    """A screen whose animals can be taken away."""

    @property
    def export_name(self) -> str:
        """The usual name of a file with them."""

    def selection(self, *, is_everything: bool) -> Selection:
        """Return the rows as they stand, or all of them."""

    @property
    def everything(self) -> str:
        """What all of them are called, where they are others than the rows as they stand."""

    async def load_rest(self) -> bool:
        """Load what is not loaded yet; False where that failed or was stopped, and was told."""
