"""A listing: what is loaded, what is marked, how it goes on, and when it is asked for again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import accumulate, repeat
from typing import TYPE_CHECKING

import pytest

from pettui.client import PetPage, UnreadablePet
from pettui.client.requests import Request
from pettui.models.validation import pet_of
from pettui.remembered.last_lists import SeenRows
from pettui.remembered.seen_lists import SeenBefore
from pettui.rows.shown import id_of
from pettui.tui.list.listing import (
    NO_MARKS,
    Listing,
    ListQuery,
    Marks,
    kept_listing,
    larger,
    limit_for,
    limit_of,
    listing_of,
    smaller,
)
from pettui.tui.list.refreshing import Refreshing
from pettui.tui.session.session import RefreshPace

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.models.pets import Pet

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = NOON + timedelta(seconds=10)
REQUEST = Request("listPets", "GET", "", expected_status=200)
ALL = ListQuery(None, 20)
FULL = range(20, 0, -1)


def a_page(
    *ids: int, link: str | None = None, unreadable: tuple[int, ...] = (), **fields: object
) -> PetPage:
    rows: list[Pet | UnreadablePet] = [
        pet_of({"id": one, "name": "Rex", "categoryId": 3} | fields) for one in ids
    ]
    for index in unreadable:
        rows.insert(index, UnreadablePet(index, "no", "{}"))
    return PetPage(tuple(rows), (), 0.1, link, REQUEST)


def a_listing(*pages: PetPage, query: ListQuery = ALL) -> Listing:
    return listing_of(query, pages, NOON)


def asked_again(
    before: Listing, *pages: PetPage, query: ListQuery = ALL, keeps_marks: bool = False
) -> Listing:
    return before.replaced(query, pages, LATER, keeps_marks=keeps_marks)


def ids(listing: Listing) -> list[int | None]:
    return [*map(id_of, listing.loaded)]


def new(*ids: int) -> Marks:
    return Marks(new=frozenset(ids))


def test_rows_are_in_the_order_of_the_pages_unreadable_ones_included() -> None:
    listing = a_listing(a_page(9, 8, unreadable=(0, 2)), a_page(7, unreadable=(1,)))
    assert ids(listing) == [None, 9, None, 8, 7, None]
    assert listing.counts.unreadable == 3
    assert [pet.id for pet in listing.pets] == [9, 8, 7]
    assert listing.query.pages == 2


def test_an_unreadable_row_counts_among_those_beyond_the_limit() -> None:
    page = a_page(3, 2, unreadable=(1,))
    assert a_listing(page, query=ListQuery(None, 2)).counts.beyond_limit == 1
    assert a_listing(page, query=ListQuery(None, 3)).counts.beyond_limit == 0


def test_a_first_listing_marks_what_was_not_seen_before() -> None:
    assert a_listing(a_page(2, 1)).marks == NO_MARKS
    seen = SeenBefore(SeenRows(highest=1), {})
    assert listing_of(ALL, [a_page(2, 1)], NOON, seen).marks == new(2)


def test_marks_last_until_the_next_response_unless_they_are_kept() -> None:
    first = asked_again(a_listing(a_page(1)), a_page(2, 1))
    assert first.marks == new(2)
    assert asked_again(first, a_page(2, 1)).marks == NO_MARKS
    assert asked_again(first, a_page(3, 2, 1), keeps_marks=True).marks == new(3, 2)


@pytest.mark.parametrize("ids", [FULL, range(1, 21)], ids=["newest first", "oldest first"])
def test_rows_after_the_last_known_one_of_a_full_list_are_not_new(ids: range) -> None:
    further = a_page(*ids, 100, 101)
    after = asked_again(a_listing(a_page(*ids)), further, query=ListQuery(None, 40))
    assert after.marks == NO_MARKS


def test_the_next_page_goes_below_the_same_objects_and_marks_nothing_new() -> None:
    before = a_listing(a_page(4, 3, unreadable=(0,), link="/next"), query=ListQuery("sold", 2))
    after = before.with_next(a_page(2, 1, unreadable=(1,), link="/third"), LATER)
    assert ids(after) == [None, 4, 3, 2, None, 1]
    assert all(one is other for one, other in zip(before.loaded, after.loaded, strict=False))
    assert after.marks == NO_MARKS
    assert (after.query.pages, after.answered_at) == (2, LATER)
    assert (after.counts.unreadable, after.counts.of_another_status) == (2, 4)
    assert after.has_next_link


def test_an_animal_that_moved_down_between_pages_of_one_refresh_is_loaded_once() -> None:
    assert ids(a_listing(a_page(4, 3, link="/next"), a_page(3, 2, unreadable=(1,)))) == [
        4, 3, None, 2,
    ]  # fmt: skip
    before = a_listing(a_page(4, 3, link="/next"), a_page(2))
    after = asked_again(before, a_page(5, 4, link="/next"), a_page(4, 3, 2))
    assert ids(after) == [5, 4, 3, 2]
    assert (after.query.pages, after.marks) == (2, new(5))


def test_an_animal_that_is_twice_on_one_page_stays_there_twice() -> None:
    assert ids(a_listing(a_page(4, 4, link="/next"), a_page(4, 3))) == [4, 4, 3]


def test_marks_stay_when_the_next_page_comes() -> None:
    before = asked_again(a_listing(a_page(3, link="/n")), a_page(4, 3, link="/n"))
    assert before.with_next(a_page(2), LATER).marks == new(4)


def test_a_first_page_comes_on_top_and_loaded_rows_below_stay_with_their_link() -> None:
    before = a_listing(a_page(6, 5, link="/2")).with_next(a_page(4, 3, link="/3"), NOON)
    after, has_gap = before.merged([a_page(8, 7, 6, link="/other")], LATER)
    assert ids(after) == [8, 7, 6, 5, 4, 3]
    assert not has_gap
    assert after.marks == new(8, 7)
    assert after.query == before.query
    assert after.last_page is before.last_page
    assert after.answered_at == LATER


def test_marks_stay_when_a_first_page_is_merged() -> None:
    before, _ = a_listing(a_page(2, 1)).merged([a_page(3, 2, 1)], LATER)
    after, _ = before.merged([a_page(4, 3, 2, 1)], LATER)
    assert after.marks == new(4, 3)


def test_a_first_page_that_is_the_whole_list_removes_all_other_rows() -> None:
    before = a_listing(a_page(3, 2, 1, status="sold"), query=ListQuery("sold", 20))
    after, _ = before.merged([a_page(3, 1, status="sold")], LATER)
    assert ids(after) == [3, 1]
    assert not after.goes_on


def test_a_first_page_with_all_loaded_rows_continues_with_its_own_link() -> None:
    after, _ = a_listing(a_page(2, link="/2")).merged([a_page(3, 2, link="/other")], LATER)
    assert after.last_page is not None
    assert after.last_page.next_link == "/other"


def test_a_kept_listing_has_rows_and_a_time_and_no_next_page() -> None:
    listing = kept_listing(ListQuery("sold", 20), a_page(*FULL).rows, NOON)
    assert listing.is_kept
    assert ids(listing) == [*FULL]
    assert (listing.answered_at, listing.elapsed) == (NOON, None)
    assert not listing.goes_on
    assert listing.larger_limit(20) is None
    assert listing.counts.of_another_status == 20
    assert not a_listing(a_page(1)).is_kept


@pytest.mark.parametrize(
    ("limit", "next_limit"),
    [(1, 5), (19, 20), (20, 40), (50, 60), (80, 100), (99, 100), (100, None)],
)
def test_a_full_list_without_a_link_continues_with_the_next_limit(
    limit: int, next_limit: int | None
) -> None:
    listing = a_listing(a_page(*range(limit, 0, -1)), query=ListQuery(None, limit))
    assert listing.larger_limit(limit) == next_limit
    assert listing.is_at_maximum == (limit == 100)


def test_a_chain_of_pages_without_a_next_link_is_whole() -> None:
    pages = a_page(4, 3, link="/next"), a_page(2, 1)
    listing = a_listing(*pages, query=ListQuery(None, 2))
    assert not listing.goes_on
    assert listing.larger_limit(2) is None


def test_animals_with_a_status_not_requested_are_counted() -> None:
    listing = a_listing(a_page(1), query=ListQuery("sold", 20))
    assert listing.counts.of_another_status == 1
    assert a_listing(a_page(1)).counts.of_another_status == 0


@pytest.mark.parametrize(
    ("rows", "limit"), [(1, 20), (12, 20), (20, 20), (21, 21), (53, 53), (100, 100), (300, 100)]
)
def test_a_screen_is_filled_within_the_interfaces_bounds(rows: int, limit: int) -> None:
    assert limit_for(rows) == limit


def test_steps_lead_from_the_least_to_the_most_and_back() -> None:
    up = [*accumulate(repeat(0, 9), lambda limit, _: larger(limit), initial=1)]
    assert up == [1, 5, 10, 20, 40, 60, 80, 100, 100, 100]
    down = [*accumulate(repeat(0, 9), lambda limit, _: smaller(limit), initial=100)]
    assert down == [100, 80, 60, 40, 20, 10, 5, 1, 1, 1]


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("40", 40), (" 7 ", 7), ("1", 1), ("100", 100), ("007", 7), ("0", None), ("101", None),
        ("", None), (" ", None), ("-1", None), ("1.0", None), ("x", None), ("1e1", None),
        ("٤٠", None), ("²", None), ("1_0", None), ("9" * 5000, None), ("0" * 5000 + "5", 5),
    ],
    ids=lambda each: str(each)[:12],
)  # fmt: skip
def test_a_typed_limit_is_a_whole_number_of_the_interfaces(text: str, limit: int | None) -> None:
    assert limit_of(text) == limit


PACE = RefreshPace(first=2.0, longest=15.0, longest_watch=60.0)


def waits(timing: Refreshing, failures: int, *, is_away: bool = True) -> list[float | None]:
    """Return the seconds after each of so many failures."""
    found = []
    for _ in range(failures):
        timing.failed(is_away=is_away)
        found.append(timing.seconds())
    return found


@pytest.mark.parametrize(
    ("every", "expected"),
    [
        (None, [2.0, 4.0, 8.0, 15.0, 15.0]),
        (10.0, [20.0, 40.0, 60.0, 60.0, 60.0]),
        (1.0, [2.0, 4.0, 8.0, 16.0, 32.0]),
        (120.0, [120.0, 120.0, 120.0, 120.0, 120.0]),
    ],
    ids=str,
)
def test_each_failure_in_a_row_waits_longer_up_to_a_bound(
    every: float | None, expected: list[float]
) -> None:
    timing = Refreshing(PACE, max)
    timing.every = every
    assert waits(timing, 5) == expected
    assert timing.has_failed
    timing.succeeded()
    assert timing.seconds() == every
    assert not timing.has_failed
    assert waits(timing, 1) == expected[:1]


def test_a_permanent_failure_is_retried_only_while_the_list_is_watched() -> None:
    timing = Refreshing(PACE, max)
    assert waits(timing, 2, is_away=False) == [None, None]
    assert timing.next_in is None
    timing.every = 10.0
    assert timing.seconds() == 40.0


@pytest.mark.parametrize("spread", [max, min])
def test_a_service_that_asks_for_time_gets_up_to_77_minutes(
    spread: Callable[[float, float], float],
) -> None:
    timing = Refreshing(PACE, spread)
    timing.failed(is_away=True, retry_after=30.0)
    assert timing.seconds() == 30.0
    timing.failed(is_away=True, retry_after=0.0)
    assert timing.seconds() == spread(3.2, 4.0)
    timing.failed(is_away=True, retry_after=999_999_999.0)
    assert timing.seconds() == 4600.0


def test_clients_do_not_all_come_back_at_the_same_moment() -> None:
    timing = Refreshing(PACE)
    timing.failed(is_away=True)
    found = {timing.seconds() for _ in range(50)}
    assert len(found) > 1
    assert all(seconds is not None and 1.6 <= seconds <= 2.0 for seconds in found)
