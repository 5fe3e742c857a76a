"""ReceiptScreen: the animals that were added on a day, from wherever, and their totals."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import on
from textual.containers import Container
from textual.events import Mount

from pettui.keyboard import actions
from pettui.outbox.entries import EntryState, OutboxError
from pettui.outbox.receipts import Added, DayReceipt, today
from pettui.rows.shown import RowView, pets_of, shown_rows
from pettui.transfer.writing import FileFormat, export_name
from pettui.tui.detail.marked import MarkedPets, Targets
from pettui.tui.detail.pet_screen import PetScreen
from pettui.tui.list.listing import NO_MARKS
from pettui.tui.list.marking import MarksRows
from pettui.tui.list.pet_table import PetTable
from pettui.tui.list.totals import Totals
from pettui.tui.session.counts import totals_of
from pettui.tui.session.session import EntryChanged, UserSession
from pettui.tui.session.wording import RECEIPT, RECEIPT_NOT_READ, counts_of, undecided_texts
from pettui.tui.transfer.selection import Scope, Selection
from pettui.tui.widgets.bindings import bindings, hints

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from pettui.models.pets import Pet
    from pettui.tui.widgets.runs import StyledText

TIME, SOURCE = "time", "from"  # further columns, and fields of an export
DISK_SECONDS: Final = 2.0  # for which a key waits for what is kept
NO_EARLIER: Final = "nothing is kept of an earlier day"
NO_LATER: Final = "that is today"


class ReceiptScreen(PetScreen[None], MarksRows):
    """The newest animals come first; those added meanwhile appear too."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.RECEIPT_PETS, earlier_day="go_to_day(-1)", later_day="go_to_day(1)"
    )
    TITLE_TEXT = RECEIPT.capitalize()
    STOPS: ClassVar[str] = "close"
    RUNS_COMMANDS = True

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.marked = MarkedPets()
        self.table = PetTable(session, self.request, self.marked)
        self.table.tells_cursor = True
        self.exported = self
        self.totals = Totals(session)
        self.cutting += (self.totals,)
        self._receipt = DayReceipt(today(session.clock.zone), (), {})
        self._days: Sequence[date] = ()  # of which something is kept

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

    @on(Mount)
    async def show_today(self) -> None:
        """Show what has been added today so far."""
        self.table.focus()
        self.notice_bar.show((), ())
        await self._load(self._receipt.day)

    async def _load(self, day: date) -> None:
        """Read what was added on a day, and show it, or why it cannot be read."""
        receipts, thread = self.session.outbox.receipts, self.session.outbox.store_thread
        zone = self.session.clock.zone
        try:
            async with asyncio.timeout(DISK_SECONDS):
                self._days = await thread.run(receipts.days, zone)
                self._receipt = await thread.run(receipts.of, day, zone)
        except OutboxError as error:
            self.error_banner.show_problem(RECEIPT_NOT_READ, str(error))
        except TimeoutError:
            self.error_banner.show_problem(RECEIPT_NOT_READ, "the disk does not respond")
        self._show_receipt()

    def _show_receipt(self) -> None:
        added = self._receipt.added[::-1]
        rows = [*map(self._row, added)]
        shown = shown_rows(rows, RowView(), self.session.category_name)
        self.table.show_rows(shown, NO_MARKS)
        self.totals.totals = totals_of(self._receipt.counts)
        self.changed()

    def _row(self, added: Added) -> Pet:
        at = datetime.fromtimestamp(added.at, self.session.clock.zone)
        pet = self.session.receipt.pet_of(added.key) or added.pet  # exactly as it was received
        others = {TIME: f"{at:%H:%M:%S}", SOURCE: added.source, **pet.others}
        return _with_others(pet, others)

    @on(EntryChanged)
    async def _show_what_came(self, message: EntryChanged) -> None:
        if message.entry.state is EntryState.ADDED:
            await self._load(self._receipt.day)

    def draw(self) -> None:
        """Draw what was added when, and how many are not added yet."""
        added, shown = self._receipt.total, len(self.table.rows)
        when = self._when
        texts: list[StyledText] = [(self.remark, "notice")] if self.remark else []
        if self.marked.count:
            texts.append((f"{self.marked.count:,} marked", "accent"))
        zone = f" ({self.session.clock.now():%Z})" if self.session.names_zone else ""
        texts.append((f"{added:,} added {when}{zone}", "strong"))
        if shown < added:
            texts.append((f"showing the newest {shown:,}", "notice"))
        pet = self.table.highlighted_pet
        if pet is not None and not {TIME, SOURCE} <= self.table.fields_in_row():
            texts.append((f"{pet.others[TIME]} {pet.others[SOURCE]}", "muted"))
        self.status_line.texts = tuple(texts)
        self.status_line.keys = self.short_keys()
        is_first = self._neighbour(-1) is None
        key = [] if is_first else hints("{earlier_day} shows the day before.", self)
        self.table.empty_text = "  ".join([f"Nothing was added {when}.", *key])
        outbox = self.session.outbox
        self.status_line.counts = counts_of(outbox)
        self.status_line.undecided = undecided_texts(
            self.session.glyphs, outbox, self.session.open_imports.all
        )

    @property
    def _when(self) -> str:
        """When that was, in words."""
        day, now = self._receipt.day, today(self.session.clock.zone)
        if day == now:
            return "today"
        if day == now - timedelta(days=1):
            return "yesterday"
        return f"on {day.day} {day:%B}" + ("" if day.year == now.year else f" {day.year}")

    # Days

    def _neighbour(self, step: int) -> date | None:
        """Return the next day before or after of which something is kept, or today."""
        days = sorted({*self._days, today(self.session.clock.zone)})
        here = self._receipt.day
        others = [day for day in days if (day < here if step < 0 else day > here)]
        return others[-1 if step < 0 else 0] if others else None

    async def action_go_to_day(self, step: int) -> None:
        """Show the day before or after."""
        if (day := self._neighbour(step)) is None:
            self.remark = NO_EARLIER if step < 0 else NO_LATER
            return
        self.end_range()
        self.marked.clear()
        await self._load(day)

    # Marks, and what is done with the animals

    def rows_changed(self, remark: str | None) -> None:
        """Show what follows from other marks."""
        self.remark = self.remark if remark is None else remark
        self.changed()

    def follow_cursor(self) -> None:
        """Nothing follows: the table always tells where its cursor is."""

    def on_row_table_highlighted(self) -> None:
        """Let a range go with the cursor, and say when its animal was added."""
        self.extend_range()
        self.changed()

    @property
    def target(self) -> Pet | None:
        """The animal under the cursor."""
        pet = self.table.highlighted_pet
        return None if pet is None else _as_added(pet)

    @property
    def targets(self) -> Targets:
        """The marked animals, or else the one under the cursor."""
        marked = self.marked.in_order(self.table.shown)
        return Targets(tuple(map(_as_added, marked))) if marked else super().targets

    scopes = MappingProxyType({Scope.SHOWN: "as shown"})  # which is all of them, or what is marked

    def selection(self, scope: Scope) -> Selection:  # noqa: ARG002
        """Return the animals to export, with their times and sources."""
        name = export_name("added", self._receipt.day, FileFormat.CSV)
        if marked := self.marked.in_order(self.table.shown):
            return Selection(marked, "marked", name, not_shown=0)
        return Selection(self.table.rows, f"added {self._when}", name)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is an animal to open, copy or export, or another day."""
        if action in actions.NEED_ANIMALS or action == "export":
            return self.target is not None
        return super().check_action(action, parameters)

    async def action_open(self) -> None:
        """Open the animal under the cursor; its neighbours are the others."""
        from pettui.tui.detail.pet_detail import PetDetailScreen  # in a circle

        rows = pets_of(self.table.rows)
        if not rows:
            return
        pets = tuple(map(_as_added, rows))
        now = self.session.clock.now()
        await self.app.push_screen(
            PetDetailScreen(self.session, pets, self.table.cursor, now, f"the {RECEIPT}"),
            self.table.follow,
        )

    async def on_row_table_opened(self) -> None:
        """Open the animal that was double-clicked."""
        await self.action_open()

    def action_refresh(self) -> None:
        """Send waiting entries now."""
        self.error_banner.close()
        self.session.outbox.sending.resume()

    async def action_close(self) -> None:
        """Close the line, end a range, take the marks or the banner away, or go back."""
        if (line := self.prompt.line) is not None:
            await line.undo()
        elif self.marked.has_range:
            self.end_range(keeps=False)
        elif self.marked.count:
            self.clear_marks()
        elif self.error_banner.failure is not None:
            self.error_banner.close()
        else:
            self.dismiss(None)


def _as_added(row: Pet) -> Pet:
    """Return an animal without its time and source."""
    others = {name: value for name, value in row.others.items() if name not in (TIME, SOURCE)}
    return _with_others(row, others)


def _with_others(pet: Pet, others: Mapping[str, Any]) -> Pet:
    """Return an animal with these other fields, which is written as it was received."""
    made = replace(pet, others=others)
    return made if pet.json is None else made.received_as(pet.json)
