"""PetListScreen: the home screen, the animals that the service lists."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from pettui import actions
from pettui.client import UnreadablePet
from pettui.settings import LIMIT_MAXIMUM, LIMIT_MINIMUM
from pettui.tui.keys.available_actions import hints
from pettui.tui.keys.bindings import bindings
from pettui.tui.listing import ListQuery
from pettui.tui.rows.counting import pets_of
from pettui.tui.screens.listing_screen import ListingScreen

if TYPE_CHECKING:
    from textual.binding import BindingType

    from pettui.models import Pet
    from pettui.tui.listing import Listing
    from pettui.tui.screens.exporting.pet_export import PetExport
    from pettui.tui.user_session import UserSession
    from pettui.tui.widgets.pet_table import PetTable
    from pettui.tui.widgets.status_tabs import StatusTabs

ALL = "that is all that the service lists"
GOES_ON = "{all_pages} goes on"
LIMIT_PAUSE = 0.15  # seconds after the last + or - before the service is asked


class PetListScreen(ListingScreen):
    """What the keys and the mouse do with the list."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_LIST,
        filter_all="filter('')",
        filter_available="filter('available')",
        filter_pending="filter('pending')",
        filter_sold="filter('sold')",
        limit_up="change_limit(1)",
        limit_down="change_limit(-1)",
    )

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self._export: PetExport | None = None  # once it was asked for

    @property
    def pointed_at(self) -> Pet | None:
        """Give the animal under the cursor; None on a row that is none."""
        row = self.table.highlighted
        return None if isinstance(row, UnreadablePet) else row

    def on_pet_table_highlighted(self, message: PetTable.Highlighted) -> None:
        """Show the animal under the cursor in the preview."""
        self.preview.element = message.element

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to open what there is, and to put notices away too."""
        if action == "open":
            return self.table.highlighted is not None
        is_offered = super().check_action(action, parameters)
        return is_offered or (action == "put_away" and self.notice_bar.display)

    def action_put_away(self) -> None:
        """Stop waiting, or put the error away, or else the notices."""
        if self.all_pages.progress is not None and self.listing is not None:
            counts = self.all_pages.stop()
            self.tell_remark(" ".join([f"stopped after {counts}", *hints(GOES_ON, self)]))
            return
        if self.request.waiting_for:
            self.loader.stopped()
        if self.request.waiting_for or self.strip.failure is not None:
            super().action_put_away()
            return
        self.session.greeting = ""
        self.notice_bar.put_away()
        self.refresh_bindings()

    def action_filter(self, status: str) -> None:
        """Ask for the animals of one status, or of all."""
        self.loader.ask_for(ListQuery(status or None, self.loader.query.limit))

    def on_status_tabs_picked(self, message: StatusTabs.Picked) -> None:
        """Ask for the animals of the clicked status."""
        self.action_filter(message.status or "")

    def action_change_limit(self, by: int) -> None:
        """Set the limit, and ask when the keys rest."""
        query = self.loader.query
        limit = max(LIMIT_MINIMUM, min(query.limit + by, LIMIT_MAXIMUM))
        if limit != query.limit:
            self.session.seen.leave(limit=limit)
            self.loader.ask_for(ListQuery(query.status, limit), after=LIMIT_PAUSE)

    def action_more(self) -> None:
        """Show more: the page that the service links, or a larger limit."""
        listing, query = self.listing, self.loader.query
        if listing is None or listing.is_kept or listing.query.status != query.status:
            # Of what is asked for now, and not of what is shown.
            self.loader.ask_for(replace(query, pages=query.pages + 1))
        elif listing.has_next_link:
            self.loader.ask_for_next()
        elif (limit := listing.larger_limit(query.limit)) is not None:
            self.loader.ask_for(ListQuery(query.status, limit))
        elif not listing.is_at_maximum:
            self.tell_remark(ALL)

    def action_all_pages(self) -> None:
        """Load all pages, one after the other."""
        if self.all_pages.has_all:
            is_cut = self.listing is not None and self.listing.is_at_maximum
            self.tell_remark("" if is_cut else ALL)
        else:
            self.all_pages.start()

    def action_refresh(self) -> None:
        """Ask again what is shown, or what failed; a page in the middle alone."""
        if self.all_pages.is_interrupted:
            self.all_pages.resume()
        else:
            super().action_refresh()

    async def action_add(self) -> None:
        """Open the form. It is there when this returns: the next key is typed into it."""
        from pettui.tui.screens.pet_create import PetCreateScreen  # noqa: PLC0415 - not for the first frame

        pets = self.listing.pets if self.listing else ()
        await self.app.push_screen(PetCreateScreen(self.session, pets))

    async def action_outbox(self) -> None:
        """Show all entries; one that is taken out there stands in the form."""

        from pettui.tui.screens.outbox import OutboxScreen  # noqa: PLC0415 - not for the first frame

        async def go_on(is_edited: bool | None) -> None:
            if is_edited:
                await self.action_add()

        await self.app.push_screen(OutboxScreen(self.session), go_on)

    async def action_export(self) -> None:
        """Ask where to, and take the rows away."""
        if self._export is None:
            from pettui.tui.screens.exporting.list_export import ListExport  # noqa: PLC0415 - not for the first frame
            from pettui.tui.screens.exporting.pet_export import PetExport  # noqa: PLC0415

            self._export = PetExport(self, ListExport(self), self.table)
        await self._export.open()

    async def action_receipt(self) -> None:
        """Show what was added in this session."""
        from pettui.tui.screens.receipt import ReceiptScreen  # noqa: PLC0415 - not for the first frame

        await self.app.push_screen(ReceiptScreen(self.session))

    async def action_open(self) -> None:
        """Open the animal under the cursor, or show what stands there in place of one."""
        row = self.table.highlighted
        if row is None or self.listing is None:
            return
        if isinstance(row, UnreadablePet):
            await self._open_unreadable(row)
        else:
            await self._open_pet(row, self.listing)

    async def _open_unreadable(self, unreadable: UnreadablePet) -> None:
        from pettui.tui.screens.text_view import TextViewScreen  # noqa: PLC0415 - not for the first frame

        title = f"Row {unreadable.index + 1} is no animal"
        text = f"{unreadable.reason}\n\n{unreadable.excerpt}"
        await self.app.push_screen(TextViewScreen(self.session.look, [(title, text)]))

    async def _open_pet(self, pet: Pet, listing: Listing) -> None:
        """Open an animal; where it is closed the cursor follows."""
        from pettui.tui.screens.pet_detail import PetDetailScreen  # noqa: PLC0415 - not for the first frame

        pets = pets_of(self.table.rows)
        index = next(i for i, each in enumerate(pets) if each is pet)
        screen = PetDetailScreen(self.session, pets, index, listing.answered_at)
        await self.app.push_screen(screen, self._follow)

    async def on_pet_table_opened(self) -> None:
        """Open the animal that was clicked twice."""
        await self.action_open()

    def _follow(self, pet_id: int | None) -> None:
        if pet_id is not None and (self.pointed_at is None or self.pointed_at.id != pet_id):
            self.table.go_to(pet_id)
