"""Loading a list: what is wanted, what is loaded of it, the requests in between, and refreshing."""

from __future__ import annotations

from contextlib import aclosing
from datetime import datetime
from enum import Enum
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.client import Backoff, PetClientError
from pettui.models.pets import PetStatus
from pettui.settings.settings import LIMIT_MAXIMUM
from pettui.text.amounts import counted, duration
from pettui.tui.list.listing import ListQuery, last_listing, limit_for, listing_of, which_animals

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.tui.session.session import RefreshPace

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from pettui.client import Notice, OnWait, PetPage
    from pettui.tui.list.listing import Listing
    from pettui.tui.session.session import UserSession

    Arriving = AsyncGenerator[Sequence[PetPage], None]

NOTHING_NEW: Final = "the last page had nothing new"
MERGED_PAGES: Final = 5  # at most, until one overlaps with what is loaded
LEAST_SECONDS: Final = 1.0  # before that, rows a second say little


class Extent(Enum):
    """How much of a query is requested."""

    WHOLE = "its pages, in place of what is loaded"
    NEXT = "the pages after what is loaded"
    FIRST = "the first page, merged into what is loaded"
    ALL = "every page that the service links"


class Fetch(NamedTuple):
    """What is to be requested."""

    extent: Extent
    query: ListQuery
    after: float = 0  # seconds to wait for a newer one first

    @property
    def continues(self) -> bool:
        """Whether what is loaded of the query already is not requested again."""
        return self.extent in (Extent.NEXT, Extent.ALL)


class Standing(Enum):
    """How current the rows are that are loaded."""

    CURRENT = "those of the newest response, or none came yet"
    EARLIER = "older than the query, until a response comes"
    FAILED = "older: the newest request brought none"
    STOPPED = "older: the clerk did not wait, and only a key of theirs asks for that again"


