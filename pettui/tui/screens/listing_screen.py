"""ListingScreen: loads the list and shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal
from textual.events import Mount

from pettui.client import PetClientError
from pettui.outbox import EntryState
from pettui.rows import ShownRows, pets_of, shown_rows
from pettui.tui.deferred_imports import preload
from pettui.tui.lists.marked_pets import MarkedPets
from pettui.tui.screens.browsing.automatic_refresh import AutomaticRefresh
from pettui.tui.screens.browsing.first_rows import FirstRows
from pettui.tui.screens.browsing.last_list import left_by, view_of
from pettui.tui.screens.browsing.limit_choice import LimitChoice
from pettui.tui.screens.browsing.list_loader import ListLoader
from pettui.tui.screens.browsing.list_status import ListStatus
from pettui.tui.screens.browsing.paging import Paging
from pettui.tui.screens.browsing.preview_placement import PreviewPlacement
from pettui.tui.screens.browsing.watch_toggle import WatchToggle
from pettui.tui.screens.selected_pet_screen import PetScreen
from pettui.tui.widgets.bars import StatusTabs
from pettui.tui.widgets.pet_table import PetTable
from pettui.tui.widgets.pet_view import PetView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.events import Resize, ScreenResume

    from pettui.client import PetPage
    from pettui.rows import RowView
    from pettui.tui.lists.listing import Listing
    from pettui.tui.user_session import EntryChanged, UserSession
    from pettui.tui.wording import Failure


class ListingScreen(PetScreen[None]):
    """Tabs, table and preview of what is loaded, filtered and sorted by a view."""

    SHOWS_NOTICES_ONCE: ClassVar[bool] = False  # they stay until Esc

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.loader = ListLoader(session, self.request, self)
        self.first_rows = FirstRows.of(session.settings.profile.kind)
        self._is_automatic = False  # the newest request
        self.view = view_of(session.seen.first_view)  # which of the loaded rows, and in which order
        self.shown: ShownRows | None = None
        self._seen: Listing | None = None  # whose rows the session remembers as seen
        self.marked = MarkedPets()
        self.table = PetTable(session.glyphs, session.category_name, lambda: self.request.is_out)
        self.tabs = StatusTabs(session.glyphs)
        self.preview = PetView(session.glyphs, session.category_name, id="preview")
        self._placement = PreviewPlacement(self.preview, self.table)
        self.is_stale = False  # the newest query failed, and older rows are shown
        self.paging = Paging(self)
        self.automatic = AutomaticRefresh(self, self.loader, self.paging.all_pages, session.pace)
        self.watching = WatchToggle(self, self.automatic, session.settings.watch)
        self.limit_choice = LimitChoice(self)
        self._status = ListStatus(self)

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.tabs
        yield self.error_banner
        yield self.notice_bar
        with Horizontal(id="panes"):
            yield self.table
            yield self.preview
        yield self.status_line
        yield self.key_bar

    @on(Mount)
    async def ask_for_missing_key(self) -> None:
        """Open the prompt for an API key where there is none; before ``on_mount``."""
        if self.key_change.is_missing:
            await self.key_change.open()

    def on_mount(self) -> None:
        """Show the warnings of the profile, and load the list."""
        if self.key_change.is_open:
            self.key_change.focus_later(self.table)
        else:
            self.table.focus()
        self._show_listing()
        self.loader.load(replace(self.loader.query, limit=self.limit_choice.limit))

    def on_resize(self, event: Resize) -> None:  # noqa: ARG002 - Textual gives it
        """Show the preview where it adds something at this size."""
        self._place_preview()

    def on_screen_resume(self, event: ScreenResume) -> None:  # noqa: ARG002 - as the base has it
        """Show what changed meanwhile."""
        self._place_preview()
        self._catch_up()
        self.automatic.wake()

    # What is loaded

    @property
    def listing(self) -> Listing | None:
        """What is loaded; None before the first response."""
        return self.loader.listing

    def show_query(self, *, is_automatic: bool) -> None:
        """Mark the tab of the query as loading, and clear the remark if the clerk sent it."""
        self._is_automatic = is_automatic
        self.remark = self.remark if is_automatic else ""
        self._show_tabs(is_loading=True)
        self.update_status()

    def _show_tabs(self, *, is_loading: bool) -> None:
        """Show which status the rows have, and which is being loaded in their place."""
        wanted = self.loader.query.status
        self.tabs.active = wanted if self.listing is None else self.listing.query.status
        self.tabs.wanted = wanted if is_loading else self.tabs.active

    def catch_up(self) -> None:
        """Refresh if animals were added since the list was requested."""
        self.call_later(self._catch_up)

    def _catch_up(self) -> None:
        if self.is_on_top and self.loader.is_behind:
            self.loader.refresh_first()

    def show_cached(self) -> None:
        """Show the cached list until the response arrives."""
        self._show_loaded()
        self._place_preview()

    def _show_loaded(self) -> None:
        self.is_stale = False
        self._show_tabs(is_loading=False)
        self.show_rows()
        self._show_listing()

    def _place_preview(self, *, is_automatic: bool = False) -> None:
        self._placement.decide(self.app.size.width, is_automatic=is_automatic)

    def on_pet_table_highlighted(self, message: PetTable.Highlighted) -> None:
        """Show the animal under the cursor in the preview."""
        self.preview.element = message.element

    def show_failure(self, error: PetClientError | Failure) -> None:
        """Show a failure in the banner; the rows stay, marked with their time."""
        is_news = self.automatic.failed(error, is_automatic=self._is_automatic)
        if is_news or self.error_banner.failure is not None:
            super().show_failure(error)
        if isinstance(error, PetClientError):
            self._status.notices = error.notices or self._status.notices
        self.is_stale = True
        self._show_tabs(is_loading=False)
        self._preload()
        self._show_listing()

    def show_response(self, before: Listing | None, new_pages: Sequence[PetPage]) -> None:
        """Show what is loaded now."""
        self._status.notices = new_pages[-1].notices
        self.request_succeeded(is_automatic=self._is_automatic)
        self.automatic.succeeded()
        if before is None or before.is_kept:
            self._preload()
        self.session.outbox.saw(pet.id for page in new_pages for pet in page.pets)
        self.marked.update(pet for page in new_pages for pet in page.pets)
        self._show_loaded()
        self._place_preview(is_automatic=self._is_automatic)
        self.paging.move_on()

    def _preload(self) -> None:
        # After these rows are drawn: the thread would slow the drawing down.
        self.call_after_refresh(self.app.run_worker, preload, group="preload")

    # What is shown

    def show_view(self, view: RowView) -> None:
        """Show other loaded rows, or another order."""
        self.view = view
        self.show_rows()
        self.update_status()
        self.refresh_bindings()

    def show_rows(self) -> None:
        """Show the loaded rows that are in the view."""
        if self.listing is not None:
            is_first = self.shown is None
            self.shown = shown_rows(
                self.listing.loaded, self.view, self.session.category_name, self.shown
            )
            self.table.show_rows(self.shown, self.listing.marks, from_top=is_first)
            self._remember_seen(self.listing)
        self.session.seen.leave(**left_by(self.view))

    def _remember_seen(self, listing: Listing) -> None:
        """Remember that these rows were seen, unless a find hides some of them."""
        is_narrowed = self.shown is not None and self.shown.is_narrowed
        if listing is not self._seen and not listing.is_kept and not is_narrowed:
            self._seen = listing
            is_whole = not listing.goes_on
            self.session.seen.showed(
                listing.query.status, pets_of(listing.loaded), is_whole=is_whole
            )

    def _show_listing(self) -> None:
        if self.listing is not None or self.is_stale:
            self.app.call_later(self.first_rows.came)  # after the table got the focus
        self._status.show_times()
        self.update_status()

    def update_status(self) -> None:
        """Update what stands around the rows."""
        self._status.update()

    def action_refresh(self) -> None:
        """Load what is shown or what failed again, and clear the marks."""
        self.paging.refresh(self.limit_choice.limit)

    def on_outbox_changed(self) -> None:
        """Show how long adds wait."""
        self.update_status()

    def on_entry_changed(self, message: EntryChanged) -> None:
        """Update the counts, and load an animal that was just added."""
        self.update_status()
        self.refresh_bindings()
        if message.entry.state is EntryState.ADDED:
            self._catch_up()
