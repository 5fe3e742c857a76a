"""BrowsedList: what the objects that browse the list know of the screen that it stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pettui.tui.screens.browsing.loader_events import LoaderEvents

if TYPE_CHECKING:
    from textual.app import App

    from pettui.tui.rows.row_view import RowView
    from pettui.tui.rows.shown_rows import ShownRows
    from pettui.tui.screens.background_request import BackgroundRequest
    from pettui.tui.screens.browsing.list_loader import ListLoader
    from pettui.tui.user_session import UserSession
    from pettui.tui.widgets.pet_table import PetTable


class BrowsedList(LoaderEvents, Protocol):
    """The list screen, without what is none of their business."""

    session: UserSession
    request: BackgroundRequest
    loader: ListLoader
    table: PetTable
    view: RowView
    shown: ShownRows | None
    is_stale: bool

    @property
    def app(self) -> App[Any]:
        """The app that the screen is of."""

    @property
    def is_on_top(self) -> bool:
        """Whether keys come to the screen."""

    def tell_remark(self, remark: str) -> None:
        """Say something on the status line, until the next query."""
