"""PetListScreen: the home screen, the animals that the service lists."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from pettui.client import NoAnswerError, PetClientError
from pettui.outbox.entries import EntryState
from pettui.settings import LIMIT_MAXIMUM, LIMIT_MINIMUM
from pettui.tui.key_guide import key_of, with_keys
from pettui.tui.listing import Listing, Question, listing_of
from pettui.tui.listing_facts import (
    counts_of,
    empty_text,
    facts_of,
    notices_of,
    question_text,
)
from pettui.tui.loading import load_pages
from pettui.tui.preloading import preload
from pettui.tui.screens.store_screen import StoreScreen
from pettui.tui.widgets.pet_facts import PetFacts
from pettui.tui.widgets.pet_table import PetTable
from pettui.tui.widgets.status_line import StatusLine
from pettui.tui.widgets.status_tabs import StatusTabs

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from pettui.client import PetPage
    from pettui.tui.messages import EntryChanged
    from pettui.tui.session import Session
    from pettui.tui.widgets.error_strip import Failure

LIMIT_PAUSE = 0.15  # seconds after the last + or - before the service is asked


class PetListScreen(StoreScreen[None]):
    """Tabs, table, preview; one question is out at a time, and only its answer is shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", "Add", id="add"),
        Binding("enter", "open", "Open", id="open"),
        Binding("m", "more", "More", id="more"),
        Binding("o", "outbox", "Outbox", id="outbox"),
        Binding("1", "filter('')", "Show all", show=False, id="filter_all"),
        Binding("2", "filter('available')", "Show available", show=False, id="filter_available"),
        Binding("3", "filter('pending')", "Show pending", show=False, id="filter_pending"),
        Binding("4", "filter('sold')", "Show sold", show=False, id="filter_sold"),
        Binding("plus", "change_limit(1)", "Larger limit", show=False, id="limit_up"),
        Binding("minus", "change_limit(-1)", "Smaller limit", show=False, id="limit_down"),
        Binding("r,f5", "refresh", "Refresh", id="refresh"),
        Binding("colon", "app.commands", "Commands", id="commands"),
        Binding("f1,question_mark", "app.help", "Help", id="help"),
        Binding("q", "app.quit", "Quit", id="quit"),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.question = Question(None, session.settings.limit)
        self.listing: Listing | None = None
        self.remark = ""  # said once, until the next question
        self.table = PetTable(session.look, session.category_name)
        self.tabs = StatusTabs(session.look)
        self.preview = PetFacts(session.look, session.category_name, id="preview")
        self.status_line = StatusLine(session.look)
        self.is_stale = False  # what is shown is older than a question that failed
        self._was_away = False  # the last question got no answer at all
        self._added_seen = 0

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.tabs
        yield self.strip
        yield self.notice_bar
        with Horizontal(id="panes"):
            yield self.table
            yield self.preview
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Say what the profile warns of, and ask for the first animals."""
        self.table.focus()
        self._show_listing()
        self._ask(self.question)

    def on_screen_resume(self) -> None:
        """Show what happened meanwhile."""
        self._catch_up()

    # What is asked

    def _ask(
        self, question: Question, so_far: tuple[PetPage, ...] = (), *, after: float = 0
    ) -> None:
        self.question = question
        self.remark = ""
        self.tabs.active = question.status
        self.show_facts()
        self.ask(self._load_pets, question, so_far, after)

    async def _load_pets(
        self, question: Question, so_far: tuple[PetPage, ...], after: float
    ) -> None:
        """Ask for the pages that are not there yet, and show all of them at once."""
        await asyncio.sleep(after)
        added = self.session.added
        try:
            with self.waiting(question_text(question, has_pages=bool(so_far))):
                pages = await load_pages(self.session.client, question, so_far, self.pause)
        except PetClientError as error:
            self.show_failure(error)
            return
        self._show(question, pages)
        if not so_far:
            self._added_seen = added
        self.call_later(self._catch_up)

    def _catch_up(self) -> None:
        """Ask again when animals were added since the list was asked for."""
        if self.is_on_top and self._added_seen != self.session.added:
            self.action_refresh()

    def show_failure(self, error: PetClientError | Failure) -> None:
        """Put a failure on the strip; the rows stay, marked as of their time."""
        super().show_failure(error)
        self.is_stale = True
        self._was_away = isinstance(error, NoAnswerError)
        self._show_listing()

    def _show(self, question: Question, pages: tuple[PetPage, ...]) -> None:
        before = self.listing
        now = self.session.clock.now()
        self.question = question
        self.listing = listing_of(question, pages, now, before)
        self.clear_failure()
        if self._was_away:
            self.remark = "the service answers again"
        self.is_stale = self._was_away = False
        if before is None:
            # Not before these rows are drawn: the thread would take turns with the drawing.
            self.call_after_refresh(self.app.run_worker, preload, group="preload")
        self.session.outbox.saw(pet.id for pet in self.listing.pets)
        self.table.show_rows(self.listing.rows, from_top=before is None)
        self._show_listing()

    # What is shown

    def _show_listing(self) -> None:
        listing = self.listing
        self.table.empty_text = with_keys(empty_text(listing, self.is_stale), self)
        self.table.stale = listing is not None and self.is_stale
        if listing is not None:
            self.header.age = self.session.age(listing.answered_at, listing.elapsed)
        today = self.session.clock.now().date()
        warnings = (*self.warnings, *self.session.settings.profile.warnings)
        self.notice_bar.notices = (*warnings, *notices_of(listing, today))
        self.preview.source = (
            f"from the list, {listing.answered_at:%H:%M:%S}" if listing is not None else ""
        )
        self.show_facts()

    def show_facts(self) -> None:
        """Say what is shown, what is waited for, and what was added."""
        self.status_line.facts = facts_of(
            self.session.look,
            self.question,
            self.listing,
            waiting_for=self.waiting_for,
            remark=self.remark,
            is_stale=self.is_stale,
            more_key=key_of(self, "more"),
        )
        self.status_line.counts = counts_of(self.session)

    def on_pet_table_highlighted(self, message: PetTable.Highlighted) -> None:
        """Show the animal under the cursor in the preview."""
        self.preview.row = message.row

    # Keys

    def action_refresh(self) -> None:
        """Ask again what is shown, or what failed."""
        self._ask(self.question)

    def action_filter(self, status: str) -> None:
        """Ask for the animals of one status, or of all."""
        self._ask(Question(status or None, self.question.limit))

    def on_status_tabs_picked(self, message: StatusTabs.Picked) -> None:
        """Ask for the animals of the clicked status."""
        self.action_filter(message.status or "")

    def action_change_limit(self, by: int) -> None:
        """Set the limit, and ask when the keys rest."""
        limit = max(LIMIT_MINIMUM, min(self.question.limit + by, LIMIT_MAXIMUM))
        if limit != self.question.limit:
            self._ask(Question(self.question.status, limit), after=LIMIT_PAUSE)

    def action_more(self) -> None:
        """Show more: the page that the service links, or a larger limit."""
        listing, question = self.listing, self.question
        next_page = replace(question, pages=question.pages + 1)
        if listing is None or listing.question.status != question.status:
            self._ask(next_page)  # of what is asked for now, and not of what is shown
        elif listing.has_next_link:
            is_same = listing.question.limit == question.limit
            self._ask(next_page, listing.pages if is_same else ())
        elif (limit := listing.larger_limit(question.limit)) is not None:
            self._ask(Question(question.status, limit))
        elif not listing.is_at_maximum:
            self.remark = "that is all that the service lists"
            self.show_facts()

    async def action_add(self) -> None:
        """Open the form. It is there when this returns: the next key is typed into it."""
        from pettui.tui.screens.pet_create import PetCreateScreen  # noqa: PLC0415 - not for the first frame

        pets = self.listing.pets if self.listing else ()
        await self.app.push_screen(PetCreateScreen(self.session, pets))

    async def action_outbox(self) -> None:
        """Show all entries; one that is taken out there stands in the form."""

        from pettui.tui.screens.outbox import OutboxScreen  # noqa: PLC0415 - not for the first frame

        async def mend(mended: bool | None) -> None:
            if mended:
                await self.action_add()

        await self.app.push_screen(OutboxScreen(self.session), mend)

    async def action_open(self) -> None:
        """Open the animal under the cursor; where it is closed the cursor follows."""
        from pettui.tui.screens.pet_detail import PetDetailScreen  # noqa: PLC0415 - not for the first frame

        listing, row = self.listing, self.table.highlighted
        if listing is None or row is None:
            return
        pet = row.pet
        if pet is None:
            self.remark = "this row could not be read as an animal"
            self.show_facts()
            return
        place = next(i for i, each in enumerate(listing.pets) if each is pet)
        screen = PetDetailScreen(self.session, listing.pets, place, listing.answered_at)
        await self.app.push_screen(screen, self._follow)

    async def on_pet_table_opened(self) -> None:
        """Open the animal that was clicked twice."""
        await self.action_open()

    def _follow(self, pet_id: int | None) -> None:
        if pet_id is not None:
            self.table.go_to(pet_id)

    def on_entry_changed(self, message: EntryChanged) -> None:
        """Count, and show an animal that was just added."""
        self.show_facts()
        if message.entry.state is EntryState.ADDED:
            self._catch_up()
