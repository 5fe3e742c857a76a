"""PetListScreen: the home screen, the animals that the service lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui import actions
from pettui.client import UnreadablePet
from pettui.tui.keys.bindings import bindings
from pettui.tui.lists.listing import ListQuery
from pettui.tui.screens.browsing.arranging import Arranging
from pettui.tui.screens.browsing.find_line import FindLine
from pettui.tui.screens.browsing.going_to import GoingTo
from pettui.tui.screens.browsing.limit_choice import LimitLine
from pettui.tui.screens.browsing.open_line import OpenLine
from pettui.tui.screens.browsing.screen_opening import ScreenOpening
from pettui.tui.screens.list_transfers import ListTransfers
from pettui.tui.screens.listing_screen import ListingScreen
from pettui.tui.screens.undoing import Undoing

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
        add=("add", "tell_read_only"),
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
        self.arranging = Arranging(self)
        self.finding = FindLine(self, self.open_line)
        self.transfers = ListTransfers(self, self.open_line)
        self.undoing = Undoing(self, self.open_line, self.finding, self.transfers)
        self.opening = ScreenOpening(self, self.paging.load_next)
        self.going_to = GoingTo(self, self.open_line, self.opening.by_id)
        self.limit_line = LimitLine(self, self.limit_choice, self.open_line)

    @property
    def pointed_at(self) -> Pet | None:
        """Give the animal under the cursor; None on a row that is none."""
        row = self.table.highlighted
        return None if isinstance(row, UnreadablePet) else row

    def on_pet_table_highlighted(self, message: PetTable.Highlighted) -> None:
        """Show the animal under the cursor in the preview."""
        self.preview.element = message.element

    def cut_sections(self) -> list[Section]:
        """Return what is cut, of a line that is open too."""
        lines = (self.open_line, self.transfers)
        return [*super().cut_sections(), *(each for line in lines for each in line.cut_sections())]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to open what there is, and to undo what can be undone."""
        if action == "open":
            return self.table.highlighted is not None
        if action == "import_file":
            return self.session.open_journal is not None and not self.session.is_read_only
        is_offered = super().check_action(action, parameters)
        return is_offered or (action == "put_away" and self.undoing.is_offered)

    async def action_put_away(self) -> None:
        """Undo one thing: the request, the line, the find, the marks, the banner, the notices."""
        if not await self.undoing.undo():
            await super().action_put_away()

    # Find and sort

    async def action_find(self) -> None:
        """Open the line that narrows the rows. What is typed next goes there."""
        await self.finding.open()

    async def on_prompt_line_changed(self, message: PromptLine.Changed) -> None:
        """Do what the line is for at each letter."""
        if self.open_line.owner is not None:
            await self.open_line.owner.line_changed(message.text)

    async def on_prompt_line_submitted(self, message: PromptLine.Submitted) -> None:
        """Take what was typed."""
        if self.open_line.owner is not None:
            await self.open_line.owner.line_submitted(message.text)

    async def on_prompt_line_closed(self) -> None:
        """Undo one thing, as Esc does outside of the line."""
        await self.action_put_away()

    def show_facts(self) -> None:
        """Say in the lines, too, how many rows were found, and which are taken away."""
        super().show_facts()
        self.finding.show_count()
        self.transfers.rows_changed()

    def action_sort(self) -> None:
        """Sort by the next column; past the last, by none."""
        self.arranging.sort_by_next()

    def action_turn_round(self) -> None:
        """Turn the order round."""
        self.tell_remark(self.arranging.turn_round())

    def on_pet_table_head_clicked(self, message: PetTable.HeadClicked) -> None:
        """Sort by the column, or turn it round."""
        self.arranging.sort_by(message.column)

    def action_next_mark(self, step: int) -> None:
        """Go to the next row that is new or changed, or to the one before."""
        self.tell_remark(self.arranging.go_to_mark(step))

    # What is asked

    def action_filter(self, status: str) -> None:
        """Ask for the animals of one status, or of all."""
        self.loader.ask_for(ListQuery(status or None, self.limit_choice.limit))

    def on_status_tabs_picked(self, message: StatusTabs.Picked) -> None:
        """Ask for the animals of the clicked status."""
        self.action_filter(message.status or "")

    def action_change_limit(self, by: int) -> None:
        """Ask for more or fewer at once."""
        self.limit_choice.step(by)

    def action_watch(self) -> None:
        """Refresh by itself from now on, or no more."""
        self.tell_remark(self.watching.toggle())

    async def action_set_limit(self) -> None:
        """Open the line that a limit is typed in."""
        await self.limit_line.open()

    async def action_go_to(self) -> None:
        """Open the line that an id is typed in."""
        await self.going_to.open()

    def action_more(self) -> None:
        """Show more: the page that the service links, or a larger limit."""
        self.paging.more()

    def on_pet_table_past_end(self, message: PetTable.PastEnd) -> None:
        """Show more, where there is more."""
        self.paging.move_past_end(message.rows)

    def action_all_pages(self) -> None:
        """Load all pages, one after the other."""
        self.paging.load_all()

    async def action_add(self) -> None:
        """Open the form. It is there when this returns: the next key is typed into it."""
        await self.opening.form()

    async def action_outbox(self) -> None:
        """Show all entries."""
        await self.opening.outbox()

    # Taking away

    @property
    def chosen(self) -> Sequence[Pet]:
        """The marked animals; where none is, the one under the cursor."""
        return self.marked.pets or super().chosen

    def action_mark(self) -> None:
        """Mark the animal under the cursor, or no more."""
        self.marked.toggle()

    async def action_export(self) -> None:
        """Ask where to, and take the rows away."""
        await self.transfers.open_export()

    async def action_import_file(self) -> None:
        """Ask for a file, and add its animals."""
        await self.transfers.open_import()

    async def action_receipt(self) -> None:
        """Show what was added in this session."""
        await self.opening.receipt()

    async def action_open(self) -> None:
        """Open the row under the cursor."""
        await self.opening.row()

    async def on_pet_table_opened(self) -> None:
        """Open the animal that was clicked twice."""
        await self.action_open()
