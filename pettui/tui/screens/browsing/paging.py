"""Paging: loads more of the list, by a key or by moving past the last row."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.worker import WorkerCancelled

from pettui.rows import id_of
from pettui.tui.lists.listing import ListQuery
from pettui.tui.screens.browsing.all_pages import AllPages

if TYPE_CHECKING:
    from textual.worker import Worker

    from pettui.tui.screens.browsing.shown_list import ShownList

ALL = "that is all the service lists"


@dataclass(frozen=True, slots=True)
class PendingMove:
    """A cursor movement past the last row, until there are more rows."""

    index: int  # of the cursor meanwhile
    pet_id: int | None
    rows: int  # how far it moves


class Paging:
    """Loads the next page if the service links one, or else a larger one from the start."""

    def __init__(self, screen: ShownList) -> None:
        self._screen = screen
        self._loader = screen.loader
        self.all_pages = AllPages(screen.session, screen.request, screen.loader, screen)
        self._pending: PendingMove | None = None
        self._worker: Worker[None] | None = None  # loads the rows for it

    @property
    def goes_on(self) -> bool:
        """Whether there is a next page, or a larger one, of the current query."""
        listing, query = self._loader.listing, self._loader.query
        if listing is None or listing.is_at_maximum:
            return False
        return listing.has_next_link or listing.larger_limit(query.limit) is not None

    def more(self) -> None:
        """Load more, or show that there is no more."""
        listing, query = self._loader.listing, self._loader.query
        if self.all_pages.progress is not None:
            return  # it is being loaded
        if listing is None or listing.is_kept or listing.query.status != query.status:
            # Of the current query, which is not what is shown.
            self._loader.load(replace(query, pages=query.pages + 1))
        elif listing.has_next_link:
            self._loader.load_next()
        elif (limit := listing.larger_limit(query.limit)) is not None:
            self._loader.load(ListQuery(query.status, limit))
        elif not listing.is_at_maximum:
            self._screen.show_remark(ALL)

    def load_all(self) -> None:
        """Load all pages, one after the other, or show that all are loaded."""
        if not self.all_pages.has_all:
            self.all_pages.start()
        elif self._loader.listing is not None and not self._loader.listing.is_at_maximum:
            self._screen.show_remark(ALL)

    def refresh(self, limit: int) -> None:
        """Load what is shown again, with this limit if it is larger; or only what failed."""
        if self.all_pages.is_interrupted:
            self.all_pages.resume()
        else:
            self._loader.refresh(limit)

    def stop(self) -> str:
        """Stop loading; return in words what all pages brought, or "" if fewer were wanted."""
        if self.all_pages.progress is None or self._loader.listing is None:
            self._loader.stopped()
            return ""
        return self.all_pages.stop()

    # Past the last row

    def move_past_end(self, rows: int) -> None:
        """Load more, then move the cursor on; a key that is held loads once."""
        if not self._can_go_on:
            return
        screen, table = self._screen, self._screen.table
        request = screen.request
        is_loading = request.is_out and request.worker is self._worker
        self._pending = PendingMove(table.cursor, id_of(table.highlighted), rows)
        if not is_loading:
            self.more()
            self._worker = request.worker

    @property
    def _can_go_on(self) -> bool:
        """Whether the next page belongs after the last row, and nothing failed."""
        shown = self._screen.shown
        is_own_order = not self._screen.view.is_sorted and not (shown and shown.is_narrowed)
        return is_own_order and not self._screen.is_stale and self.goes_on

    async def load_next(self) -> None:
        """Load the next page, if it belongs after the last row, and wait for it."""
        if self._can_go_on:
            self.more()
            if (worker := self._screen.request.worker) is not None:
                with suppress(WorkerCancelled):
                    await worker.wait()

    def move_on(self) -> None:
        """Make the pending movement, if the cursor has not been moved since."""
        pending, table = self._pending, self._screen.table
        if pending is None or len(table.rows) <= pending.index + 1:
            return
        self._pending = None
        is_unmoved = table.cursor == pending.index and id_of(table.highlighted) == pending.pet_id
        if is_unmoved and self._screen.is_on_top:
            table.cursor += pending.rows
