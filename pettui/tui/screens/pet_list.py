"""PetListScreen: the home screen, with the animals that the service lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from pettui import actions
from pettui.models import PetStatus
from pettui.tui.keys import bindings, hints
from pettui.tui.lists.marked_pets import not_shown_text
from pettui.tui.screens.browsing.find_line import FindLine
from pettui.tui.screens.browsing.id_line import IdLine
from pettui.tui.screens.browsing.limit_choice import LimitLine
from pettui.tui.screens.browsing.open_line import OpenLine
from pettui.tui.screens.browsing.row_order import RowOrder
from pettui.tui.screens.browsing.screen_opener import ScreenOpener
from pettui.tui.screens.list_transfers import ListTransfers
from pettui.tui.screens.listing_screen import ListingScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.models import Pet
    from pettui.tui.runs import Section
    from pettui.tui.user_session import UserSession
    from pettui.tui.widgets.bars import StatusTabs
    from pettui.tui.widgets.pet_table import PetTable
    from pettui.tui.widgets.prompts.prompt_line import PromptLine

CONTINUES: Final = "{all_pages} continues"


class PetListScreen(ListingScreen):
    """What the keys and the mouse do with the list."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_LIST,
        add=("add", "explain_read_only"),
        take_back=("take_back", "explain_too_late"),
        filter_all="filter('')",
        next_mark="next_mark(1)",
        previous_mark="next_mark(-1)",
        limit_up="change_limit(1)",
        limit_down="change_limit(-1)",
        **{f"filter_{status}": f"filter('{status}')" for status in PetStatus},
    )

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.open_line = OpenLine(self, above=self.status_line, then=self.table)
        self.row_order = RowOrder(self)
        self.find_line = FindLine(self, self.open_line)
        self.transfers = ListTransfers(self, self.open_line)
        self.opener = ScreenOpener(self, self.paging.load_next)
        self.id_line = IdLine(self, self.open_line, self.opener.by_id)
        self.limit_line = LimitLine(self, self.limit_choice, self.open_line)

    @property
    def selected_pet(self) -> Pet | None:
        """The animal under the cursor; None on an unreadable row."""
        return self.table.highlighted_pet

    def cut_sections(self) -> list[Section]:
        """Return the full texts that are cut, in the open line too."""
        lines = (self.open_line, self.transfers)
        return [*super().cut_sections(), *(each for line in lines for each in line.cut_sections())]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is something to open, import or undo."""
        if action == "open":
            return self.table.highlighted is not None
        if action == "import_file":
            return self.session.open_journal is not None and not self.session.is_read_only
        is_offered = super().check_action(action, parameters)
        return is_offered or (action == "put_away" and self._has_more_to_undo)

    @property
    def _has_more_to_undo(self) -> bool:
        """Whether Esc undoes something that only the list has."""
        return (
            self.open_line.owner is not None
            or self.transfers.is_export_open
            or self.find_line.is_on
            or self.marked.count > 0
            or self.notice_bar.display
        )

    async def action_put_away(self) -> None:
        """Undo one thing: the request, the line, the find, the marks, the banner, the notices."""
        if self.request.busy_text:
            if not self._stop_paging():
                await super().action_put_away()
        elif self.open_line.owner is not None:
            await self.open_line.owner.line_closed()
        elif self.transfers.is_export_open:
            await self.transfers.close_export()
        elif self.find_line.is_on:
            self.find_line.clear()
        elif self.marked.count:
            self._unmark_all()
        elif self.error_banner.failure is not None:
            await super().action_put_away()
            self.loader.give_up()  # the banner offered to retry it
            self.update_status()
        else:
            self.session.greeting = ""
            self.notice_bar.put_away()
            self.refresh_bindings()

    def _stop_paging(self) -> bool:
        """Stop loading all pages; False if something else is loading."""
        if loaded := self.paging.stop():
            self.automatic.watch(self.automatic.every)  # M may have cancelled its request
            self.show_remark("  ".join([f"stopped after {loaded}", *hints(CONTINUES, self)]))
        return bool(loaded)

    # Find and sort

    async def action_find(self) -> None:
        """Open the find line; it is ready for the next key when this returns."""
        await self.find_line.open()

    async def on_prompt_line_changed(self, message: PromptLine.Changed) -> None:
        """Handle each letter."""
        await self.open_line.changed(message.text)

    async def on_prompt_line_submitted(self, message: PromptLine.Submitted) -> None:
        """Use the text."""
        await self.open_line.submitted(message.text)

    async def on_prompt_line_closed(self) -> None:
        """Undo one thing, as Esc does outside the line."""
        await self.action_put_away()

    def update_status(self) -> None:
        """Update the find and export lines too."""
        super().update_status()
        self.find_line.show_count()
        self.transfers.rows_changed()

    def action_sort(self) -> None:
        """Sort by the next column; after the last one, not at all."""
        self.row_order.sort_by_next()

    def action_reverse_order(self) -> None:
        """Reverse the order."""
        self.show_remark(self.row_order.reverse())

    def on_pet_table_header_clicked(self, message: PetTable.HeaderClicked) -> None:
        """Sort by the column, or reverse it."""
        self.row_order.sort_by(message.column)

    def action_next_mark(self, step: int) -> None:
        """Go to the next or previous row that is new or changed."""
        self.show_remark(self.row_order.go_to_mark(step))

    # What is loaded

    def action_filter(self, status: str) -> None:
        """Show the animals of one status, or all."""
        self.loader.show_status(status or None, self.limit_choice.limit)

    def on_status_tabs_picked(self, message: StatusTabs.Picked) -> None:
        """Show the animals of the clicked status."""
        self.action_filter(message.status or "")

    def action_change_limit(self, by: int) -> None:
        """Choose a larger or smaller limit."""
        self.limit_choice.step(by)

    def action_watch(self) -> None:
        """Turn automatic refreshing on or off."""
        self.show_remark(self.watching.toggle())

    async def action_set_limit(self) -> None:
        """Open the prompt for a limit."""
        await self.limit_line.open()

    async def action_go_to(self) -> None:
        """Open the prompt for an id."""
        await self.id_line.open()

    def action_more(self) -> None:
        """Load the next page, or with a larger limit."""
        self.paging.more()

    def on_pet_table_past_end(self, message: PetTable.PastEnd) -> None:
        """Load more, if there is more."""
        self.paging.move_past_end(message.rows)

    def action_all_pages(self) -> None:
        """Load all pages, one after the other."""
        self.paging.load_all()

    async def action_add(self) -> None:
        """Open the form; it is ready for the next key when this returns."""
        await self.opener.form()

    async def action_outbox(self) -> None:
        """Open the outbox."""
        await self.opener.outbox()

    # Marks, export and import

    @property
    def chosen(self) -> Sequence[Pet]:
        """The marked animals, or else the one under the cursor."""
        return self.marked.in_order(self.shown) or super().chosen

    @property
    def not_shown_text(self) -> str:
        """How many of the chosen animals are not on the screen; "" for none."""
        return not_shown_text(self.marked.hidden(self.shown))

    def action_mark(self) -> None:
        """Mark or unmark the animal under the cursor, and move to the next row."""
        pet = self.table.highlighted_pet
        if pet is None:
            self.show_remark("there is no animal here to mark")
            return
        self.marked.toggle(pet)
        self._show_marked()
        self.table.cursor += 1

    def _unmark_all(self) -> None:
        """Remove all marks, and say how many there were."""
        count = self.marked.clear()
        self._show_marked("1 mark removed" if count == 1 else f"{count:,} marks removed")

    def _show_marked(self, remark: str = "") -> None:
        self.table.show_selected(self.marked.ids)
        self.show_remark(remark)
        self.refresh_bindings()

    async def action_export(self) -> None:
        """Open the export line."""
        await self.transfers.open_export()

    async def action_import_file(self) -> None:
        """Open the prompt for a file to import."""
        await self.transfers.open_import()

    async def action_receipt(self) -> None:
        """Show what was added in this session."""
        await self.opener.receipt()

    async def action_open(self) -> None:
        """Open the row under the cursor."""
        await self.opener.row()

    async def on_pet_table_opened(self) -> None:
        """Open the animal that was double-clicked."""
        await self.action_open()
