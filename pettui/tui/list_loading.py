"""Loading a list: what is wanted, what is loaded of it, and the requests in between."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Final

from pettui.client import PetClientError
from pettui.models import PetStatus
from pettui.settings import LIMIT_MAXIMUM
from pettui.text import duration
from pettui.tui.lists.listing import LEAST_UNCHOSEN, ListQuery, kept_listing, listing_of
from pettui.tui.wording import NOTHING_NEW, query_text

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from pettui.client import OnWait, PetClient, PetPage
    from pettui.tui.lists.listing import Listing
    from pettui.tui.session import UserSession

MERGED_PAGES: Final = 5  # at most, until one overlaps with what is loaded
LEAST_SECONDS: Final = 1.0  # before that, rows a second say little


class Extent(Enum):
    """How much of a query is requested."""

    WHOLE = "its pages, in place of what is loaded"
    NEXT = "the pages after what is loaded"
    FIRST = "the first page, merged into what is loaded"
    ALL = "every page that the service links"


@dataclass(frozen=True, slots=True)
class Fetch:
    """What is to be requested."""

    extent: Extent
    query: ListQuery
    after: float = 0  # seconds to wait for a newer one first
    # The clerk asked for what is shown; where that is on its way, it is not requested again.
    clears_marks: bool = field(default=False, compare=False)


class ListLoader:
    """Knows no screen: what a key wants is returned as a ``Fetch``, and ``pages`` requests it."""

    def __init__(self, session: UserSession) -> None:
        left = session.seen.first_view
        limit = left.limit or session.settings.limit or LEAST_UNCHOSEN
        self.query = ListQuery(left.status, limit)  # the current one
        self.listing: Listing | None = None
        self.is_stale = False  # the newest query failed, and older rows are shown
        self.is_unconfirmed = False  # the listing is an earlier one, until a response comes
        self.progress: LoadingProgress | None = None  # while several pages are loaded together
        self.remark = ""  # on what the newest request brought
        self._session = session
        self._added_seen = 0
        self._loaded: dict[str | None, Listing] = {}  # by status; the one shown last at the end
        self._is_stopped = False  # the clerk did not wait for the query
        self._newest: Fetch | None = None  # that was wanted
        self._failed_next: ListQuery | None = None  # including the pages that were wanted
        # While all pages are loaded, in the largest there are. A list that was loaded in smaller
        # ones is loaded from the start; its rows stay until as many have arrived.
        self._unshown: tuple[PetPage, ...] = ()  # pages with fewer rows than are loaded
        self._all_query: ListQuery | None = None
        self._interrupted: Listing | None = None  # what was loaded when one of them failed

    # What is there

    @property
    def is_behind(self) -> bool:
        """Whether animals were added since the list was requested."""
        return self._added_seen != len(self._session.added_entry_ids)

    @property
    def is_loading_all(self) -> bool:
        """Whether all pages are being loaded."""
        return self.progress is not None and self.progress.wanted is None

    @property
    def has_all(self) -> bool:
        """Whether everything that the service lists is loaded."""
        listing = self._current
        return listing is not None and (listing.is_at_maximum or not listing.goes_on)

    @property
    def goes_on(self) -> bool:
        """Whether there is a next page, or a larger one, of the current query."""
        listing = self.listing
        if listing is None or listing.is_at_maximum:
            return False
        return listing.has_next_link or listing.larger_limit(self.query.limit) is not None

    @property
    def is_interrupted(self) -> bool:
        """Whether a later page failed, and is still wanted."""
        return self._failed_next == self.query or self._is_all_interrupted

    @property
    def _is_all_interrupted(self) -> bool:
        is_shown = self._interrupted is not None and self._interrupted is self.listing
        query = self._all_query
        return is_shown and query is not None and query.status == self.query.status

    @property
    def _current(self) -> Listing | None:
        """What a response brought of the current query's status."""
        listing = self.listing
        if listing is None or listing.is_kept or listing.query.status != self.query.status:
            return None
        return listing

    # What is wanted next

    def load(self, query: ListQuery, *, after: float = 0, clears_marks: bool = False) -> Fetch:
        """Want all pages of a query in place of what is loaded."""
        self._want(query)
        if self.listing is None or self.listing.query.status != query.status:
            self._show_last_list(query)
        return self._ask(Fetch(Extent.WHOLE, query, after, clears_marks))

    def _ask(self, fetch: Fetch) -> Fetch:
        self._newest = fetch
        return fetch

    def filter(self, status: str | None, limit: int) -> Fetch:
        """Want a status (None is all), what is loaded of it at once; the limit of a first load."""
        loaded = self._loaded.get(status)
        # A refused key (401) made the session forget what it was sent.
        if loaded is None or self._session.seen.of(status) is None:
            return self.load(ListQuery(status, limit))
        self._want(loaded.query)
        if loaded is not self.listing:
            self.listing, self.is_unconfirmed, self.is_stale = loaded, True, False
            self._keep(loaded)
        return self._ask(Fetch(Extent.FIRST, self.query))

    def more(self) -> Fetch | None:
        """Want the next page if the service links one, or else a larger one from the start."""
        listing, query = self._current, self.query
        if self.is_loading_all:
            return None
        if listing is None:
            return self.load(query._replace(pages=query.pages + 1))
        if listing.has_next_link:
            return self._next()
        limit = listing.larger_limit(query.limit)
        return None if limit is None else self.load(ListQuery(query.status, limit))

    def _next(self) -> Fetch:
        """Want one more page, after any that failed before it."""
        if self._failed_next != self.query:
            self.query = self.query._replace(pages=self.query.pages + 1)
        self._is_stopped = False
        return self._ask(Fetch(Extent.NEXT, self.query))

    def all_pages(self) -> Fetch | None:
        """Want what is missing from the current list; None while that is being loaded."""
        if self.is_loading_all or self.has_all:
            return None
        if not self._is_all_interrupted:
            self._unshown = ()
            self._all_query = ListQuery(self.query.status, LIMIT_MAXIMUM)
        return self._all()

    def _all(self) -> Fetch:
        self._interrupted = None
        self.query = self._all_query or self.query
        return self._ask(Fetch(Extent.ALL, self.query))

    def refresh(self, limit: int) -> Fetch:
        """Want what is shown again, without marks; or only what failed of it.

        Args:
            limit: to use from now on, if it is larger than that of the query.
        """
        if self._is_all_interrupted:
            return self._all()
        if self._failed_next == self.query:
            return self._next()
        query = self.query
        if limit > query.limit:
            pages = ceil(query.limit * query.pages / limit)
            query = query._replace(limit=limit, pages=pages)
        return self.load(query, clears_marks=True)

    def refresh_first_page(self) -> Fetch:
        """Want the first page, to be merged, as automatic refreshes do."""
        if self._is_stopped:
            self.give_up()
        listing, query = self.listing, self.query
        if listing is None or listing.is_kept or not listing.query.has_same_start(query):
            return self.load(query)
        return self._ask(Fetch(Extent.FIRST, query))

    def stop(self) -> str:
        """Want no more than is loaded; only the clerk asks again for another query.

        The caller cancels the request itself.

        Returns:
            What loading all pages brought, in words; "" if they were not being loaded.
        """
        if self.is_loading_all and self.progress is not None and self.listing is not None:
            brought, self.progress = self.progress.counts, None
            self._settle()
            return brought
        self._is_stopped = True
        if self.listing is not None and self.listing.query.has_same_start(self.query):
            self.query = self.listing.query
        return ""

    def give_up(self) -> None:
        """Want what is shown, and no longer what failed or was stopped."""
        if self.listing is not None:
            self._want(self.listing.query)

    def _want(self, query: ListQuery) -> None:
        self.query = query
        self._is_stopped = False
        self._session.seen.remember_view(status=query.status)

    def _show_last_list(self, query: ListQuery) -> None:
        """Show the first page of a status as it was last shown, until a response comes."""
        seen = self._session.seen.of(query.status)
        if seen is not None and seen.pets:
            at = datetime.fromtimestamp(seen.as_of, self._session.clock.now().tzinfo)
            self.listing = kept_listing(query._replace(pages=1), seen.pets, at)
            self.is_unconfirmed, self.is_stale = True, False
            self._session.outbox.saw(pet.id for pet in self.listing.pets)

    # Requests

    def begin(self, fetch: Fetch) -> str | Callable[[], str]:
        """Begin a fetch, whose ``pages`` follow; return what to say of it meanwhile."""
        self.remark, self.progress = "", None
        is_all = fetch.extent is Extent.ALL
        if is_all or (fetch.extent is Extent.WHOLE and fetch.query.pages > 1):
            self.progress = progress = LoadingProgress(wanted=None if is_all else fetch.query.pages)
            return lambda: progress.text
        is_next = fetch.extent is Extent.NEXT
        return "loading the next page" if is_next else query_text(fetch.query)

    async def pages(self, fetch: Fetch, on_wait: OnWait) -> AsyncGenerator[Sequence[PetPage], None]:
        """Request pages, and yield at each that arrives which are new in the listing; maybe none.

        Raises:
            PetClientError: a request failed; ``refresh`` wants what is missing.
        """
        request = {
            Extent.WHOLE: self._fetch_whole,
            Extent.NEXT: self._fetch_next,
            Extent.FIRST: self._fetch_first,
            Extent.ALL: self._fetch_all,
        }[fetch.extent]
        progress = self.progress
        try:
            async with aclosing(request(fetch.query, on_wait)) as arriving:
                async for new_pages in arriving:
                    yield new_pages
        finally:
            if self.progress is progress:
                self.progress = None

    async def _fetch_whole(
        self, query: ListQuery, on_wait: OnWait
    ) -> AsyncGenerator[Sequence[PetPage], None]:
        added, progress = len(self._session.added_entry_ids), self.progress
        pages: tuple[PetPage, ...] = ()
        async with aclosing(each_page(self._session.client, query, None, on_wait)) as arriving:
            async for page in arriving:
                pages = (*pages, page)
                if progress is not None:
                    progress.add_page(len(page.rows))
                if len(pages) >= query.pages:
                    break
                yield ()
        self._added_seen = added
        self._replace(query, pages)
        yield pages
        self._saw(query, pages)

    async def _fetch_next(
        self, query: ListQuery, on_wait: OnWait
    ) -> AsyncGenerator[Sequence[PetPage], None]:
        """Each page is shown as it arrives."""
        while (listing := self.listing) is not None and listing.query.pages < query.pages:
            if listing.last_page is None or not listing.has_next_link:
                break
            client = self._session.client
            try:
                page = await client.list_next_pets(listing.last_page, on_wait=on_wait)
            except PetClientError:
                self._failed_next = query
                raise
            self.remark = "" if self._append(listing, page) else NOTHING_NEW
            yield (page,)
        self._failed_next = None
        self.query = query._replace(pages=self.listing.query.pages if self.listing else 1)

    async def _fetch_first(
        self, query: ListQuery, on_wait: OnWait
    ) -> AsyncGenerator[Sequence[PetPage], None]:
        """Further pages too, as long as rows are missing between them and those that are loaded."""
        added = len(self._session.added_entry_ids)
        pages: tuple[PetPage, ...] = ()
        async with aclosing(each_page(self._session.client, query, None, on_wait)) as arriving:
            async for page in arriving:
                pages = (*pages, page)
                if (listing := self.listing) is None:
                    return
                now = self._session.clock.now()
                merged, has_gap = listing.merged(pages, now)
                if has_gap:
                    merged = listing.replaced(query, pages, now, keeps_marks=True)
                if not has_gap or len(pages) >= MERGED_PAGES:
                    break
                yield ()
        self._added_seen = added
        self.query = merged.query
        self._set(merged)
        yield pages
        self._saw(query, pages)

    async def _fetch_all(
        self, query: ListQuery, on_wait: OnWait
    ) -> AsyncGenerator[Sequence[PetPage], None]:
        """Each page is shown as it arrives, and stays if the next one fails."""
        before, progress = self._last_page(query), self.progress
        if before is not None and before.next_link is None:
            self._settle()
            return
        try:
            async with aclosing(
                each_page(self._session.client, query, before, on_wait)
            ) as arriving:
                async for page in arriving:
                    if progress is not None:
                        progress.add_page(len(page.rows))
                    if not self._unshown and self._last_page(query) and self.listing is not None:
                        has_new = self._append(self.listing, page)
                        yield (page,)
                        if page.rows and not has_new:
                            # As in a circle of links.
                            counts = f"stopped after {progress.counts}: " if progress else ""
                            self.remark = f"{counts}{NOTHING_NEW}"
                            break
                        continue
                    self._unshown = (*self._unshown, page)
                    if not self._covers(page):
                        yield ()
                        continue
                    pages, self._unshown = self._unshown, ()
                    self._replace(query, pages)
                    yield pages
                    self._saw(query, pages)
        except PetClientError:
            self._settle()
            self._interrupted = self.listing
            raise
        self._settle()

    def _last_page(self, query: ListQuery) -> PetPage | None:
        """Return the page to continue after; None is from the start."""
        if self._unshown:
            return self._unshown[-1]
        listing = self.listing
        is_of_query = listing is not None and listing.query.has_same_start(query)
        return listing.last_page if listing is not None and is_of_query else None

    def _covers(self, page: PetPage) -> bool:
        """Whether the pages not shown yet reach as far as what is loaded."""
        listing = self._current
        rows = sum(len(each.rows) for each in self._unshown)
        return listing is None or rows >= len(listing.loaded) or page.next_link is None

    def _settle(self) -> None:
        """Set the query to what is loaded."""
        listing, query = self.listing, self._all_query
        if listing is not None and query is not None and not listing.is_kept:
            self.query = listing.query if listing.query.status == query.status else self.query

    # What has come

    def _append(self, listing: Listing, page: PetPage) -> bool:
        """Add a page to the listing; return whether it had anything new."""
        longer = listing.with_next(page, self._session.clock.now())
        self._set(longer)
        return len(longer.loaded) > len(listing.loaded)

    def _replace(self, query: ListQuery, pages: Sequence[PetPage]) -> None:
        """Replace the listing by the pages of a query, compared with it."""
        keeps_marks = self._newest is None or not self._newest.clears_marks
        now, session, before = self._session.clock.now(), self._session, self.listing
        if before is None or before.is_kept or before.query.status != query.status:
            seen = session.seen.before(query.status, session.own_ids)
            self._set(listing_of(query, pages, now, seen if keeps_marks else None))
        else:
            self._set(before.replaced(query, pages, now, keeps_marks=keeps_marks))

    def _set(self, listing: Listing) -> None:
        """Show a listing, in which only what others added is new."""
        listing = listing.without_new(self._session.own_ids) if listing.marks.new else listing
        self.listing, self.is_unconfirmed, self.is_stale = listing, False, False
        self._keep(listing)

    def _saw(self, query: ListQuery, pages: Sequence[PetPage]) -> None:
        """Keep the first page for the next session, once the rows stand on the screen."""
        self._session.seen.saw(query.status, pages[0].pets, self._session.clock.now())

    def _keep(self, listing: Listing) -> None:
        """Keep what is loaded of each status, within one bound; the longest unseen goes first."""
        self._loaded.pop(listing.query.status, None)
        self._loaded[listing.query.status] = listing
        room = self._session.settings.limits.rows
        for status, each in reversed([*self._loaded.items()]):
            room -= len(each.loaded)
            if room < 0 and each is not listing:
                del self._loaded[status]


