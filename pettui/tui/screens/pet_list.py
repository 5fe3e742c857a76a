"""PetListScreen: the home screen, with the animals that the service lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui import actions
from pettui.tui.keys.bindings import bindings
from pettui.tui.lists.listing import ListQuery
from pettui.tui.screens.browsing.find_line import FindLine
from pettui.tui.screens.browsing.id_line import IdLine
from pettui.tui.screens.browsing.limit_choice import LimitLine
from pettui.tui.screens.browsing.open_line import OpenLine
from pettui.tui.screens.browsing.row_order import RowOrder
from pettui.tui.screens.browsing.screen_opener import ScreenOpener
from pettui.tui.screens.escape_key import EscapeKey
from pettui.tui.screens.list_transfers import ListTransfers
from pettui.tui.screens.listing_screen import ListingScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.models import Pet
    from pettui.tui.user_session import UserSession
    from pettui.tui.widgets.bars.status_tabs import StatusTabs
    from pettui.tui.widgets.pet_table import PetTable
    from pettui.tui.widgets.prompts.prompt_line import PromptLine
    from pettui.tui.wording.text_runs import Section


class PetListScreen(ListingScreen):
    """What the keys and the mouse do with the list."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_LIST,
        add=("add", "explain_read_only"),
        take_back=("take_back", "explain_too_late"),
        filter_all="filter('')",
        filter_available="filter('available')",
        filter_pending="filter('pending')",
        filter_sold="filter('sold')",
        next_mark="next_mark(1)",
        previous_mark="next_mark(-1)",
        limit_up="change_limit(1)",
        limit_down="change_limit(-1)",
    )

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.open_line = OpenLine(self, above=self.status_line, then=self.table)
        self.row_order = RowOrder(self)
        self.find_line = FindLine(self, self.open_line)
        self.transfers = ListTransfers(self, self.open_line)
        self.escape_key = EscapeKey(self, self.open_line, self.find_line, self.transfers)
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
        return is_offered or (action == "put_away" and self.escape_key.is_offered)

    async def action_put_away(self) -> None:
        """Undo one thing: the request, the line, the find, the marks, the banner, the notices."""
        if not await self.escape_key.undo():
            await super().action_put_away()

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
        """Load the animals of one status, or all."""
        self.loader.load(ListQuery(status or None, self.limit_choice.limit))

    def on_status_tabs_picked(self, message: StatusTabs.Picked) -> None:
        """Load the animals of the clicked status."""
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
        return self.marked.pets or super().chosen

    def action_mark(self) -> None:
        """Mark or unmark the animal under the cursor."""
        self.marked.toggle()

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
