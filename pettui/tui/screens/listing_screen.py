"""ListingScreen: asks for animals, and shows what came of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal

from pettui.client import PetClientError
from pettui.outbox import EntryState
from pettui.tui.deferred_imports import preload
from pettui.tui.keys.available_actions import hints
from pettui.tui.rows.shown_rows import ShownRows, shown_rows
from pettui.tui.screens.browsing.automatic_refresh import AutomaticRefresh
from pettui.tui.screens.browsing.last_list import as_of_text, left_by, view_of
from pettui.tui.screens.browsing.limit_choice import LimitChoice
from pettui.tui.screens.browsing.list_loader import ListLoader
from pettui.tui.screens.browsing.marked_rows import MarkedRows
from pettui.tui.screens.browsing.paging import Paging
from pettui.tui.screens.browsing.watching import Watching
from pettui.tui.screens.selected_pet_screen import PetScreen
from pettui.tui.times import time_text
from pettui.tui.widgets.bars.status_tabs import StatusTabs
from pettui.tui.widgets.pet_table import PetTable
from pettui.tui.widgets.pet_view import PetView
from pettui.tui.wording.listing_texts import (
    counts_of,
    empty_text,
    facts_of,
    fitting,
    view_notes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.events import Resize, ScreenResume

    from pettui.client import Notice, PetPage
    from pettui.tui.lists.listing import Listing
    from pettui.tui.messages import EntryChanged
    from pettui.tui.rows.row_view import RowView
    from pettui.tui.user_session import UserSession
    from pettui.tui.wording.failures import Failure

MORE = "-more"  # class of a preview that shows more than the table
SCROLL_BAR = 1  # cells
EMPTY_MARGINS = 6  # cells beside what stands in place of rows, a scroll bar included


class ListingScreen(PetScreen[None]):
    """Tabs, table, preview: what is loaded of the list, and what of it is shown."""

    TELLS_ONCE: ClassVar[bool] = False  # there from the first to the last, where Esc puts it away

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.loader = ListLoader(session, self.request, self)
        self._is_by_itself = False  # what was asked for last
        self.view = view_of(session.seen.first_view)  # which of the loaded rows, and in which order
        self.shown: ShownRows | None = None
        self.marked = MarkedRows(self)
        self._notices: tuple[Notice, ...] = ()  # of the newest answer that had any say
        self.table = PetTable(session.look, session.category_name, lambda: self.request.is_out)
        self.tabs = StatusTabs(session.look)
        self.preview = PetView(session.look, session.category_name, id="preview")
        self.is_stale = False  # what is shown is older than a query that failed
        self.paging = Paging(self)
        self.automatic = AutomaticRefresh(self, self.loader, self.paging.all_pages, session.pace)
        self.watching = Watching(self, self.automatic, session.settings.watch)
        self.limit_choice = LimitChoice(self)

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
        self.loader.ask_for(replace(self.loader.query, limit=self.limit_choice.limit))

    def on_resize(self, event: Resize) -> None:  # noqa: ARG002 - Textual gives it
        """Show a preview where it has more to show, in this size."""
        self._place_preview()

    def on_screen_resume(self, event: ScreenResume) -> None:  # noqa: ARG002 - as the base has it
        """Show what happened meanwhile."""
        self._place_preview()
        self._catch_up()
        self.automatic.wake()

    @property
    def lines(self) -> tuple[str, ...]:
        """Give what is to be said here whatever is listed, one raw line each."""
        greeting = " ".join(hints(self.session.greeting, self))
        profile = self.session.settings.profile
        return (*filter(None, [greeting]), *self.warnings, *profile.warnings)

    # What was asked, and came

    @property
    def listing(self) -> Listing | None:
        """What is loaded; None before the first answer."""
        return self.loader.listing

    def show_asked(self, *, by_itself: bool) -> None:
        """Show the tab that is asked for; what was said of before goes, if the clerk asked."""
        self._is_by_itself = by_itself
        self.remark = self.remark if by_itself else ""
        self.tabs.active = self.loader.query.status
        self.show_facts()

    def catch_up(self) -> None:
        """Ask again when animals were added since the list was asked for."""
        self.call_later(self._catch_up)

    def _catch_up(self) -> None:
        if self.is_on_top and self.loader.is_behind:
            self.loader.refresh_first()

    def show_seen(self) -> None:
        """Show what is loaded now, which is not older than what was asked for last."""
        self._show_loaded()
        self._place_preview()

    def _show_loaded(self) -> None:
        self.is_stale = False
        self.show_rows()
        self._show_listing()

    def _place_preview(self, *, by_itself: bool = False) -> None:
        """Show the preview where a row has more to show than the table would without it.

        That is decided once an answer and a size. What comes by itself takes no preview away: it
        would come and go with the animals.
        """
        alone = self.app.size.width - SCROLL_BAR
        keeps = by_itself and self.preview.has_class(MORE)
        self.preview.set_class(keeps or not self.table.shows_all_in(alone), MORE)

    def show_failure(self, error: PetClientError | Failure) -> None:
        """Put a failure on the strip; the rows stay, marked as of their time."""
        is_news = self.automatic.failed(error, by_itself=self._is_by_itself)
        if is_news or self.strip.failure is not None:
            super().show_failure(error)
        if isinstance(error, PetClientError):
            self._notices = error.notices or self._notices
        self.is_stale = True
        self._preload()
        self._show_listing()

    def show_answer(self, before: Listing | None, come: Sequence[PetPage]) -> None:
        """Show what is loaded now."""
        self._notices = come[-1].notices
        self.answered()
        self.automatic.answered()
        if before is None or before.is_kept:
            self._preload()
        self.session.outbox.saw(pet.id for page in come for pet in page.pets)
        self._show_loaded()
        self._place_preview(by_itself=self._is_by_itself)
        self.paging.move_on()

    def _preload(self) -> None:
        # Not before these rows are drawn: the thread would take turns with the drawing.
        self.call_after_refresh(self.app.run_worker, preload, group="preload")

    # What is shown

    def show_view(self, view: RowView) -> None:
        """Show other rows of those that are loaded, or in another order."""
        self.view = view
        self.show_rows()
        self.show_facts()
        self.refresh_bindings()

    def show_rows(self) -> None:
        """Show the rows of the view, of those that are loaded."""
        if self.listing is not None:
            is_first = self.shown is None
            self.shown = shown_rows(
                self.listing.loaded, self.view, self.session.category_name, self.shown
            )
            self.table.show_rows(self.shown, self.listing.marks, from_top=is_first)
        self.session.seen.leave(**left_by(self.view))

    def _show_listing(self) -> None:
        listing = self.listing
        if listing is not None:
            self.header.age = self.session.age(listing.answered_at, listing.elapsed)
            at = time_text(listing.answered_at, self.session.clock.now())
            self.preview.source = f"from the list, {at}"
        self.show_facts()

    def show_facts(self) -> None:
        """Say what is shown, what is waited for, and what was added."""
        self.status_line.facts = facts_of(
            self.session.look,
            self.loader.query,
            self.listing,
            self.shown,
            waiting_for=self.request.waiting_for,
            remark=self.remark,
            is_stale=self.is_stale,
            as_of=as_of_text(self.session, self.listing, is_stale=self.is_stale),
            marked=self.marked.count,
        )
        is_cleared = self.view.words and not self.request.waiting_for  # which stops first
        clear = hints("{put_away}: clear", self) if is_cleared else []
        self.status_line.keys = (*clear, *hints(self._keys_here, self), *self.short_keys())
        sort, *others = (*view_notes(self.session.look, self.view, self.listing), "")
        self.tabs.notes = tuple(filter(None, (sort, self.watching.note(), *others)))
        remarks = self.listing.remarks if self.listing is not None else ()
        self.notice_bar.give(self.lines, self._notices, remarks)
        texts = hints(empty_text(self.listing, self.shown, self.is_stale), self)
        self.table.empty_text = fitting(texts, self.app.size.width - EMPTY_MARGINS)
        self.status_line.counts = counts_of(self.session)

    @property
    def _keys_here(self) -> str:
        """The hints of what can be done about the loading (see ``available_actions.hints``)."""
        is_long = (self.paging.all_pages.progress or self.loader.progress) is not None
        if is_long and self.request.waiting_for:
            return "{put_away}: stop"
        return "{more}: more" if self.paging.goes_on else ""

    def action_refresh(self) -> None:
        """Ask again what is shown, or what failed; marks that stood there until now go."""
        self.paging.refresh()

    def on_entry_changed(self, message: EntryChanged) -> None:
        """Count, and show an animal that was just added."""
        self.show_facts()
        if message.entry.state is EntryState.ADDED:
            self._catch_up()
