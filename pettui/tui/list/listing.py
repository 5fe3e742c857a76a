"""A listing: the animals that are loaded for one query, and how further pages come into it."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.client import PetPage, UnreadablePet
from pettui.models.pets import Pet, ids_fall
from pettui.models.statuses import status_word
from pettui.rows.shown import id_of, pets_of
from pettui.settings.settings import LIMIT_BOUNDS, LIMIT_MAXIMUM, LIMIT_MINIMUM

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from pettui.appearance.glyphs import GlyphSet
    from pettui.remembered.seen_lists import SeenBefore
    from pettui.rows.columns import Column
    from pettui.rows.shown import Element, RowView, ShownRows


def next_new_or_changed(index: int, rows: Sequence[Element], marks: Marks, step: int) -> int | None:
    """Return the index of the next or previous new or changed row, wrapping round; None for none.

    Args:
        index: the cursor's.
        rows: the rows that are shown.
        marks: of the loaded rows.
        step: 1 for the next one, -1 for the previous one.
    """
    marked = marks.new | marks.changed
    if not marked or not rows:
        return None
    behind = range(index + step, len(rows) if step > 0 else -1, step)
    before = range(index + 1) if step > 0 else range(len(rows) - 1, index - 1, -1)
    return next((i for i in chain(behind, before) if id_of(rows[i]) in marked), None)


LEAST_UNCHOSEN: Final = 20  # the limit on a screen of fewer rows; the service has its own
STEPS: Final = (1, 5, 10, 20, 40, 60, 80, 100)
VALID_LIMIT: Final = f"a whole number from {LIMIT_BOUNDS}"


class ListQuery(NamedTuple):
    """The parameters of listPets, and how many pages."""

    status: str | None
    limit: int
    pages: int = 1  # to load, by their next links

    def has_same_start(self, other: ListQuery) -> bool:
        """Whether both have the same first page."""
        return (self.status, self.limit) == (other.status, other.limit)


class Counts(NamedTuple):
    """How many rows of each status there are, and how many differ from what was requested.

    They are stored: all tabs show them at each drawing.
    """

    unreadable: int = 0
    of_another_status: int = 0
    beyond_limit: int = 0  # in the first page
    by_status: Mapping[str | None, int] = MappingProxyType({})


NO_COUNTS: Final = Counts()


class Marks(NamedTuple):
    """Ids of animals that are new or changed since the last refresh by hand."""

    new: frozenset[int] = frozenset()
    changed: frozenset[int] = frozenset()  # none of the new ones


NO_MARKS: Final = Marks()


class Listing(NamedTuple):
    """What is loaded for one query, immutable; further pages and refreshes return a new one."""

    query: ListQuery  # with as many pages as were loaded
    loaded: tuple[Element, ...]  # in the service's order
    answered_at: datetime  # when the newest response came
    marks: Marks = NO_MARKS
    counts: Counts = NO_COUNTS
    last_page: PetPage | None = None
    """Links the next page; None while only the last list of an earlier session is shown."""
    elapsed: float | None = None  # seconds until the newest response; None where none came yet
    remarks: tuple[str, ...] = ()  # of all responses
    seen: SeenBefore | None = None
    """What is not new on further pages; None, as after a refresh by hand: nothing is new."""

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The animals without unreadable rows, in the service's order; computed at each call."""
        return tuple(pets_of(self.loaded))

    @property
    def is_last_list(self) -> bool:
        """Whether this is the last list of an earlier session, before any response."""
        return self.last_page is None

    @property
    def has_next_link(self) -> bool:
        """Whether the service links a further page."""
        return self.last_page is not None and self.last_page.next_link is not None

    @property
    def is_at_maximum(self) -> bool:
        """Whether the list is as long as the interface allows, without a next link."""
        is_largest = self.query.limit == LIMIT_MAXIMUM
        return is_largest and self.goes_on and not self.has_next_link

    @property
    def end_is_unknown(self) -> bool:
        """Whether nobody knows if these are all: the service links no pages, and may list fewer."""
        return self.last_page is not None and self.last_page.may_go_on and not self.goes_on

    @property
    def goes_on(self) -> bool:
        """Whether the service may have more rows."""
        is_full = self.query.pages == 1 and len(self.loaded) >= self.query.limit
        return self.has_next_link or (is_full and not self.is_last_list)

    @property
    def is_whole(self) -> bool:
        """Whether these surely are all rows of the query, as the service had them."""
        last = self.last_page
        return last is not None and not (self.goes_on or last.is_cut or self.end_is_unknown)

    def only(self, status: str, limit: int) -> Listing:
        """Return the list of a status, in pages of a limit, of a whole list of all."""
        loaded = tuple(pet for pet in pets_of(self.loaded) if pet.status == status)
        pages = max(ceil(len(loaded) / limit), 1)
        ids = {pet.id for pet in loaded}
        return self._replace(
            query=ListQuery(status, limit, pages),
            loaded=loaded,
            marks=Marks(self.marks.new & ids, self.marks.changed & ids),
            counts=counts_of(loaded, status),
            remarks=(),
        )

    def larger_limit(self, than: int) -> int | None:
        """Return a limit that may load more without a next link; None where none does."""
        if self.has_next_link or not self.goes_on or than >= LIMIT_MAXIMUM:
            return None
        return larger(than)

    def with_next(self, page: PetPage, at: datetime) -> Listing:
        """Return this list with its next page; animals that are loaded already are left out."""
        new_rows = _unknown(page, {pet.id for pet in pets_of(self.loaded)})
        loaded, new = (*self.loaded, *new_rows), frozenset[int]()
        if self.seen is not None:
            new = self.seen.new_among(pets_of(new_rows), is_first=False)
        beyond = self.counts.beyond_limit
        return self._replace(
            query=self.query._replace(pages=self.query.pages + 1),
            loaded=loaded,
            answered_at=at,
            marks=self.marks._replace(new=self.marks.new | new) if new else self.marks,
            counts=counts_of(loaded, self.query.status, beyond_limit=beyond),
            last_page=page,
            elapsed=page.elapsed,
            remarks=tuple(dict.fromkeys((*self.remarks, *page.remarks))),
        )

    def replaced(
        self, query: ListQuery, pages: Sequence[PetPage], at: datetime, *, keeps_marks: bool
    ) -> Listing:
        """Return the listing of a query that replaces this one; new and changed rows are marked.

        Args:
            query: the new query, of the same status.
            pages: its pages.
            at: when they came.
            keeps_marks: keep the marks that rows have; a refresh by hand clears them.
        """
        listing = listing_of(query, pages, at)
        marks = self.marks if keeps_marks else NO_MARKS
        merged = merged_rows(
            self.loaded, listing.loaded, is_whole=True, went_on=self.goes_on, marks=marks
        )
        return listing._replace(marks=merged.marks, seen=self.seen if keeps_marks else None)

    def merged(self, pages: Sequence[PetPage], at: datetime) -> Listing | None:
        """Return this list with its first pages replaced.

        None: the new pages share no row with the loaded ones, and rows between them are missing.
        """
        first = listing_of(self.query._replace(pages=1), pages, at)
        merged = merged_rows(
            self.loaded,
            first.loaded,
            is_whole=not first.goes_on,
            went_on=self.goes_on,
            marks=self.marks,
        )
        if merged.has_gap:
            return None
        first = first._replace(marks=merged.marks, seen=self.seen)
        if len(merged.loaded) == len(first.loaded):
            return first
        beyond = first.counts.beyond_limit
        return first._replace(
            query=self.query,
            loaded=merged.loaded,
            counts=counts_of(merged.loaded, self.query.status, beyond_limit=beyond),
            last_page=self.last_page,
        )


