"""ListLoader: asks for the pages of a list, and holds what is loaded of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pettui.client import PetClientError
from pettui.tui.lists.listing import Listing, ListQuery, listing_of
from pettui.tui.lists.page_loading import load_pages
from pettui.tui.screens.browsing.last_list import first_query, seen_listing
from pettui.tui.wording.listing_texts import query_text
from pettui.tui.wording.loading_progress import LoadingProgress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.client import PetPage
    from pettui.tui.screens.background_request import BackgroundRequest
    from pettui.tui.screens.browsing.loader_events import LoaderEvents
    from pettui.tui.user_session import UserSession

MERGED_PAGES: Final = 5  # at most, until one of them reaches what is loaded


class ListLoader:
    """One query is out at a time, and only its answer is loaded."""

    def __init__(
        self, session: UserSession, request: BackgroundRequest, events: LoaderEvents
    ) -> None:
        self.query = first_query(session)
        self.listing: Listing | None = None
        self.progress: LoadingProgress | None = None  # while several pages are asked for together
        self._session = session
        self._request = request
        self._events = events
        self._added_seen = 0
        self._failed_next: ListQuery | None = None  # with the pages that were wanted, and more
        self._is_first = True  # no answer came yet
        self._is_by_hand = False  # the clerk asked for what comes next: it takes marks away

    @property
    def is_behind(self) -> bool:
        """Whether animals were added since the list was asked for."""
        return self._added_seen != len(self._session.added_keys)

    @property
    def is_interrupted(self) -> bool:
        """Whether a page behind those that are loaded failed, and is still wanted."""
        return self._failed_next == self.query

    def ask_for(self, query: ListQuery, *, after: float = 0, by_itself: bool = False) -> None:
        """Ask for all pages of a query; they take the place of what is loaded.

        Args:
            query: what is asked.
            after: seconds to wait for a newer query first.
            by_itself: the clerk did not ask for it.
        """
        self.query = query
        self._session.seen.leave(status=query.status)
        if self.listing is None or self.listing.query.status != query.status:
            self._load_seen(query)
        self._events.show_asked(by_itself=by_itself)
        self._request.send(self._load_all, query, after)

    def ask_for_next(self) -> None:
        """Ask for one page more behind what is loaded, and for those asked for before it."""
        self.query = (
            self.query if self.is_interrupted else replace(self.query, pages=self.query.pages + 1)
        )
        self._events.show_asked(by_itself=False)
        self._request.send(self._load_next, self.query)

    def refresh(self) -> None:
        """Ask again what is shown, or what failed; marks that stood there until now go.

        Where a page behind those that are loaded failed, that one is asked for alone.
        """
        if self.is_interrupted:
            self._events.show_asked(by_itself=False)
            self._request.send(self._load_next, self.query)
            return
        self._is_by_hand = True
        self.ask_for(self.query)

    def stopped(self) -> None:
        """Ask for no more from now on than is loaded."""
        if self.listing is not None and self.listing.query.has_same_start(self.query):
            self.query = self.listing.query

    def refresh_first(self) -> None:
        """Ask for the first page and merge it: what happens by itself asks for no more.

        What is out already is not dropped for it: `LoaderEvents.catch_up` comes behind that.
        """
        listing, query = self.listing, self.query
        if self._request.is_out:
            return
        if listing is None or listing.is_kept or not listing.query.has_same_start(query):
            self.ask_for(query, by_itself=True)
            return
        self._events.show_asked(by_itself=True)
        self._request.send(self._load_first, query)

    def _load_seen(self, query: ListQuery) -> None:
        if (seen := seen_listing(self._session, query)) is not None:
            self.listing = seen
            self._session.outbox.saw(pet.id for pet in seen.pets)
            self._events.show_seen()

    async def _load_all(self, query: ListQuery, after: float) -> None:
        await asyncio.sleep(after)
        added = len(self._session.added_keys)
        pages = await self._pages(query, (), query_text(query))
        if pages:
            self._added_seen = added
            self.take(self.answered(query, pages), pages)
            self.remember(query, pages[0])
            self._events.catch_up()

    async def _load_next(self, query: ListQuery) -> None:
        """Load pages behind the last one, and show each as it comes."""
        while (listing := self.listing) is not None and listing.query.pages < query.pages:
            if listing.last_page is None or not listing.has_next_link:
                break
            last = (listing.last_page,)
            pages = await self._pages(replace(query, pages=2), last, "asking for the next page")
            if not pages:
                self._failed_next = query
                return
            self.take(listing.with_next(pages[-1], self._session.clock.now()), pages[-1:])
        self._failed_next = None
        self.query = replace(query, pages=self.listing.query.pages if self.listing else 1)
        self._events.catch_up()

    async def _load_first(self, query: ListQuery) -> None:
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
        self.take(merged, pages)
        self.remember(query, pages[0])
        self._events.catch_up()

    async def _pages(
        self, query: ListQuery, so_far: tuple[PetPage, ...], words: str
    ) -> tuple[PetPage, ...]:
        """Return the pages of a query; none where it failed, which is shown then."""
        progress = LoadingProgress(wanted=query.pages)
        is_long = query.pages > 1 and not so_far

        def came(page: PetPage) -> None:
            self._request.came()
            progress.came(len(page.rows))

        client, request = self._session.client, self._request
        self.progress = progress if is_long else None
        try:
            with request.waiting((lambda: progress.text) if is_long else words):
                return await load_pages(client, query, so_far, request.count_down, came)
        except PetClientError as error:
            self._events.show_failure(error)
            return ()
        finally:
            if self.progress is progress:
                self.progress = None

    def answered(self, query: ListQuery, pages: Sequence[PetPage]) -> Listing:
        """Return the answer to a query, compared with what is loaded."""
        keeps_marks, self._is_by_hand = not self._is_by_hand, False
        is_first, self._is_first = self._is_first, False
        now = self._session.clock.now()
        if self.listing is None or self.listing.is_kept:
            added = self._session.added_ids if is_first else ()
            return listing_of(query, pages, now, added=added)
        return self.listing.replaced(query, pages, now, keeps_marks=keeps_marks)

    def take(self, listing: Listing, come: Sequence[PetPage]) -> None:
        """Load another listing, made by what came, and show it."""
        before, self.listing = self.listing, listing
        self._events.show_answer(before, come)

    def remember(self, query: ListQuery, first_page: PetPage) -> None:
        """Let what the first page shows be there at once when it is asked for again."""
        self._session.seen.saw(query.status, first_page.pets, self._session.clock.now())
