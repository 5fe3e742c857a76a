"""A listing: the animals that are loaded for one query, and how they came there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pettui.client import UnreadablePet
from pettui.settings import LIMIT_MAXIMUM
from pettui.tui.lists.page_limit import larger
from pettui.tui.rows.counting import NO_COUNTS, Counts, counts_of, pets_of
from pettui.tui.rows.merging import NO_MARKS, Marks, merged_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from pettui.client import Notice, PetPage
    from pettui.models import Pet
    from pettui.tui.rows.row_view import Element


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What listPets is asked: enough to ask it again."""

    status: str | None
    limit: int
    pages: int = 1  # how many to load, by their next links

    def asks_same(self, other: ListQuery) -> bool:
        """Whether the first page of both is the same."""
        return (self.status, self.limit) == (other.status, other.limit)


@dataclass(frozen=True, slots=True)
class Listing:
    """What is loaded for one query. What comes makes another one, of the same objects."""

    query: ListQuery  # with as many pages as were loaded
    loaded: tuple[Element, ...] = field(repr=False)  # in the service's order
    answered_at: datetime  # the newest answer
    marks: Marks = NO_MARKS
    counts: Counts = NO_COUNTS
    last_page: PetPage | None = field(default=None, repr=False)
    """Where the service goes on; None where no answer came yet: this is what was kept."""
    elapsed: float | None = None  # seconds that the newest answer took; None where none came yet
    notices: tuple[Notice, ...] = ()  # of the newest answer
    remarks: tuple[str, ...] = ()  # of all its answers

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The animals alone, in the service's order; found anew at each call."""
        return tuple(pets_of(self.loaded))

    @property
    def is_kept(self) -> bool:
        """Whether it was kept from an earlier time, and not answered yet."""
        return self.last_page is None

    @property
    def has_next_link(self) -> bool:
        """Whether the service links a further page."""
        return self.last_page is not None and self.last_page.next_link is not None

    @property
    def is_at_maximum(self) -> bool:
        """Whether this is as much as one list of the interface can hold, with no link on."""
        is_largest = self.query.limit == LIMIT_MAXIMUM
        return is_largest and self.goes_on and not self.has_next_link

    @property
    def goes_on(self) -> bool:
        """Whether the service may have more than these."""
        is_full = self.query.pages == 1 and len(self.loaded) >= self.query.limit
        return self.has_next_link or (is_full and not self.is_kept)

    def larger_limit(self, than: int) -> int | None:
        """Return the next limit to ask for where there is no link; None where that is no use."""
        if self.has_next_link or not self.goes_on or than >= LIMIT_MAXIMUM:
            return None
        return larger(than)

    def with_next(self, page: PetPage, at: datetime) -> Listing:
        """Return this list with the page behind it.

        Animals that are loaded are not loaded twice.
        """
        come = _unknown(page, {pet.id for pet in pets_of(self.loaded)})
        return replace(
            self,
            query=replace(self.query, pages=self.query.pages + 1),
            loaded=(*self.loaded, *come),
            answered_at=at,
            counts=self.counts + counts_of(come, self.query.status),
            last_page=page,
            elapsed=page.elapsed,
            notices=page.notices,
            remarks=tuple(dict.fromkeys((*self.remarks, *page.remarks))),
        )

    def replaced(
        self, query: ListQuery, pages: Sequence[PetPage], at: datetime, *, keeps_marks: bool
    ) -> Listing:
        """Return the answer to a query that asked for all that is to be shown.

        What is new or changed is marked where the same status was asked for before; another status
        has nothing to be compared with.

        Args:
            query: what was asked.
            pages: what was answered.
            at: when.
            keeps_marks: marks stay that the rows have; otherwise they go, as by the clerk's hand.
        """
        listing = listing_of(query, pages, at)
        if self.query.status != query.status:
            return listing
        marks = self.marks if keeps_marks else NO_MARKS
        merged = merged_rows(
            self.loaded, listing.loaded, is_whole=True, went_on=self.goes_on, marks=marks
        )
        return replace(listing, marks=merged.marks)

    def merged(self, pages: Sequence[PetPage], at: datetime) -> tuple[Listing, bool]:
        """Return this list with its first pages as they are now, and whether it has a gap.

        There is one where none of the loaded rows was reached: rows are missing then between
        these pages and those below.
        """
        first = listing_of(replace(self.query, pages=1), pages, at)
        merged = merged_rows(
            self.loaded,
            first.loaded,
            is_whole=not first.goes_on,
            went_on=self.goes_on,
            marks=self.marks,
        )
        if len(merged.loaded) == len(first.loaded):
            return replace(first, marks=merged.marks), merged.has_gap
        beyond = first.counts.beyond_limit
        listing = replace(
            first,
            query=self.query,
            loaded=merged.loaded,
            marks=merged.marks,
            counts=counts_of(merged.loaded, self.query.status, beyond_limit=beyond),
            last_page=self.last_page,
        )
        return listing, merged.has_gap


def listing_of(
    query: ListQuery, pages: Sequence[PetPage], at: datetime, *, added: Collection[int] = ()
) -> Listing:
    """Return the listing of an answer that is compared with nothing.

    Args:
        query: what was asked.
        pages: what was answered, at least one.
        at: when.
        added: ids that are new all the same.
    """
    loaded = _rows_of(pages)
    new = frozenset(pet.id for pet in pets_of(loaded) if pet.id in added) if added else frozenset()
    newest = pages[-1]
    return Listing(
        replace(query, pages=len(pages)),
        loaded,
        at,
        Marks(new=new),
        counts_of(loaded, query.status, beyond_limit=max(len(pages[0].rows) - query.limit, 0)),
        newest,
        newest.elapsed,
        newest.notices,
        tuple(dict.fromkeys(remark for page in pages for remark in page.remarks)),
    )


def kept_listing(query: ListQuery, loaded: Iterable[Element], at: datetime) -> Listing:
    """Return what a query showed at an earlier time: there is no answer to it yet."""
    rows = tuple(loaded)
    return Listing(query, rows, at, counts=counts_of(rows, query.status))


def _rows_of(pages: Iterable[PetPage]) -> tuple[Element, ...]:
    """Return the rows of pages, one behind the other, with no animal on two of them."""
    rows: list[Element] = []
    known: set[int] = set()
    for page in pages:
        come = _unknown(page, known)
        rows += come
        known.update(pet.id for pet in pets_of(come))
    return tuple(rows)


def _unknown(page: PetPage, known: Collection[int]) -> list[Element]:
    """Return the rows of a page that no page before it had.

    Where pages are counted, and not linked by the last animal, those come again that were moved
    down by new ones. What is twice on one page stays there twice: the service says so.
    """
    return [row for row in page.rows if isinstance(row, UnreadablePet) or row.id not in known]
