"""ReceiptScreen: the animals that were added in this session, and their totals."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Container

from pettui.keyboard import actions
from pettui.rows.shown import RowView, shown_rows
from pettui.transfer.writing import FileFormat, export_name
from pettui.tui.detail.pet_screen import PetScreen
from pettui.tui.list.listing import NO_MARKS
from pettui.tui.list.pet_table import PetTable
from pettui.tui.list.totals import Totals
from pettui.tui.session.wording import counts_of, undecided_texts
from pettui.tui.transfer.selection import Scope, Selection
from pettui.tui.widgets.bindings import bindings

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from pettui.models.pets import Pet
    from pettui.tui.session.session import UserSession
    from pettui.tui.widgets.runs import StyledText

EMPTY = "Nothing has been added in this session."


class ReceiptRows:
    """All that was added, to be exported."""

    def __init__(self, session: UserSession) -> None:
        self._session = session
        self.scopes = MappingProxyType({Scope.SHOWN: "as shown"})  # which is all of them

    def selection(self, scope: Scope) -> Selection:  # noqa: ARG002
        """Return them."""
        name = export_name("added", self._session.clock.now().date(), FileFormat.CSV)
        return Selection(self._session.receipt.pets, "added this session", name)


class ReceiptScreen(PetScreen[None]):
    """The newest animals come first; those added meanwhile appear too."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.RECEIPT_PETS)
    PLACE = "in the receipt"
    TITLE_TEXT = "Receipt"
    STOPS: ClassVar[str] = "close"

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.table = PetTable(session, self.request)
        self.exported = ReceiptRows(session)
        self.totals = Totals(session)
        self.cutting += (self.totals,)

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.error_banner
        yield self.notice_bar
        with Container(id="receipt"):
            yield self.table
            yield self.totals
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Show what has been added so far."""
        self.table.focus()
        self.table.empty_text = EMPTY
        self.notice_bar.show(self.warnings, ())
        self._show_receipt()

    def _show_receipt(self) -> None:
        receipt = self.session.receipt
        name = self.session.category_name
        shown = shown_rows(receipt.pets, RowView(), name, self.table.shown)
        self.table.show_rows(shown, NO_MARKS)
        self.totals.totals = receipt.totals

    def draw(self) -> None:
        """Draw what was added, and how many are not added yet."""
        if len(self.session.receipt.pets) != len(self.table.rows):
            self._show_receipt()
        added, shown = self.session.receipt.count, len(self.table.rows)
        texts: list[StyledText] = [(self.remark, "notice")] if self.remark else []
        texts.append((f"{added:,} added this session", "strong", f"{added:,} added"))
        if shown < added:
            texts.append((f"showing the newest {shown:,}", "notice"))
        self.status_line.texts = tuple(texts)
        self.status_line.keys = self.short_keys()
        outbox = self.session.outbox
        self.status_line.counts = counts_of(outbox)
        self.status_line.undecided = undecided_texts(self.session.glyphs, outbox)

    @property
    def target(self) -> Pet | None:
        """The animal under the cursor."""
        return self.table.highlighted_pet

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is an animal to open, copy or export."""
        if action in actions.NEED_ANIMALS or action == "export":
            return self.target is not None
        return super().check_action(action, parameters)

    async def action_open(self) -> None:
        """Open the animal under the cursor; its neighbours are the others."""
        from pettui.tui.detail.pet_detail import PetDetailScreen  # in a circle

        pets, pet = self.session.receipt.pets, self.target
        if pet is None:
            return
        index = next(index for index, each in enumerate(pets) if each is pet)
        now = self.session.clock.now()
        await self.app.push_screen(
            PetDetailScreen(self.session, pets, index, now, "the receipt"), self.table.follow
        )

    async def on_row_table_opened(self) -> None:
        """Open the animal that was double-clicked."""
        await self.action_open()

    def action_refresh(self) -> None:
        """Send waiting entries now."""
        self.error_banner.close()
        self.session.outbox.sending.resume()

    async def action_close(self) -> None:
        """Close the line or the banner, or go back."""
        if (line := self.prompt.line) is not None:
            await line.undo()
        elif self.error_banner.failure is not None:
            self.error_banner.close()
        else:
            self.dismiss(None)