def listing_of(
    query: ListQuery, pages: Sequence[PetPage], at: datetime, seen: SeenBefore | None = None
) -> Listing:
    """Return the listing of a query of which nothing is loaded yet.

    Args:
        query: the query.
        pages: its pages, at least one.
        at: when they came.
        seen: what is not new; None if nothing is.
    """
    loaded = _rows_of(pages)
    new = frozenset() if seen is None else seen.new_among(pets_of(loaded), is_first=True)
    newest = pages[-1]
    return Listing(
        query._replace(pages=len(pages)),
        loaded,
        at,
        Marks(new=new),
        counts_of(loaded, query.status, beyond_limit=max(len(pages[0].rows) - query.limit, 0)),
        newest,
        newest.elapsed,
        tuple(dict.fromkeys(remark for page in pages for remark in page.remarks)),
        seen,
    )


def last_listing(query: ListQuery, loaded: Iterable[Element], at: datetime) -> Listing:
    """Return a query's last list of an earlier session, to show until a response comes."""
    rows = tuple(loaded)
    return Listing(query, rows, at, counts=counts_of(rows, query.status))


def _rows_of(pages: Iterable[PetPage]) -> tuple[Element, ...]:
    """Return the rows of all pages, without animals that an earlier page has."""
    rows: list[Element] = []
    known: set[int] = set()
    for page in pages:
        new_rows = _unknown(page, known)
        rows += new_rows
        known.update(pet.id for pet in pets_of(new_rows))
    return tuple(rows)


def _unknown(page: PetPage, known: Collection[int]) -> list[Element]:
    """Return the rows of a page that no page before it had.

    If a service links pages by offset, new animals push rows onto the next page, which then has
    them again. An animal that is twice on one page stays there twice, as the service sent it.
    """
    return [row for row in page.rows if isinstance(row, UnreadablePet) or row.id not in known]


