"""A listing: what is loaded, what is marked, how it goes on, and when it is asked for again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.client import PetPage, UnreadablePet
from pettui.client.requests import Request
from pettui.models.pets import Pet
from pettui.models.validation import pet_of
from pettui.rows.shown import id_of
from pettui.tui.list.listing import (
    NO_MARKS,
    Listing,
    ListQuery,
    Marks,
    MergedRows,
    limit_of,
    listing_of,
    merged_rows,
)
from tests.animals import a_pet, an_unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from pettui.rows.shown import Element

    Ids: TypeAlias = Sequence[int | None]

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


def test_marks_last_until_the_next_response_unless_they_are_kept() -> None:
    first = asked_again(a_listing(a_page(1)), a_page(2, 1))
    assert first.marks == new(2)
    assert asked_again(first, a_page(2, 1)).marks == NO_MARKS
    assert asked_again(first, a_page(3, 2, 1), keeps_marks=True).marks == new(3, 2)


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


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (" 7 ", 7), ("1", 1), ("100", 100), ("007", 7), ("0", None), ("101", None), ("", None),
        ("-1", None), ("1.0", None), ("x", None), ("٤٠", None), ("1_0", None), ("9" * 5000, None),
    ],
    ids=lambda each: str(each)[:12],
)  # fmt: skip
def test_a_typed_limit_is_a_whole_number_of_the_interfaces(text: str, limit: int | None) -> None:
    assert limit_of(text) == limit


def rows_of(ids: Ids) -> list[Element]:
    return [an_unreadable(index) if one is None else a_pet(one) for index, one in enumerate(ids)]


def merged(loaded: Ids, page: Ids, *, is_whole: bool = False, went_on: bool = True) -> MergedRows:
    return merged_rows(rows_of(loaded), rows_of(page), is_whole=is_whole, went_on=went_on)


def row_ids(rows: Sequence[Element]) -> list[int | None]:
    return [row.id if isinstance(row, Pet) else None for row in rows]


LOADED = (9, 8, 7, 6, 5, 4)
MERGES: dict[str, tuple[Ids, Ids, Ids]] = {
    "nothing changed": (LOADED, (9, 8, 7), LOADED),
    "one came and one vanished": (LOADED, (10, 9, 7), (10, 9, 7, 6, 5, 4)),
    "nothing was loaded": ((), (9, 8), (9, 8)),
    "an empty page with more behind it": (LOADED, (), LOADED),
    "oldest first, one vanished": ((1, 2, 3, 4), (1, 3), (1, 3, 4)),
    "another order, a new one among them": ((5, 9, 1, 7), (5, 8, 9), (5, 8, 9, 1, 7)),
    "another order, one vanished": ((5, 9, 1, 7), (5, 1), (5, 1, 7)),
    "another order, one moved to the top": ((5, 9, 1, 7), (7, 5), (7, 5, 9, 1)),
    "another order, all are new": ((5, 9, 1, 7), (6, 8), (6, 8, 5, 9, 1, 7)),
    "one that is listed twice in the page": ((3, 2, 1), (4, 4, 3), (4, 4, 3, 2, 1)),
    "one that was listed twice": ((3, 3, 2, 1), (4, 3), (4, 3, 2, 1)),
    "one that could not be read, within the page": ((9, None, 8, 7), (9, None, 8), (9, None, 8, 7)),
    "one that can be read now": ((9, None, 7, 6), (9, 8, 7), (9, 8, 7, 6)),
    "one that ends the page": ((9, None, 7), (9, None), (9, None, 7)),
    "one that ended the page, behind a new one": ((9, 8, None, 7), (10, 9, 8), (10, 9, 8, None, 7)),
    "none that can be read": ((9, 8), (None, None), (None, None, 9, 8)),
}


@pytest.mark.parametrize(("loaded", "page", "expected"), MERGES.values(), ids=MERGES)
def test_new_rows_come_on_top_and_loaded_rows_below_stay(
    loaded: Ids, page: Ids, expected: Ids
) -> None:
    assert row_ids(merged(loaded, page).loaded) == list(expected)


GAPS: dict[str, tuple[Ids, Ids, bool]] = {
    "more came than a page holds": (LOADED, (14, 13, 12), True),
    "nothing was loaded": ((), (9, 8), False),
    "the page is empty": (LOADED, (), True),
    "none is shared, though the page reaches into them": ((9, 7, 5, 3), (8, 6), True),
    "another order, all are new": ((5, 9, 1), (6, 8), True),
}


@pytest.mark.parametrize(("loaded", "page", "expected"), GAPS.values(), ids=GAPS)
def test_a_gap_below_the_page_is_reported(loaded: Ids, page: Ids, expected: bool) -> None:
    assert merged(loaded, page).has_gap == expected


def test_a_row_that_moves_up_from_below_is_not_new_but_one_at_the_end_of_a_whole_list() -> None:
    assert merged((9, 8, 7), (9, 7, 6)).marks == Marks()
    assert merged((9, 8, 7), (10, 9, 6)).marks.new == {10}
    assert merged((1, 2), (1, 2, 3), went_on=False, is_whole=True).marks.new == {3}


def test_marks_stay_until_they_are_cleared_and_go_with_their_animals() -> None:
    marks = Marks(new=frozenset({9, 8, 4}), changed=frozenset({7, 5}))
    page = [a_pet(10), a_pet(9, "Luna"), a_pet(6, "Luna")]
    now = merged_rows(rows_of(LOADED), page, is_whole=False, went_on=True, marks=marks)
    assert now.marks == Marks(new=frozenset({10, 9, 4}), changed=frozenset({6, 5}))


orders = st.lists(st.one_of(st.integers(0, 15), st.none()), max_size=12)


@given(orders, orders, st.booleans(), st.booleans())
def test_in_any_order_the_page_is_on_top_and_no_animal_is_there_twice(
    loaded: list[int | None], page: list[int | None], is_whole: bool, went_on: bool
) -> None:
    now = merged(loaded, page, is_whole=is_whole, went_on=went_on)
    assert row_ids(now.loaded)[: len(page)] == page
    below = row_ids(now.loaded)[len(page) :]
    rest = iter(loaded)
    assert all(one in rest for one in below)
    assert not {*below} & {one for one in page if one is not None}
    there = {one for one in row_ids(now.loaded) if one is not None}
    assert not now.marks.new & now.marks.changed
    assert (now.marks.new | now.marks.changed) <= there
