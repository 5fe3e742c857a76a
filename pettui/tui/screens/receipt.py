"""ReceiptScreen: the animals that were added in this session, and their totals."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Container

from pettui import actions
from pettui.client import UnreadablePet
from pettui.tui.exports import Selection
from pettui.tui.keys.bindings import bindings
from pettui.tui.rows.merging import NO_MARKS
from pettui.tui.rows.row_view import RowView
from pettui.tui.rows.shown_rows import shown_rows
from pettui.tui.screens.exporting.pet_export import PetExport
from pettui.tui.screens.selected_pet_screen import PetScreen
from pettui.tui.widgets.pet_table import PetTable
from pettui.tui.widgets.totals import Totals
from pettui.tui.wording.listing_texts import not_added_counts

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from pettui.models import Pet
    from pettui.tui.messages import EntryChanged
    from pettui.tui.user_session import UserSession
    from pettui.tui.wording.text_runs import Fact, Section

EMPTY = "Nothing was added in this session yet."


class ReceiptScreen(PetScreen[None]):
    """The animals that were added last come first; what is added meanwhile joins them."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.RECEIPT_PETS)
    TITLE_TEXT = "Receipt"
    STOPS: ClassVar[str] = "close"

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.table = PetTable(session.look, session.category_name, lambda: False)
        self.totals = Totals(session.look, session.category_name)
        self.export = PetExport(self, self, self.table)

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.strip
        yield self.notice_bar
        with Container(id="receipt"):
            yield self.table
            yield self.totals
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Show what was added until now."""
        self.table.focus()
        self.table.empty_text = EMPTY
        self.notice_bar.give(self.warnings, ())
        self._show_receipt()

    def _show_receipt(self) -> None:
        receipt = self.session.receipt
        name = self.session.category_name
        shown = shown_rows(receipt.pets, RowView(), name, self.table.shown)
        self.table.show_rows(shown, NO_MARKS)
        self.totals.totals = receipt.totals
        self.show_facts()
        self.refresh_bindings()

    def show_facts(self) -> None:
        """Say how many there are, and what is not added yet."""
        added, shown = self.session.receipt.count, len(self.table.rows)
        facts: list[Fact] = [(self.remark, "notice")] if self.remark else []
        facts.append((f"{added:,} added this session", "strong", f"{added:,} added"))
        if shown < added:
            facts.append((f"the newest {shown:,} are shown", "notice"))
        self.status_line.facts = tuple(facts)
        self.status_line.keys = self.short_keys()
        self.status_line.counts = not_added_counts(self.session.outbox)

    def on_entry_changed(self, message: EntryChanged) -> None:  # noqa: ARG002
        """Show what was added just now."""
        if len(self.session.receipt.pets) != len(self.table.rows):
            self._show_receipt()
            self.export.show_rows()
        else:
            self.show_facts()

    def cut_sections(self) -> list[Section]:
        """Return what is cut, of the totals and the line too."""
        sections = (self.totals.cut_sections(), self.export.cut_sections())
        return [*super().cut_sections(), *chain(*sections)]

    @property
    def pointed_at(self) -> Pet | None:
        """The animal under the cursor."""
        row = self.table.highlighted
        return None if isinstance(row, UnreadablePet) else row

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to open or copy what there is."""
        if action in ("open", "copy_id", "copy_json", "export"):
            return self.pointed_at is not None
        return super().check_action(action, parameters)

    async def action_open(self) -> None:
        """Open the animal under the cursor; from it the others."""
        from pettui.tui.screens.pet_detail import PetDetailScreen  # in a circle

        pets, pet = self.session.receipt.pets, self.pointed_at
        if pet is None:
            return
        index = next(index for index, each in enumerate(pets) if each is pet)
        now = self.session.clock.now()
        await self.app.push_screen(
            PetDetailScreen(self.session, pets, index, now, "the receipt"), self._follow
        )

    def _follow(self, pet_id: int | None) -> None:
        if pet_id is not None:
            self.table.go_to(pet_id)

    # Taking away

    @property
    def export_name(self) -> str:
        """The usual name of a file with them."""
        return f"pets-added-{self.session.clock.now().date().isoformat()}.csv"

    def selection(self, *, is_everything: bool) -> Selection:  # noqa: ARG002
        """Return all that was added."""
        return Selection(self.session.receipt.pets, "added this session")

    @property
    def everything(self) -> str:
        """What others there are than those: none."""
        return ""

    async def load_rest(self) -> bool:
        """Load nothing: all are there."""
        return True

    async def action_export(self) -> None:
        """Ask where to, and take the animals away."""
        await self.export.open()

    async def on_pet_table_opened(self) -> None:
        """Open the animal that was clicked twice."""
        await self.action_open()

    def action_refresh(self) -> None:
        """Send what waits for the service now."""
        self.clear_failure()
        self.session.outbox.delivery.resume()

    async def action_close(self) -> None:
        """Close the line, put the error away, or go back."""
        if self.export.is_open:
            await self.export.closed()
        elif self.strip.failure is not None:
            self.clear_failure()
        else:
            self.dismiss(None)
