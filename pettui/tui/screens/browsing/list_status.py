"""ListStatus: what stands around the rows of the list: its lines, its tabs and its notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from pettui.tui.keys import Hints, hints
from pettui.tui.screens.browsing.last_list import as_of_text
from pettui.tui.screens.browsing.shown_list import ShownList
from pettui.tui.wording import (
    adds_wait_text,
    counts_of,
    empty_text,
    fitting,
    status_texts,
    time_text,
    view_notes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.client import Notice
    from pettui.tui.lists.marked_pets import MarkedPets
    from pettui.tui.runs import StyledText
    from pettui.tui.screens.browsing.paging import Paging
    from pettui.tui.screens.browsing.watch_toggle import WatchToggle
    from pettui.tui.widgets.bars import HeaderBar, NoticeBar, StatusLine, StatusTabs
    from pettui.tui.widgets.pet_view import PetView
    from pettui.tui.wording import LoadingProgress

EMPTY_MARGINS: Final = 6  # cells beside the text of an empty table, a scroll bar included


class StatusScreen(ShownList, Protocol):
    """The list screen, as far as its texts depend on it."""

    remark: str  # until the next key
    marked: MarkedPets
    paging: Paging
    watching: WatchToggle
    tabs: StatusTabs
    header: HeaderBar
    status_line: StatusLine
    notice_bar: NoticeBar
    preview: PetView

    @property
    def warnings(self) -> list[str]:
        """Permanent notices, one raw line each."""

    def short_keys(self) -> tuple[str, ...]:
        """Return the hints that the status line shows when there is no key bar."""


class ListStatus:
    """Reads the state of the screen, and changes nothing of it but texts."""

    def __init__(self, screen: StatusScreen) -> None:
        self._screen = screen
        self.notices: Sequence[Notice] = ()  # of the newest response with any

    def show_times(self) -> None:
        """Show in the header and the preview when the listing came."""
        screen, listing = self._screen, self._screen.listing
        if listing is not None:
            screen.header.age = screen.session.age(listing.answered_at, listing.elapsed)
            at = time_text(listing.answered_at, screen.session.clock.now())
            screen.preview.source = f"from the list, {at}"

    def update(self) -> None:
        """Update every text to the state of the screen."""
        available = Hints(self._screen.table.screen)
        self._update_status_line(available)
        self._update_tabs()
        self._update_notices(available)
        self._update_empty_text()

    def _update_status_line(self, available: Hints) -> None:
        screen, line = self._screen, self._screen.status_line
        line.texts = status_texts(
            screen.session.glyphs,
            screen.loader.query,
            screen.listing,
            screen.shown,
            busy=screen.request.busy_text,
            remark=screen.remark,
            is_stale=screen.is_stale,
            busy_short=self._progress_short,
            as_of=as_of_text(
                screen.session,
                screen.listing,
                is_earlier=screen.is_stale or screen.loader.is_unconfirmed,
            ),
            marked=screen.marked.count,
            adds_wait=self._adds_wait,
            hidden=screen.marked.hidden(screen.shown),
        )
        is_cleared = screen.view.words and not screen.request.busy_text  # Esc would stop that first
        clear = available.of("{put_away}: clear") if is_cleared else []
        # That rows are missing is said at every width; more keys would cut how long adds wait.
        keys = (*available.of(self._loading_keys), *clear, *screen.short_keys())
        waits = available.of("{outbox}, {refresh}: try now")
        line.keys = tuple(waits) if self._adds_wait else keys
        line.counts = counts_of(screen.session.outbox, screen.session.added)

    @property
    def _adds_wait(self) -> StyledText | None:
        """That adds wait although the service responds; None if they do not."""
        outbox = self._screen.session.outbox
        text = adds_wait_text(outbox)
        if text is None:
            return None
        return text, "notice", adds_wait_text(outbox, is_brief=True) or text

    @property
    def _progress(self) -> LoadingProgress | None:
        """How far several pages are that are loaded together."""
        return self._screen.paging.all_pages.progress or self._screen.loader.progress

    @property
    def _progress_short(self) -> str:
        """Rows and pages so far; "" if none are being loaded."""
        is_paused = self._screen.request.pending_retry is not None
        return "" if self._progress is None or is_paused else self._progress.counts

    @property
    def _loading_keys(self) -> str:
        """Hints of keys for loading (see ``available_actions.hints``)."""
        screen = self._screen
        if self._progress is not None and screen.request.busy_text:
            return "{put_away}: stop"
        return "{more}: more" if screen.paging.goes_on else ""

    def _update_tabs(self) -> None:
        screen = self._screen
        notes = view_notes(screen.session.glyphs, screen.view, screen.listing)
        sort, *others = (*notes, "")
        screen.tabs.notes = tuple(filter(None, (sort, screen.watching.note(), *others)))

    def _update_notices(self, available: Hints) -> None:
        screen = self._screen
        greeting = " ".join(available.of(screen.session.greeting))
        profile = screen.session.settings.profile
        lines = (*filter(None, [greeting]), *screen.warnings, *profile.warnings)
        remarks = screen.listing.remarks if screen.listing is not None else ()
        screen.notice_bar.show(lines, self.notices, remarks)

    def _update_empty_text(self) -> None:
        screen = self._screen
        texts = hints(
            empty_text(screen.listing, screen.shown, screen.is_stale), screen.table.screen
        )
        screen.table.empty_text = fitting(texts, screen.app.size.width - EMPTY_MARGINS)
