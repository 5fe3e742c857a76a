"""ListLoader: requests the pages of a list, and keeps what is loaded."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Final

from pettui.client import PetClientError
from pettui.tui.lists.listing import Listing, ListQuery, listing_of
from pettui.tui.lists.page_loading import load_pages
from pettui.tui.screens.browsing.last_list import first_query, seen_listing
from pettui.tui.wording import NOTHING_NEW, LoadingProgress, query_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.client import PetPage
    from pettui.tui.screens.background_request import BackgroundRequest
    from pettui.tui.screens.browsing.loader_events import LoaderEvents
    from pettui.tui.user_session import UserSession

MERGED_PAGES: Final = 5  # at most, until one overlaps with what is loaded


class ListLoader:
    """One query runs at a time, and only its response is loaded."""

    def __init__(
        self, session: UserSession, request: BackgroundRequest, events: LoaderEvents
    ) -> None:
        self.query = first_query(session)
        self.listing: Listing | None = None
        self.progress: LoadingProgress | None = None  # while several pages are loaded together
        self._session = session
        self._request = request
        self._events = events
        self._added_seen = 0
        self._loaded: dict[str | None, Listing] = {}  # by status; the one shown last at the end
        self._failed_next: ListQuery | None = None  # including the pages that were wanted
        self._is_stopped = False  # the clerk did not wait for the query
        self.is_unconfirmed = False  # the listing is an earlier one, until a response comes
        self._clears_marks = False  # the next response does: the clerk asked for it

    @property
    def is_behind(self) -> bool:
        """Whether animals were added since the list was requested."""
        return self._added_seen != len(self._session.added_keys)

    @property
    def is_interrupted(self) -> bool:
        """Whether the next page failed, and is still wanted."""
        return self._failed_next == self.query

    def show_status(self, status: str | None, limit: int) -> None:
        """Show what is loaded of a status, and load its first page again; or load it at first.

        Args:
            status: to filter by; None for all.
            limit: of a first load.
        """
        self._clears_marks = False
        loaded = self._loaded.get(status)
        # A refused key (401) made the session forget what it was sent.
        if loaded is None or self._session.seen.of(status) is None:
            self.load(ListQuery(status, limit))
            return
        self.query = loaded.query
        self._is_stopped = False
        self._session.seen.leave(status=status)
        if loaded is not self.listing:
            self.listing, self.is_unconfirmed = loaded, True
            self._keep(loaded)
            self._events.show_cached()
        self._events.show_query(is_automatic=False)
        self._request.send(self._fetch_first, self.query)

    def load(self, query: ListQuery, *, after: float = 0, is_automatic: bool = False) -> None:
        """Load all pages of a query in place of what is loaded.

        Args:
            query: what is requested.
            after: seconds to wait for a newer query first.
            is_automatic: whether it happens without the clerk.
        """
        self.query = query
        self._is_stopped = False
        self._session.seen.leave(status=query.status)
        if self.listing is None or self.listing.query.status != query.status:
            self._load_cached(query)
        self._events.show_query(is_automatic=is_automatic)
        self._request.send(self._fetch_all, query, after)

    def load_next(self) -> None:
        """Load one more page, after any that failed before it."""
        if not self.is_interrupted:
            self.query = replace(self.query, pages=self.query.pages + 1)
        self._is_stopped = False
        self._events.show_query(is_automatic=False)
        self._request.send(self._fetch_next, self.query)

    def refresh(self, limit: int) -> None:
        """Load what is shown again, and clear the marks; or only the next page, if that failed.

        Args:
            limit: to use from now on, if it is larger than that of the query.
        """
        if self.is_interrupted:
            self.load_next()
            return
        self._clears_marks = True
        query = self.query
        if limit > query.limit:
            pages = ceil(query.limit * query.pages / limit)
            query = replace(query, limit=limit, pages=pages)
        self.load(query)

    def stopped(self) -> None:
        """Want no more pages than are loaded; only the clerk asks again for another query."""
        self._is_stopped = True
        if self.listing is not None and self.listing.query.has_same_start(self.query):
            self.query = self.listing.query

    def give_up(self) -> None:
        """Want what is shown, and no longer what failed or was stopped."""
        if self.listing is not None and not self._request.is_out:
            self._is_stopped = False
            self.query = self.listing.query
            self._session.seen.leave(status=self.query.status)

    def refresh_first(self) -> None:
        """Load the first page and merge it, as automatic refreshes do.

        A request that is running is not cancelled for it: ``LoaderEvents.catch_up`` follows that.
        """
        if self._request.is_out:
            return
        if self._is_stopped:
            self.give_up()
        listing, query = self.listing, self.query
        if listing is None or listing.is_kept or not listing.query.has_same_start(query):
            self.load(query, is_automatic=True)
            return
        self._events.show_query(is_automatic=True)
        self._request.send(self._fetch_first, query)

    def _load_cached(self, query: ListQuery) -> None:
        if (seen := seen_listing(self._session, query)) is not None:
            self.listing, self.is_unconfirmed = seen, True
            self._session.outbox.saw(pet.id for pet in seen.pets)
            self._events.show_cached()

    async def _fetch_all(self, query: ListQuery, after: float) -> None:
        await asyncio.sleep(after)
        added = len(self._session.added_keys)
        pages = await self._pages(query, (), query_text(query))
        if pages:
            self._added_seen = added
            self.replace_listing(query, pages)
            self._events.catch_up()

    async def _fetch_next(self, query: ListQuery) -> None:
        """Load further pages, and show each as it arrives."""
        has_new = True
        while (listing := self.listing) is not None and listing.query.pages < query.pages:
            if listing.last_page is None or not listing.has_next_link:
                break
            last = (listing.last_page,)
            pages = await self._pages(replace(query, pages=2), last, "loading the next page")
            if not pages:
                self._failed_next = query
                return
            longer = listing.with_next(pages[-1], self._session.clock.now())
            self.set_listing(longer, pages[-1:])
            has_new = len(longer.loaded) > len(listing.loaded)
        self._failed_next = None
        if not has_new:
            self._events.show_remark(NOTHING_NEW)
        self.query = replace(query, pages=self.listing.query.pages if self.listing else 1)
        self._events.catch_up()

    async def _fetch_first(self, query: ListQuery) -> None:
        added = len(self._session.added_keys)
        pages: tuple[PetPage, ...] = ()
        has_gap = True
        while has_gap and len(pages) < MERGED_PAGES:
            wanted = replace(query, pages=len(pages) + 1)
            before, pages = pages, await self._pages(wanted, pages, query_text(query))
            listing, now = self.listing, self._session.clock.now()
            if listing is None or not pages:
                return
            if len(pages) == len(before):
                break
            merged, has_gap = listing.merged(pages, now)
        if has_gap and listing is not None:
            merged = listing.replaced(query, pages, now, keeps_marks=True)
        self._added_seen = added
        self.query = merged.query
        self.set_listing(merged, pages)
        self._session.seen.saw(query.status, pages[0].pets, now)
        self._events.catch_up()

    async def _pages(
        self, query: ListQuery, so_far: tuple[PetPage, ...], words: str
    ) -> tuple[PetPage, ...]:
        """Return the pages of a query; none if it failed, and then show the failure."""
        progress = LoadingProgress(wanted=query.pages)
        is_long = query.pages > 1 and not so_far

        def on_page(page: PetPage) -> None:
            self._request.progressed()
            progress.add_page(len(page.rows))

        client, request = self._session.client, self._request
        self.progress = progress if is_long else None
        try:
            with request.busy((lambda: progress.text) if is_long else words):
                return await load_pages(client, query, so_far, request.count_down, on_page)
        except PetClientError as error:
            self._events.show_failure(error)
            return ()
        finally:
            if self.progress is progress:
                self.progress = None

    def replace_listing(self, query: ListQuery, pages: Sequence[PetPage]) -> None:
        """Replace the listing by the pages of a query, compared with it; show and cache them."""
        keeps_marks, self._clears_marks = not self._clears_marks, False
        now, session, before = self._session.clock.now(), self._session, self.listing
        if before is None or before.is_kept or before.query.status != query.status:
            seen = session.seen.before(query.status, session.added_earlier)
            listing = listing_of(query, pages, now, seen if keeps_marks else None)
        else:
            listing = before.replaced(query, pages, now, keeps_marks=keeps_marks)
        self.set_listing(listing, pages)
        self._session.seen.saw(query.status, pages[0].pets, now)

    def set_listing(self, listing: Listing, new_pages: Sequence[PetPage]) -> None:
        """Replace the listing by one with new pages, and show it."""
        before, self.listing, self.is_unconfirmed = self.listing, listing, False
        self._keep(listing)
        self._events.show_response(before, new_pages)

    def _keep(self, listing: Listing) -> None:
        """Keep what is loaded of each status, within one bound; the longest unseen goes first."""
        self._loaded.pop(listing.query.status, None)
        self._loaded[listing.query.status] = listing
        room = self._session.settings.limits.rows
        for status, each in reversed([*self._loaded.items()]):
            room -= len(each.loaded)
            if room < 0 and each is not listing:
                del self._loaded[status]