async def each_page(
    client: PetClient, query: ListQuery, before: PetPage | None, on_wait: OnWait
) -> AsyncGenerator[PetPage, None]:
    """Yield the pages of a query, as many as the service links (listPets).

    Args:
        client: of the service.
        query: its number of pages does not matter.
        before: the page before the first one that is yielded; None starts with the first page.
        on_wait: called before each pause between two attempts.

    Raises:
        PetClientError: a request failed; the pages before it were yielded.
    """
    status = PetStatus(query.status) if query.status else None
    page = before
    if page is None:
        page = await client.list_pets(query.limit, status, on_wait=on_wait)
        yield page
    while page.next_link is not None:
        page = await client.list_next_pets(page, on_wait=on_wait)
        yield page


@dataclass
class LoadingProgress:
    """The rows and pages loaded so far; no service says how many there will be."""

    rows: int = 0
    pages: int = 0
    wanted: int | None = None  # pages, if that is known
    clock: Callable[[], float] = monotonic

    def __post_init__(self) -> None:
        self._started_at = self.clock()

    def add_page(self, rows: int) -> None:
        """Count a page of so many rows."""
        self.rows += rows
        self.pages += 1

    @property
    def counts(self) -> str:
        """Rows and pages: "1,300 rows, 13 pages", "300 rows, 3 of 13 pages"."""
        of = "" if self.wanted is None else f"of {self.wanted} "
        pages = _plural(self.pages if self.wanted is None else self.wanted, "page")
        return f"{self.rows:,} {_plural(self.rows, 'row')}, {self.pages} {of}{pages}"

    @property
    def text(self) -> str:
        """The whole line: "loading: 1,300 rows, 13 pages, 420 rows/s, 3 s"."""
        seconds = self.clock() - self._started_at
        speed = f", {self.rows / seconds:,.0f} rows/s" if seconds >= LEAST_SECONDS else ""
        return f"loading: {self.counts}{speed}, {duration(seconds)}"


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"
