"""ListState: what stands around the rows of the list, as its parts know it at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pettui.models.statuses import status_word
from pettui.text.amounts import time_text
from pettui.tui.list.listing import Listing, direction_sign, found_text, which_animals
from pettui.tui.transfer.selection import not_shown_text

if TYPE_CHECKING:
    from datetime import datetime

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.list.list_loading import ListLoader, LoadingProgress
    from pettui.tui.list.shown_list import ShownList
    from pettui.tui.session.request import Request
    from pettui.tui.widgets.runs import StyledText

ONLY_MARKED = "only marked"
WORDS_MAXIMUM = 60  # characters of the words in the find line


class ListState(NamedTuple):
    """Made anew for each drawing."""

    loader: ListLoader
    rows: ShownList
    request: Request
    is_finding: bool  # the line of a find is open: it says how many are found, and of how many
    remark: str
    awaited: str  # why the cursor is not on what the form added last
    adds_wait: tuple[str, str] | None  # though the service responds; and shorter
    watch: str  # what is refreshed without a key

    @property
    def status(self) -> str | None:
        """The status of the rows."""
        loader = self.loader
        return loader.query.status if loader.listing is None else loader.listing.query.status

    @property
    def wanted_status(self) -> str | None:
        """The status of the rows that are being loaded in their place."""
        return self.loader.query.status if self.request.is_running else self.status

    @property
    def _progress(self) -> LoadingProgress | None:
        """How far several pages are that are loaded together."""
        return self.loader.progress if self.request.text else None

    def texts(self, glyphs: GlyphSet, now: datetime) -> tuple[StyledText, ...]:
        """Return the status line's left side, the most urgent first."""
        texts: list[StyledText] = []
        busy, marked, progress = self.request.text, self.rows.marked.count, self._progress
        if busy:
            is_counted = progress is not None and self.request.pending_retry is None
            texts.append((busy, "accent", progress.counts if progress and is_counted else busy))
        if self.adds_wait is not None:
            text, short = self.adds_wait
            texts.append((text, "notice", short))
        texts += [(text, "notice") for text in (self.remark, self.awaited) if text]
        if marked:
            texts.append((f"{marked:,} marked{not_shown_text(self.rows.hidden)}", "accent"))
        if (listing := self.loader.listing) is not None:
            texts += self._of_rows(listing, glyphs, now)
        elif not busy and self.loader.is_stale:
            texts.append(("nothing to show yet", "muted"))
        return tuple(texts)

    def _of_rows(self, listing: Listing, glyphs: GlyphSet, now: datetime) -> list[StyledText]:
        """Return what there is to say of the rows that are loaded, the most urgent first."""
        shown, count, counts = self.rows.shown, f"{len(listing.loaded):,}", listing.counts
        texts: list[StyledText] = []
        if shown.is_narrowed and not self.is_finding:
            words = glyphs.line(shown.view.words, WORDS_MAXIMUM)
            parts = (
                ONLY_MARKED if shown.view.only is not None else "",
                f"/{words}" if words else "",
            )
            what = f" {glyphs.dot} ".join(filter(None, parts))
            text, short = (f"{each} {glyphs.dot} {what}" for each in found_text(shown))
            texts.append((text, "strong", short))
        is_older = self.loader.is_stale or self.loader.is_unconfirmed
        if is_older:
            as_of, which = time_text(listing.answered_at, now), which_animals(listing.query.status)
            texts.append((f"{which} animals as of {as_of}", "notice", f"{which} as of {as_of}"))
        if listing.is_at_maximum:
            most = "no more than 100 of one list; status filters show more"
            texts.append((most, "notice", "100 at most; try status filters"))
        if not shown.is_narrowed:
            texts.append((f"{count} shown", "strong"))
        elif self.is_finding:
            texts.append((f"{count} loaded", "strong"))
        if not listing.is_at_maximum:
            texts.append((f"limit {self.loader.query.limit}", "muted"))
        if listing.end_is_unknown:
            texts.append(("whether there are more is not known", "notice", "perhaps more"))
        differences = (
            (len(listing.marks.new), "new", "good"),
            (len(listing.marks.changed), "changed", "changed"),
            (counts.unreadable, "unreadable", "notice"),
            (counts.of_another_status, "with a status not requested", "notice"),
            (counts.beyond_limit, "more than requested", "notice"),
        )
        if not is_older:
            texts += [(f"{each:,} {what}", style) for each, what, style in differences if each]
        return texts

    @property
    def loading_keys(self) -> str:
        """Hints of keys for loading (see ``keys.hints``)."""
        if self._progress is not None:
            return "{put_away}: stop"
        return "{more}: more" if self.loader.goes_on else ""

    @property
    def view_keys(self) -> str:
        """Hints of keys that end a range, a find, or "only the marked ones"."""
        if self.request.text:  # Esc would stop that first
            return ""
        if self.rows.marked.has_range:
            return "{mark_range}: end  {put_away}: undo"
        if self.rows.view.words:
            return "{put_away}: clear"
        return "{only_marked}: all" if self.rows.view.only is not None else ""

    def remarks(self, glyphs: GlyphSet) -> tuple[str, ...]:
        """Return what stands beside the tabs, the most important first."""
        view, listing = self.rows.view, self.loader.listing
        if not view.order:
            return (self.watch,) if self.watch else ()
        names = (f"{each.name} {direction_sign(glyphs, view, each)}" for each, _ in view.order)
        rows = f"{len(listing.loaded) if listing is not None else 0:,} rows"
        return tuple(filter(None, (f"by {', '.join(names)}", self.watch, rows)))

    @property
    def empty_text(self) -> str:
        """Why there are no rows, and hints of keys (see ``keys.hints``)."""
        listing, shown, has_failed = self.loader.listing, self.rows.shown, self.loader.is_stale
        if listing is None:
            failed = "Nothing was loaded.  {refresh} retries.  {add} adds: it is sent later."
            return failed if has_failed else ""
        if shown.view.only is not None and not shown.terms and shown.loaded:
            rows = f"{len(shown.loaded):,} rows"
            return f"None of these {rows} was marked.  {{only_marked}} shows all."
        if shown.is_narrowed and shown.loaded:
            return f"No matches in {len(shown.loaded):,} rows.  {{put_away}} clears."
        if has_failed:
            return "None were listed then.  {refresh} retries.  {add} adds: it is sent later."
        if (status := listing.query.status) is None:
            return "No animals yet.  {add} adds one."
        return f"No {status_word(status)} animals.  {{filter_all}} shows all,  {{add}} adds one."
