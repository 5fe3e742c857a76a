"""ShownList: the list screen, as far as the objects that it holds use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pettui.tui.screens.browsing.loader_events import LoaderEvents

if TYPE_CHECKING:
    from textual.app import App

    from pettui.rows import RowView, ShownRows
    from pettui.tui.lists.listing import Listing
    from pettui.tui.screens.background_request import BackgroundRequest
    from pettui.tui.screens.browsing.list_loader import ListLoader
    from pettui.tui.user_session import UserSession
    from pettui.tui.widgets.pet_table import PetTable


class ShownList(LoaderEvents, Protocol):
    """A screen with a loaded list, and a view of it."""

    session: UserSession
    view: RowView
    shown: ShownRows | None
    table: PetTable
    request: BackgroundRequest
    loader: ListLoader
    is_stale: bool  # older than the last query, which failed

    @property
    def app(self) -> App[Any]:
        """The app, which opens other screens."""

    @property
    def listing(self) -> Listing | None:
        """What is loaded."""

    @property
    def is_on_top(self) -> bool:
        """Whether the screen gets the keys."""

    def show_view(self, view: RowView) -> None:
        """Show other rows, or in another order."""
