"""ExportSource: a screen, as far as an export uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pettui.tui.exports import Selection


class ExportSource(Protocol):
    """A screen whose animals can be exported."""

    @property
    def export_name(self) -> str:
        """The default file name."""

    def selection(self, *, is_everything: bool) -> Selection:
        """Return the rows that are shown, or all of them."""

    @property
    def everything(self) -> str:
        """A name for all of the rows; "" if those are the ones that are shown."""

    async def load_rest(self) -> bool:
        """Load the rest; return False if that failed or was stopped, and show why."""
