"""ListingScreen: asks for animals, and shows what came of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal

from pettui.client import PetClientError
from pettui.outbox import EntryState
from pettui.tui.deferred_imports import preload
from pettui.tui.keys.available_actions import hints
from pettui.tui.listing import Listing, Question, listing_of
from pettui.tui.page_loading import load_pages
from pettui.tui.screens.selected_pet_screen import PetScreen
from pettui.tui.widgets.pet_table import PetTable
from pettui.tui.widgets.pet_view import PetView
from pettui.tui.widgets.status_tabs import StatusTabs
from pettui.tui.wording.listing_texts import (
    counts_of,
    empty_text,
    facts_of,
    fitting,
    goes_on,
    question_text,
)

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from pettui.client import Notice, PetPage
    from pettui.tui.messages import EntryChanged
    from pettui.tui.user_session import UserSession
    from pettui.tui.wording.failures import Failure

EMPTY_MARGINS = 6  # cells beside what stands in place of rows, a scroll bar included


class ListingScreen(PetScreen[None]):
    """Tabs, table, preview; one question is out at a time, and only its answer is shown."""

    TELLS_ONCE: ClassVar[bool] = False  # there from the first to the last, where Esc puts it away

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.question = Question(None, session.settings.limit)
        self.listing: Listing | None = None
        self._notices: tuple[Notice, ...] = ()  # of the newest answer that had any say
        self.table = PetTable(session.look, session.category_name)
        self.tabs = StatusTabs(session.look)
        self.preview = PetView(session.look, session.category_name, id="preview")
        self.is_stale = False  # what is shown is older than a question that failed
        self._added_seen = 0
        self._is_by_hand = False  # the clerk asked for what comes next: it takes marks away

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
        self.ask_for(self.question)

    def on_screen_resume(self) -> None:
        """Show what happened meanwhile."""
        self._catch_up()

    @property
    def lines(self) -> tuple[str, ...]:
        """Give what is to be said here whatever is listed, one raw line each."""
        greeting = " ".join(hints(self.session.greeting, self))
        profile = self.session.settings.profile
        return (*filter(None, [greeting]), *self.warnings, *profile.warnings)

    # What is asked

    def ask_for(
        self, question: Question, so_far: tuple[PetPage, ...] = (), *, after: float = 0
    ) -> None:
        """Ask a question; pages of it that are there already are not asked for again.

        Args:
            question: what is asked.
            so_far: its first pages.
            after: seconds to wait for a newer question first.
        """
        self.question = question
        self.remark = ""
        self.tabs.active = question.status
        self.show_facts()
        self.request.send(self._load_pets, question, so_far, after)

    async def _load_pets(
        self, question: Question, so_far: tuple[PetPage, ...], after: float
    ) -> None:
        """Ask for the pages that are not there yet, and show all of them at once."""
        await asyncio.sleep(after)
        added = len(self.session.added_keys)
        try:
            with self.request.waiting(question_text(question, has_pages=bool(so_far))):
                pages = await load_pages(
                    self.session.client, question, so_far, self.request.count_down
                )
        except PetClientError as error:
            self.show_failure(error)
            return
        self._show(question, pages)
        if not so_far:
            self._added_seen = added
        self.call_later(self._catch_up)

    def _catch_up(self) -> None:
        """Ask again when animals were added since the list was asked for."""
        if self.is_on_top and self._added_seen != len(self.session.added_keys):
            self.ask_for(self.question)

    def show_failure(self, error: PetClientError | Failure) -> None:
        """Put a failure on the strip; the rows stay, marked as of their time."""
        super().show_failure(error)
        if isinstance(error, PetClientError):
            self._notices = error.notices or self._notices
        self.is_stale = True
        self._show_listing()

    def _show(self, question: Question, pages: tuple[PetPage, ...]) -> None:
        before = self.listing
        now = self.session.clock.now()
        self.question = question
        self.listing = listing_of(
            question,
            pages,
            now,
            before,
            added=self.session.added_ids,
            keeps_marks=not self._is_by_hand,
        )
        self._is_by_hand = False
        self._notices = self.listing.notices
        self.answered()
        self.is_stale = False
        if before is None:
            # Not before these rows are drawn: the thread would take turns with the drawing.
            self.call_after_refresh(self.app.run_worker, preload, group="preload")
        self.session.outbox.saw(pet.id for pet in self.listing.pets)
        self.table.show_rows(self.listing.rows, from_top=before is None)
        self._show_listing()

    # What is shown

    def _show_listing(self) -> None:
        listing = self.listing
        self.table.stale = listing is not None and self.is_stale
        if listing is not None:
            self.header.age = self.session.age(listing.answered_at, listing.elapsed)
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
            waiting_for=self.request.waiting_for,
            remark=self.remark,
            is_stale=self.is_stale,
        )
        more = hints("{more}: more", self) if goes_on(self.question, self.listing) else []
        self.status_line.keys = (*more, *self.short_keys())
        pages = self.listing.pages if self.listing is not None else ()
        self.notice_bar.give(
            self.lines, self._notices, [remark for page in pages for remark in page.remarks]
        )
        texts = hints(empty_text(self.listing, self.is_stale), self)
        self.table.empty_text = fitting(texts, self.app.size.width - EMPTY_MARGINS)
        self.status_line.counts = counts_of(self.session)

    def action_refresh(self) -> None:
        """Ask again what is shown, or what failed; marks that stood there until now go."""
        self._is_by_hand = True
        self.ask_for(self.question)

    def on_entry_changed(self, message: EntryChanged) -> None:
        """Count, and show an animal that was just added."""
        self.show_facts()
        if message.entry.state is EntryState.ADDED:
            self._catch_up()
