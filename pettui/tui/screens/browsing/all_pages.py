"""AllPages: loads one page after the other, until there is no next link."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from pettui.client import PetClientError
from pettui.settings import LIMIT_MAXIMUM
from pettui.tui.lists.listing import ListQuery
from pettui.tui.lists.page_loading import each_page
from pettui.tui.wording import NOTHING_NEW, LoadingProgress

if TYPE_CHECKING:
    from pettui.client import PetPage
    from pettui.tui.lists.listing import Listing
    from pettui.tui.screens.background_request import BackgroundRequest
    from pettui.tui.screens.browsing.list_loader import ListLoader
    from pettui.tui.screens.browsing.loader_events import LoaderEvents
    from pettui.tui.user_session import UserSession


class AllPages:
    """Each page is shown as it arrives, and stays if the next one fails.

    Pages are as large as the interface allows. A list loaded in smaller pages is loaded from the
    start; its rows stay until as many have arrived.
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
        self._unshown: tuple[PetPage, ...] = ()  # pages with fewer rows than are loaded
        self._query: ListQuery | None = None
        self._interrupted: Listing | None = None  # what was loaded when a page failed

    @property
    def is_interrupted(self) -> bool:
        """Whether a page failed, and nothing was loaded since."""
        return self._interrupted is not None and self._interrupted is self._loader.listing

    @property
    def has_all(self) -> bool:
        """Whether everything that the service lists is loaded."""
        listing, query = self._loader.listing, self._loader.query
        if listing is None or listing.is_kept or listing.query.status != query.status:
            return False
        return listing.is_at_maximum or not listing.goes_on

    def start(self) -> None:
        """Load what is missing from the current list."""
        if self.progress is None:
            self._unshown = ()
            self._query = ListQuery(self._loader.query.status, LIMIT_MAXIMUM)
            self._send(self._query)

    def resume(self) -> None:
        """Continue with the page that failed."""
        if self._query is not None:
            self._send(self._query)

    def stop(self) -> str:
        """Stop, keep what has arrived, and return how much that is, in words."""
        progress, listing = self.progress, self._loader.listing
        self._request.cancel()
        self.progress = None
        self._settle()
        return "" if progress is None or listing is None else progress.counts

    def _send(self, query: ListQuery) -> None:
        self._interrupted = None
        self._loader.query = query
        self._events.show_query(is_automatic=False)
        self._request.send(self._load, query)

    async def _load(self, query: ListQuery) -> None:
        self.progress = progress = LoadingProgress()
        try:
            with self._request.busy(lambda: progress.text, is_shown_at_once=True):
                has_ended = await self._load_pages(query, progress)
        except PetClientError as error:
            self._settle()
            self._interrupted = self._loader.listing
            self._events.show_failure(error)
            return
        finally:
            if self.progress is progress:
                self.progress = None
        self._settle()
        if not has_ended:
            self._events.show_remark(f"stopped after {progress.counts}: {NOTHING_NEW}")
        self._events.catch_up()

    async def _load_pages(self, query: ListQuery, progress: LoadingProgress) -> bool:
        """Load pages to the end; False if one had nothing new, as in a circle of links."""
        before = self._last_page(query)
        if before is not None and before.next_link is None:
            return True
        pages = each_page(self._session.client, query, before, self._request.count_down)
        async with aclosing(pages) as arriving:
            async for page in arriving:
                self._request.progressed()
                progress.add_page(len(page.rows))
                if not self._show_page(query, page):
                    return False
        return True

    def _last_page(self, query: ListQuery) -> PetPage | None:
        """Return the page to continue after; None is from the start."""
        if self._unshown:
            return self._unshown[-1]
        listing = self._loader.listing
        return (
            listing.last_page
            if listing is not None and listing.query.has_same_start(query)
            else None
        )

    def _show_page(self, query: ListQuery, page: PetPage) -> bool:
        """Show a page; return whether the next one may have anything new."""
        loader, listing = self._loader, self._loader.listing
        if not self._unshown and self._last_page(query) is not None and listing is not None:
            longer = listing.with_next(page, self._session.clock.now())
            loader.set_listing(longer, [page])
            return not page.rows or len(longer.loaded) > len(listing.loaded)
        self._unshown = (*self._unshown, page)
        if self._covers(query, page):
            pages, self._unshown = self._unshown, ()
            loader.replace_listing(query, pages)
        return True

    def _covers(self, query: ListQuery, page: PetPage) -> bool:
        """Whether the pages not shown yet reach as far as what is loaded."""
        listing = self._loader.listing
        if listing is None or listing.is_kept or listing.query.status != query.status:
            return True
        rows = sum(len(each.rows) for each in self._unshown)
        return rows >= len(listing.loaded) or page.next_link is None

    def _settle(self) -> None:
        """Set the query to what is loaded."""
        if self._loader.listing is not None and self._query is not None:
            listing = self._loader.listing
            if listing.query.status == self._query.status and not listing.is_kept:
                self._loader.query = listing.query
