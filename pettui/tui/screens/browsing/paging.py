"""Paging: more of the list, by a key of its own or by moving past the last row."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.worker import WorkerCancelled

from pettui.tui.lists.listing import ListQuery
from pettui.tui.rows.counting import id_of
from pettui.tui.screens.browsing.all_pages import AllPages

if TYPE_CHECKING:
    from textual.worker import Worker

    from pettui.tui.screens.browsing.shown_list import ShownList

ALL = "that is all that the service lists"


@dataclass(frozen=True, slots=True)
class PendingMove:
    """Where the cursor goes once there are rows behind the last one."""

    index: int  # where it stands meanwhile
    pet_id: int | None
    rows: int  # by how many it goes on


class Paging:
    """The page that the service links comes next, or else a larger one from the beginning."""

    def __init__(self, screen: ShownList) -> None:
        self._screen = screen
        self._loader = screen.loader
        self.all_pages = AllPages(screen.session, screen.request, screen.loader, screen)
        self._pending: PendingMove | None = None
        self._worker: Worker[None] | None = None  # that loads what the cursor goes on to

    @property
    def goes_on(self) -> bool:
        """Whether there is a next page, or a larger one, of what is asked for."""
        listing, query = self._loader.listing, self._loader.query
        if listing is None or listing.is_at_maximum:
            return False
        return listing.has_next_link or listing.larger_limit(query.limit) is not None

    def more(self) -> None:
        """Load more; where there is no more, say so."""
        listing, query = self._loader.listing, self._loader.query
        if self.all_pages.progress is not None:
            return  # it is on the way
        if listing is None or listing.is_kept or listing.query.status != query.status:
            # Of what is asked for now, and not of what is shown.
            self._loader.ask_for(replace(query, pages=query.pages + 1))
        elif listing.has_next_link:
            self._loader.ask_for_next()
        elif (limit := listing.larger_limit(query.limit)) is not None:
            self._loader.ask_for(ListQuery(query.status, limit))
        elif not listing.is_at_maximum:
            self._screen.tell_remark(ALL)

    def load_all(self) -> None:
        """Load all pages, one after the other; where all are there, say so."""
        if not self.all_pages.has_all:
            self.all_pages.start()
        elif self._loader.listing is not None and not self._loader.listing.is_at_maximum:
            self._screen.tell_remark(ALL)

    def refresh(self) -> None:
        """Ask again what is shown, or what failed; of all pages the one that failed alone."""
        if self.all_pages.is_interrupted:
            self.all_pages.resume()
        else:
            self._loader.refresh()

    def stop(self) -> str:
        """Stop loading pages; return in words what came meanwhile, "" where pages are not kept."""
        if self.all_pages.progress is None or self._loader.listing is None:
            self._loader.stopped()
            return ""
        return self.all_pages.stop()

    # Past the last row

    def move_past_end(self, rows: int) -> None:
        """Load more, and move the cursor on when it is there; a key that is held asks once."""
        if not self._can_go_on:
            return
        screen, table = self._screen, self._screen.table
        request = screen.request
        is_on_the_way = request.is_out and request.worker is self._worker
        self._pending = PendingMove(table.cursor, id_of(table.highlighted), rows)
        if not is_on_the_way:
            self.more()
            self._worker = request.worker

    @property
    def _can_go_on(self) -> bool:
        """Whether what comes next stands behind the last row, and nothing failed before it."""
        shown = self._screen.shown
        is_own_order = not self._screen.view.is_sorted and not (shown and shown.is_narrowed)
        return is_own_order and not self._screen.is_stale and self.goes_on

    async def load_next(self) -> None:
        """Load more, where it stands behind the last row, and wait until it is there or failed."""
        if self._can_go_on:
            self.more()
            if (worker := self._screen.request.worker) is not None:
                with suppress(WorkerCancelled):
                    await worker.wait()

    def move_on(self) -> None:
        """Move the cursor as it was wanted before these rows came, if it stands there still."""
        pending, table = self._pending, self._screen.table
        if pending is None or len(table.rows) <= pending.index + 1:
            return
        self._pending = None
        stands_there = table.cursor == pending.index and id_of(table.highlighted) == pending.pet_id
        if stands_there and self._screen.is_on_top:
            table.cursor += pending.rows