def counts_of(rows: Sequence[Element], status: str | None, *, beyond_limit: int = 0) -> Counts:
    """Return the counts of some rows; ``status`` is the requested one, None for all."""
    by_status = Counter(pet.status for pet in pets_of(rows))
    pets = by_status.total()
    others = 0 if status is None else pets - by_status[status]
    return Counts(len(rows) - pets, others, beyond_limit, by_status)


# A refreshed page is merged into the rows, and marks what is new or changed. The interface leaves
# the order of a list open: only the rows that both share show which animals a page would contain if
# they still existed.


class MergedRows(NamedTuple):
    """The rows after a page was merged."""

    loaded: tuple[Element, ...]
    marks: Marks
    has_gap: bool  # rows may be missing below the page: merge it together with the next page


def merged_rows(
    loaded: Sequence[Element],
    page: Sequence[Element],
    *,
    is_whole: bool,
    went_on: bool,
    marks: Marks = NO_MARKS,
) -> MergedRows:
    """Return a first page followed by the loaded rows below it.

    New rows come on top, and changed ones are replaced. Loaded rows stay, except those that the
    page would contain if they still existed.

    Args:
        loaded: in the service's order, from the first page on.
        page: the first page, or the first pages joined, as they are now.
        is_whole: no page follows, so rows that the page does not contain are gone.
        went_on: the service had more rows than were loaded; one that moves up is not new.
        marks: of the loaded rows; they stay.
    """
    known = {pet.id: pet for pet in pets_of(loaded)}
    listed = set(map(_identity, page))
    reach = len(loaded) if is_whole else _reach(loaded, page)
    below = [row for row in loaded[reach:] if _identity(row) not in listed]
    shared = known.keys() & listed
    merged = (*page, *below)
    return MergedRows(
        merged,
        _marks(merged, page, known, marks, went_on=went_on),
        has_gap=bool(below) and not shared,
    )


def _identity(row: Element) -> int | str:
    return row.excerpt if isinstance(row, UnreadablePet) else row.id


def _reach(loaded: Sequence[Element], page: Sequence[Element]) -> int:
    """Return how many of the loaded rows, from the top, a page would contain.

    They end with the last row that both share; there are none where rows changed their order.
    """
    indexes = {one: index for index, row in enumerate(loaded, 1) if (one := id_of(row)) is not None}
    shared = [indexes[pet.id] for pet in pets_of(page) if pet.id in indexes]
    return shared[-1] if shared and ids_fall(shared[::-1]) else 0


def _marks(
    merged: Sequence[Element],
    page: Sequence[Element],
    known: dict[int, Pet],
    before: Marks,
    *,
    went_on: bool,
) -> Marks:
    """Return the marks of the merged rows; those of animals that are gone go with them."""
    pets = pets_of(page)
    last = max((index for index, pet in enumerate(pets) if pet.id in known), default=len(pets))
    seen = pets[: last + 1] if went_on else pets
    new = {pet.id for pet in seen if pet.id not in known}
    changed = {pet.id for pet in pets if pet.id in known and pet != known[pet.id]}
    listed = {pet.id for pet in pets_of(merged)}
    now_new = (before.new | new) & listed
    return Marks(now_new, ((before.changed | changed) - now_new) & listed)


# The limit of a page: by the screen's rows, in steps, or as typed


def limit_for(rows: int) -> int:
    """Return the default limit for a screen of so many rows."""
    return max(LEAST_UNCHOSEN, min(rows, LIMIT_MAXIMUM))


def larger(limit: int) -> int:
    """Return the next step above a limit, or the maximum."""
    return next((step for step in STEPS if step > limit), LIMIT_MAXIMUM)


def smaller(limit: int) -> int:
    """Return the next step below a limit, or the minimum."""
    return next((step for step in reversed(STEPS) if step < limit), LIMIT_MINIMUM)


def limit_of(text: str) -> int | None:
    """Return the limit that was typed; None where it is not valid."""
    digits = text.strip().lstrip("0")
    if re.fullmatch(r"[1-9][0-9]{0,2}", digits, re.ASCII) is None:
        return None
    return int(digits) if int(digits) <= LIMIT_MAXIMUM else None


def which_animals(status: str | None) -> str:
    """Return which animals a list has: "all", "sold"."""
    return "all" if status is None else status_word(status)


def found_text(shown: ShownRows) -> tuple[str, str]:
    """Return how many of the loaded rows were found, and a shorter form of the same."""
    found, loaded = len(shown.indexes), len(shown.loaded)
    return f"{found:,} of {loaded:,} loaded", f"{found:,} of {loaded:,}"


def direction_sign(glyphs: GlyphSet, view: RowView, column: Column) -> str:
    """Return the glyph of a column's sort direction; "" where rows are not sorted by it."""
    found = (
        glyphs.descending if each.is_descending else glyphs.ascending
        for each in view.order
        if each.column is column
    )
    return next(found, "")