class ListLoader:
    """Knows no screen: what a key wants is returned as a ``Fetch``, and ``pages`` requests it."""

    def __init__(self, session: UserSession) -> None:
        self._session = session
        left = session.seen.first_view
        self._chosen_limit = left.limit  # None where none was chosen
        self.query = ListQuery(left.status, self.limit(0))  # the current one
        self.listing: Listing | None = None
        self.progress: LoadingProgress | None = None  # while several pages are loaded together
        self.remark = ""  # on what the newest request brought
        self.notices: Sequence[Notice] = ()  # of the newest response with any
        self.is_automatic = False  # the newest wish: no key asked for it
        self._state = Standing.CURRENT
        self._failed: Fetch | None = None  # the newest one, where pages after what is loaded failed
        self._clears_marks = False  # the newest wish: then no row counts as new or changed
        self._added_seen = 0
        self._loaded: dict[str | None, Listing] = {}  # by status; the one shown last at the end

    # The limit: what the clerk chose, else the setting, else as many as the screen has rows

    def limit(self, height: int) -> int:
        """Return the limit of the next list, on a screen of a height."""
        return self._chosen_limit or self.unchosen_limit(height)

    def unchosen_limit(self, height: int) -> int:
        """Return the limit without a choice."""
        return self._session.settings.limit or limit_for(height)

    def choose_limit(self, limit: int | None) -> None:
        """Use a limit from now on, also in later sessions; None is the one without a choice."""
        self._chosen_limit = limit
        self._session.seen.remember_view(limit=limit)

    # What is there

    @property
    def is_unconfirmed(self) -> bool:
        """Whether the listing is an earlier one, until a response comes."""
        return self._state is Standing.EARLIER

    @property
    def is_stale(self) -> bool:
        """Whether no response came to the newest request, and older rows are shown."""
        return self._state not in (Standing.CURRENT, Standing.EARLIER)

    @property
    def wants_more(self) -> bool:
        """Whether more pages are wanted than are loaded, or larger ones."""
        query, listing = self.query, self._current
        wanted = (query.limit, query.pages)
        return listing is not None and wanted > (listing.query.limit, listing.query.pages)

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
        """Whether a page after what is loaded failed, and is still wanted."""
        return self._failed is not None

    @property
    def _current(self) -> Listing | None:
        """What a response brought of the current query's status."""
        listing = self.listing
        if listing is None or listing.is_last_list or listing.query.status != self.query.status:
            return None
        return listing

    # What is wanted next

    def load(self, query: ListQuery, *, after: float = 0, clears_marks: bool = False) -> Fetch:
        """Want all pages of a query in place of what is loaded."""
        if self.listing is None or self.listing.query.status != query.status:
            self._show_last_list(query)
        return self._ask(Fetch(Extent.WHOLE, query, after), clears_marks=clears_marks)

    def _ask(self, fetch: Fetch, *, clears_marks: bool = False) -> Fetch:
        # Also where the same is on its way already, and is not requested again.
        self._want(fetch.query)
        self._failed = None
        self._clears_marks, self.is_automatic = clears_marks, False
        return fetch

    def filter(self, status: str | None, limit: int) -> Fetch:
        """Want a status (None is all), what is loaded of it at once; the limit of a first load."""
        if (loaded := self._known(status, limit)) is None:
            return self.load(ListQuery(status, limit))
        if loaded is not self.listing:
            self.listing, self._state = loaded, Standing.EARLIER
            self._keep(loaded)
        return self._ask(Fetch(Extent.FIRST, loaded.query))

    def _known(self, status: str | None, limit: int) -> Listing | None:
        """Return what is loaded of a status, also of a whole list of all; None for nothing."""
        has_forgotten, whole = self._session.seen.has_forgotten, self._loaded.get(None)
        loaded = self._loaded_of(status)
        if loaded is not None:
            return None if has_forgotten(status) else loaded
        if status is None or whole is None or not whole.is_whole or has_forgotten(None):
            return None
        return whole.only(status, limit) if whole.counts.by_status.get(status) else None

    def _loaded_of(self, status: str | None) -> Listing | None:
        """Return the list of a status that responses brought."""
        shown = self.listing
        if shown is not None and shown.query.status == status and not shown.is_last_list:
            return shown
        return self._loaded.get(status)

    def count_of(self, status: str | None) -> tuple[int, bool] | None:
        """Return how many of the loaded rows a status has, and whether that is all of them.

        None: no response brought any.
        """
        if (listing := self._loaded_of(status)) is not None:
            return len(listing.loaded), listing.is_whole
        if (listing := self._loaded_of(None)) is not None:
            return listing.counts.by_status.get(status, 0), listing.is_whole
        return None

    def more(self) -> Fetch | None:
        """Want the next page if the service links one, or else a larger one from the start."""
        listing, query = self._current, self.query
        if self.is_loading_all:
            return None
        if listing is None:
            return self.load(query._replace(pages=query.pages + 1))
        if listing.has_next_link:
            query = query if listing.query.has_same_start(query) else listing.query
            return self._ask(Fetch(Extent.NEXT, query._replace(pages=query.pages + 1)))
        limit = listing.larger_limit(query.limit)
        return None if limit is None else self.load(ListQuery(query.status, limit))

    def all_pages(self) -> Fetch | None:
        """Want what is missing from the current list; None while that is being loaded.

        They are as large as there are. A list that was loaded in smaller ones is loaded from the
        start, and its rows stay until as many have arrived.
        """
        if self.is_loading_all or self.has_all:
            return None
        return self._ask(Fetch(Extent.ALL, ListQuery(self.query.status, LIMIT_MAXIMUM)))

    def refresh(self, limit: int) -> Fetch:
        """Want what is shown again, without marks; or only what failed of it.

        Args:
            limit: to use from now on, if it is larger than that of the query.
        """
        if self._failed is not None:
            return self._ask(self._failed)
        query, listing = self.query, self._current
        limit = max(limit, query.limit)
        pages = ceil(query.limit * query.pages / limit)
        if listing is not None and not listing.counts.beyond_limit:
            # Also of new ones, on top; but for a few of them no page more each time.
            pages = max(pages, round(len(listing.loaded) / limit))
        return self.load(query._replace(limit=limit, pages=pages), clears_marks=True)

    def refresh_first_page(self) -> Fetch:
        """Want the first page, to be merged, as automatic refreshes do."""
        if self._state is Standing.STOPPED:
            self.give_up()
        listing, query = self.listing, self.query
        if listing is None or listing.is_last_list or not listing.query.has_same_start(query):
            fetch = self.load(query)
        else:
            fetch = self._ask(Fetch(Extent.FIRST, query))
        self.is_automatic = True
        return fetch

    def stop(self) -> str:
        """Want no more than is loaded; only the clerk asks again for another query.

        The caller cancels the request itself.

        Returns:
            What loading all pages added to a response, in words; "" for nothing.
        """
        if self.is_loading_all and self.progress is not None and self._current is not None:
            brought, self.progress = self.progress.counts, None
            self._settle()
            return brought
        if (listing := self.listing) is not None:
            is_all = self.is_loading_all and listing.query.status == self.query.status
            if is_all or listing.query.has_same_start(self.query):
                self.query = listing.query
        self._state = Standing.STOPPED
        return ""

    def give_up(self) -> None:
        """Want what is shown, and no longer what failed or was stopped."""
        if self.listing is not None:
            self._want(self.listing.query)
        self._failed = None

    def _want(self, query: ListQuery) -> None:
        self.query = query
        self._session.seen.remember_view(status=query.status)

    def _show_last_list(self, query: ListQuery) -> None:
        """Show the first page of a status as it was last shown, until a response comes."""
        seen = self._session.seen.of(query.status)
        if seen is not None and seen.pets:
            at = datetime.fromtimestamp(seen.as_of, self._session.clock.now().tzinfo)
            self.listing = last_listing(query._replace(pages=1), seen.pets, at)
            self._state = Standing.EARLIER

    # Requests

    def begin(self, fetch: Fetch) -> str | Callable[[], str]:
        """Begin a fetch, whose ``pages`` follow; return what to say of it meanwhile."""
        self.remark, self.progress = "", None
        is_all = fetch.extent is Extent.ALL
        if is_all or (fetch.extent is Extent.WHOLE and fetch.query.pages > 1):
            self.progress = progress = LoadingProgress(wanted=None if is_all else fetch.query.pages)
            return lambda: progress.text
        is_next = fetch.extent is Extent.NEXT
        whole = f"loading {which_animals(fetch.query.status)} animals"
        return "loading the next page" if is_next else whole

    async def pages(self, fetch: Fetch, on_wait: OnWait) -> Arriving:
        """Request pages, and yield at each that arrives which are new in the listing; maybe none.

        Raises:
            PetClientError: a request failed; ``refresh`` wants what is missing.
        """
        progress = self.progress
        try:
            async with aclosing(self._request(fetch, on_wait)) as arriving:
                async for new_pages in arriving:
                    if new_pages:
                        self.notices = new_pages[-1].notices
                    yield new_pages
        except PetClientError as error:
            self.notices = error.notices or self.notices
            self._state = Standing.FAILED
            if fetch.continues and self.listing is not None:
                self._settle()
                self._failed = fetch
            raise
        finally:
            if self.progress is progress:
                self.progress = None
        self._settle()

    async def _request(self, fetch: Fetch, on_wait: OnWait) -> Arriving:
        """Each page after what is loaded is shown as it arrives, and stays if the next one fails.

        Those from the first on take the place of what is loaded once enough have arrived.
        """
        query, progress, added = fetch.query, self.progress, len(self._session.added_entry_ids)
        begun = self._begun(query) if fetch.continues else None
        pages: tuple[PetPage, ...] = ()  # from the first on
        before = None if begun is None else begun.last_page
        async with aclosing(self._each_page(query, before, on_wait)) as arriving:
            async for page in arriving:
                if begun is None:
                    pages = (*pages, page)
                    merged = self._merged(pages) if fetch.extent is Extent.FIRST else None
                    if merged is None and not self._are_enough(pages, fetch):
                        yield ()
                        continue
                    self._added_seen = added
                    if merged is not None:
                        self._set(merged)
                    else:
                        self._replace(query, pages)
                    if fetch.extent is Extent.FIRST:
                        self._settle()
                    yield pages
                    self._saw(query, pages)
                    if fetch.extent is not Extent.ALL:
                        break
                    begun = self.listing
                    continue
                longer = begun.with_next(page, self._session.clock.now())
                has_new = len(longer.loaded) > len(begun.loaded)
                self._set(longer)
                begun = longer
                yield (page,)
                if progress is None:
                    self.remark = "" if has_new else NOTHING_NEW
                    if longer.query.pages >= query.pages:
                        break
                elif page.rows and not has_new:  # as in a circle of links
                    self.remark = f"stopped after {progress.counts}: {NOTHING_NEW}"
                    break

    def _merged(self, pages: Sequence[PetPage]) -> Listing | None:
        """Return the listing with its first pages replaced; None where rows are missing between."""
        listing = self.listing
        return None if listing is None else listing.merged(pages, self._session.clock.now())

    def _are_enough(self, pages: Sequence[PetPage], fetch: Fetch) -> bool:
        """Whether pages from the first on can take the place of what is loaded."""
        if pages[-1].next_link is None:
            return True
        if fetch.extent is Extent.ALL:  # as soon as they reach as far
            listing = self._current
            return listing is None or sum(len(each.rows) for each in pages) >= len(listing.loaded)
        return len(pages) >= (MERGED_PAGES if fetch.extent is Extent.FIRST else fetch.query.pages)

    async def _each_page(
        self, query: ListQuery, before: PetPage | None, on_wait: OnWait
    ) -> AsyncGenerator[PetPage, None]:
        """Count and yield the pages after one, or from the first on, as many as are linked."""
        client, page = self._session.client, before
        while page is None or page.next_link is not None:
            if page is None:
                status = PetStatus(query.status) if query.status else None
                page = await client.list_pets(query.limit, status, on_wait=on_wait)
            else:
                page = await client.list_next_pets(page, on_wait=on_wait)
            if self.progress is not None:
                self.progress.add_page(len(page.rows))
            yield page

    def _begun(self, query: ListQuery) -> Listing | None:
        """Return the listing that pages of a query continue; None is from the start."""
        current = self._current
        return current if current is not None and current.query.has_same_start(query) else None

    def _settle(self) -> None:
        """Set the query to what is loaded of its status."""
        if (current := self._current) is not None:
            self.query = current.query

    # What has come

    def _replace(self, query: ListQuery, pages: Sequence[PetPage]) -> None:
        """Replace the listing by the pages of a query; rows that differ are new or changed."""
        now, session, before = self._session.clock.now(), self._session, self.listing
        keeps_marks = not self._clears_marks
        if before is None or before.is_last_list or before.query.status != query.status:
            seen = session.seen.before(query.status, session.own_ids)
            self._set(listing_of(query, pages, now, seen if keeps_marks else None))
        else:
            self._set(before.replaced(query, pages, now, keeps_marks=keeps_marks))

    def _set(self, listing: Listing) -> None:
        """Show a listing, in which only what others added is new."""
        if new := listing.marks.new:
            marks = listing.marks._replace(new=new - self._session.own_ids)
            listing = listing._replace(marks=marks)
        self.listing, self._state = listing, Standing.CURRENT
        self._keep(listing)

    def _saw(self, query: ListQuery, pages: Sequence[PetPage]) -> None:
        """Keep the first page for the next session, once the rows stand on the screen."""
        self._session.seen.saw(query.status, pages[0].pets, self._session.clock.now())

    def _keep(self, listing: Listing) -> None:
        """Keep what is loaded of each status, within one bound; the longest unseen goes first.

        Where the list of all is whole, it is kept alone: the others are parts of it.
        """
        whole = self._loaded.get(None)
        if listing.query.status is None and listing.is_whole:
            self._loaded.clear()
        elif listing.query.status is not None and whole is not None and whole.is_whole:
            return
        self._loaded.pop(listing.query.status, None)
        self._loaded[listing.query.status] = listing
        room = self._session.settings.limits.rows
        for status, each in reversed([*self._loaded.items()]):
            room -= len(each.loaded)
            if room < 0 and each is not listing:
                del self._loaded[status]


