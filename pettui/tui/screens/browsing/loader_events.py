"""LoaderEvents: what those that load the list tell the screen that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.client import PetClientError, PetPage
    from pettui.tui.lists.listing import Listing


class LoaderEvents(Protocol):
    """What the list screen shows of the loading."""

    def show_asked(self, *, by_itself: bool) -> None:
        """Show what is asked for now, by the clerk or by itself."""

    def show_answer(self, before: Listing | None, come: Sequence[PetPage]) -> None:
        """Show what is loaded now: what it was before, and the pages that came."""

    def show_failure(self, error: PetClientError) -> None:
        """Show why no answer came."""

    def show_seen(self) -> None:
        """Show what is loaded now as it was seen last: the answer is yet to come."""

    def catch_up(self) -> None:
        """Ask for what was added meanwhile, once this is done and the screen is on top."""
