"""ListState: all that the list shows at one moment; what stands around its rows follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pettui.rows.shown import ShownRows
from pettui.text.amounts import time_text
from pettui.tui.list.wording import empty_text, listing_texts, view_remarks
from pettui.tui.transfer.selection import not_shown_text

if TYPE_CHECKING:
    from datetime import datetime

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.list.listing import Listing, ListQuery
    from pettui.tui.widgets.runs import StyledText


class ListState(NamedTuple):
    """Made anew for each drawing, of what the list's parts know."""

    query: ListQuery  # that is wanted
    shown: ShownRows = ShownRows()
    listing: Listing | None = None  # whose rows these are
    is_requesting: bool = False
    is_stale: bool = False  # older rows are shown, since no response came
    is_unconfirmed: bool = False  # the listing is an earlier one, until a response comes
    goes_on: bool = False  # the service may have more rows
    marked: int = 0
    hidden: int = 0  # of the marked ones
    has_range: bool = False
    busy: str = ""  # what is waited for
    is_loading_pages: bool = False  # several, together
    progress: str = ""  # of them, in few words
    is_finding: bool = False  # the line of a find is open
    remark: str = ""
    awaited: str = ""  # why the cursor is not on what the form added last
    adds_wait: tuple[str, str] | None = None  # though the service responds; and shorter
    watch: str = ""  # what is refreshed without a key

    @property
    def status(self) -> str | None:
        """The status of the rows."""
        return self.query.status if self.listing is None else self.listing.query.status

    @property
    def wanted_status(self) -> str | None:
        """The status of the rows that are being loaded in their place."""
        return self.query.status if self.is_requesting else self.status

    def texts(self, glyphs: GlyphSet, now: datetime) -> tuple[StyledText, ...]:
        """Return the status line's left side, the most urgent first."""
        texts: list[StyledText] = []
        if self.busy:
            texts.append((self.busy, "accent", self.progress or self.busy))
        if self.adds_wait is not None:
            text, short = self.adds_wait
            texts.append((text, "notice", short))
        if self.remark:
            texts.append((self.remark, "notice"))
        if self.awaited:
            texts.append((self.awaited, "notice"))
        if self.marked:
            texts.append((f"{self.marked:,} marked{not_shown_text(self.hidden)}", "accent"))
        if self.listing is not None:
            as_of = self._as_of(self.listing, now)
            texts += listing_texts(
                glyphs, self.query, self.listing, self.shown, as_of, is_finding=self.is_finding
            )
        elif not self.busy and self.is_stale:
            texts.append(("nothing to show yet", "muted"))
        return tuple(texts)

    def _as_of(self, listing: Listing, now: datetime) -> str:
        """Return the time of what is shown, if that is older than its query; "" otherwise."""
        is_older = self.is_stale or self.is_unconfirmed
        return time_text(listing.answered_at, now) if is_older else ""

    @property
    def loading_keys(self) -> str:
        """Hints of keys for loading (see ``keys.hints``)."""
        if self.is_loading_pages:
            return "{put_away}: stop"
        return "{more}: more" if self.goes_on else ""

    @property
    def view_keys(self) -> str:
        """Hints of keys that end a range, a find, or "only the marked ones"."""
        if self.busy:  # Esc would stop that first
            return ""
        if self.has_range:
            return "{mark_range}: end  {put_away}: undo"
        if self.shown.view.words:
            return "{put_away}: clear"
        return "{only_marked}: all" if self.shown.view.only is not None else ""

    def remarks(self, glyphs: GlyphSet) -> tuple[str, ...]:
        """Return what stands beside the tabs, the most important first."""
        sort, *others = (*view_remarks(glyphs, self.shown.view, self.listing), "")
        return tuple(filter(None, (sort, self.watch, *others)))

    @property
    def empty_text(self) -> str:
        """Why there are no rows, and hints of keys (see ``keys.hints``)."""
        return empty_text(self.listing, self.shown, self.is_stale)