class LoadingProgress:
    """The rows and pages loaded so far; no service says how many there will be."""

    def __init__(self, wanted: int | None, clock: Callable[[], float] = monotonic) -> None:
        self.rows = self.pages = 0
        self.wanted = wanted  # pages, if that is known
        self.clock = clock
        self._started_at = clock()

    def add_page(self, rows: int) -> None:
        """Count a page of so many rows."""
        self.rows += rows
        self.pages += 1

    @property
    def counts(self) -> str:
        """Rows and pages: "1,300 rows, 13 pages", "300 rows, 3 of 13 pages"."""
        of_wanted = f"{self.pages} of {counted(self.wanted or 0, 'page')}"
        pages = counted(self.pages, "page") if self.wanted is None else of_wanted
        return f"{counted(self.rows, 'row')}, {pages}"

    @property
    def text(self) -> str:
        """The whole line: "loading: 1,300 rows, 13 pages, 420 rows/s, 3 s"."""
        seconds = self.clock() - self._started_at
        speed = f", {self.rows / seconds:,.0f} rows/s" if seconds >= LEAST_SECONDS else ""
        return f"loading: {self.counts}{speed}, {duration(seconds)}"


COUNTED_EVERY: Final = 1.0  # seconds


class Refreshing:
    """When the next refresh is due, by the newest response or failure."""

    def __init__(
        self,
        pace: RefreshPace,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Start without a failure, and without a watch.

        Args:
            pace: the seconds between refreshes.
            clock: the time in seconds.
        """
        self.every: float | None = None  # seconds; None while the list is not watched
        self._pace = pace
        self._clock = clock
        self._due_at: float | None = None
        self._failures = 0
        self._retry_after: float | None = None
        self._retries = False

    @property
    def next_in(self) -> float | None:
        """The seconds until the next refresh; None if none is planned."""
        return None if self._due_at is None else max(self._due_at - self._clock(), 0.0)

    def wakes_in(self, *, is_paused: bool) -> float | None:
        """Return the seconds until it is due or, before, until it counts down; None for neither.

        Args:
            is_paused: it may not begin now; it is looked at again each second.
        """
        if self.next_in is None:
            return None
        return min(self.next_in, COUNTED_EVERY) if self.next_in or not is_paused else COUNTED_EVERY

    @property
    def has_failed(self) -> bool:
        """Whether no refresh succeeded since the last failure."""
        return self._failures > 0

    def remark(self, *, is_typing: bool) -> str:
        """Return what is refreshed without a key, and when; "" for nothing.

        Args:
            is_typing: something is typed, for which refreshing pauses.
        """
        if self.next_in is not None and not is_typing and self.has_failed:
            return f"next attempt in {duration(ceil(self.next_in))}"
        if self.every is None:
            return ""
        is_paused = self.next_in is not None and is_typing
        return "watch paused" if is_paused else f"watch {self.every:g} s"

    def watch(self, every: float | None) -> None:
        """Refresh at this interval in seconds from now on; None stops refreshing."""
        self.every = every
        self.plan()

    def begin(self) -> None:
        """Plan no refresh until the response or the failure of the one that begins."""
        self._due_at = None

    def succeeded(self) -> None:
        """Forget the failures: a response came."""
        self._failures = 0
        self.plan()

    def failed(self, *, is_tried: bool, retry_after: float | None = None) -> None:
        """Wait longer with each failure in a row.

        Args:
            is_tried: the service could not be reached, or asked for a wait, so it is retried even
                without a watch.
            retry_after: seconds that the service asked to wait.
        """
        self._failures += 1
        self._retries = is_tried
        self._retry_after = retry_after
        self.plan()

    def plan(self) -> None:
        """Plan the next refresh anew, from now."""
        seconds = self.seconds()
        self._due_at = None if seconds is None else self._clock() + seconds

    def seconds(self) -> float | None:
        """Return the seconds until the next automatic refresh; None for none."""
        if not self._failures:
            return self.every
        if self.every is None and not self._retries:
            return None
        pace, every = self._pace, self.every
        if every is None:
            return Backoff(pace.first, pace.longest).at_least(self._failures, self._retry_after)
        backoff = Backoff(2 * every, pace.longest_watch)
        return max(every, backoff.at_least(self._failures, self._retry_after))
