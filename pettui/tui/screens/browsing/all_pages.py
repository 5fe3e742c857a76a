"""AllPages: loads one page after the other, until the service links none."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.client import PetClientError
from pettui.settings import LIMIT_MAXIMUM
from pettui.tui.lists.listing import ListQuery
from pettui.tui.lists.page_loading import each_page
from pettui.tui.wording.loading_progress import LoadingProgress

if TYPE_CHECKING:
    from pettui.client import PetPage
    from pettui.tui.lists.listing import Listing
    from pettui.tui.screens.background_request import BackgroundRequest
    from pettui.tui.screens.browsing.list_loader import ListLoader
    from pettui.tui.screens.browsing.loader_events import LoaderEvents
    from pettui.tui.user_session import UserSession


class AllPages:
    """Each page is shown as it comes, and stays, whatever becomes of the next one.

    Pages are as large as the interface allows. A list that is loaded in smaller ones is asked for
    from its beginning; its rows stay until as many came.
    """

    def __init__(
        self,
        session: UserSession,
        request: BackgroundRequest,
        loader: ListLoader,
        events: LoaderEvents,
    ) -> None:
        self.progress: LoadingProgress | None = None  # while pages are loaded
        self._session = session
        self._request = request
        self._loader = loader
        self._events = events
        self._held: tuple[PetPage, ...] = ()  # fewer rows than were loaded before
        self._query: ListQuery | None = None
        self._interrupted: Listing | None = None  # what was loaded when a page failed

    @property
    def is_interrupted(self) -> bool:
        """Whether a page failed, and nothing else came since."""
        return self._interrupted is not None and self._interrupted is self._loader.listing

    @property
    def has_all(self) -> bool:
        """Whether the whole list is loaded, as far as the service shows it."""
        listing, query = self._loader.listing, self._loader.query
        if listing is None or listing.is_kept or listing.query.status != query.status:
            return False
        return listing.is_at_maximum or not listing.goes_on

    def start(self) -> None:
        """Load what is not loaded yet of the list that is asked for."""
        if self.progress is None:
            self._held = ()
            self._query = ListQuery(self._loader.query.status, LIMIT_MAXIMUM)
            self._send(self._query)

    def resume(self) -> None:
        """Go on from the page that failed."""
        if self._query is not None:
            self._send(self._query)

    def stop(self) -> str:
        """Stop, keep what came, and return it in words."""
        progress, listing = self.progress, self._loader.listing
        self._request.cancel()
        self.progress = None
        self._settle()
        return "" if progress is None or listing is None else progress.counts

    def _send(self, query: ListQuery) -> None:
        self._interrupted = None
        self._loader.query = query
        self._events.show_asked(by_itself=False)
        self._request.send(self._load, query)

    async def _load(self, query: ListQuery) -> None:
        self.progress = progress = LoadingProgress()
        try:
            with self._request.waiting(lambda: progress.text, says_after=0):
                await self._take_pages(query, progress)
        except PetClientError as error:
            self._settle()
            self._interrupted = self._loader.listing
            self._events.show_failure(error)
            return
        finally:
            if self.progress is progress:
                self.progress = None
        self._settle()
        self._events.catch_up()

    async def _take_pages(self, query: ListQuery, progress: LoadingProgress) -> None:
        before = self._last_page(query)
        if before is not None and before.next_link is None:
            return
        pages = each_page(self._session.client, query, before, self._request.count_down)
        async with aclosing(pages) as come:
            async for page in come:
                self._request.came()
                progress.came(len(page.rows))
                if not self._take(query, page):
                    return

    def _last_page(self, query: ListQuery) -> PetPage | None:
        """Return the page to go on from; None is from the beginning."""
        if self._held:
            return self._held[-1]
        listing = self._loader.listing
        return (
            listing.last_page
            if listing is not None and listing.query.has_same_start(query)
            else None
        )

    def _take(self, query: ListQuery, page: PetPage) -> bool:
        """Show a page; whether the one behind it may have anything new."""
        loader, listing = self._loader, self._loader.listing
        if not self._held and self._last_page(query) is not None and listing is not None:
            longer = listing.with_next(page, self._session.clock.now())
            loader.take(longer, [page])
            return not page.rows or len(longer.loaded) > len(listing.loaded)
        self._held = (*self._held, page)
        if self._covers(query, page):
            pages, self._held = self._held, ()
            loader.take(loader.answered(replace(query, pages=len(pages)), pages), pages)
            loader.remember(query, pages[0])
        return True

    def _covers(self, query: ListQuery, page: PetPage) -> bool:
        """Whether the pages that are held back reach as far as what is loaded."""
        listing = self._loader.listing
        if listing is None or listing.is_kept or listing.query.status != query.status:
            return True
        rows = sum(len(each.rows) for each in self._held)
        return rows >= len(listing.loaded) or page.next_link is None

    def _settle(self) -> None:
        """Have what is loaded asked for from now on, and no more."""
        if self._loader.listing is not None and self._query is not None:
            listing = self._loader.listing
            if listing.query.status == self._query.status and not listing.is_kept:
                self._loader.query = listing.query
