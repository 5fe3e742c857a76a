"""LoaderEvents: what the screen shows while a list is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.client import PetClientError, PetPage
    from pettui.tui.lists.listing import Listing


class LoaderEvents(Protocol):
    """The list screen, as far as a loader calls it."""

    def show_query(self, *, is_automatic: bool) -> None:
        """Show what is being loaded, for the clerk or automatically."""

    def show_response(self, before: Listing | None, new_pages: Sequence[PetPage]) -> None:
        """Show what is loaded now; also what was loaded before, and the new pages."""

    def show_failure(self, error: PetClientError) -> None:
        """Show why loading failed."""

    def show_cached(self) -> None:
        """Show the cached list until the response arrives."""

    def show_remark(self, remark: str) -> None:
        """Show a remark on the status line until the next key."""

    def catch_up(self) -> None:
        """Load what was added meanwhile, once the screen is on top."""
