"""A listing: rows in order, what is marked, and how it goes on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pettui.client import PetPage, UnreadablePet
from pettui.models import Pet
from pettui.tui.listing import Listing, Mark, Question, listing_of

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ALL = Question(None, 20)


def a_page(
    *ids: int, link: str | None = None, unreadable: tuple[int, ...] = (), **fields: object
) -> PetPage:
    rows: list[Pet | UnreadablePet] = [
        Pet(id=one, name="Rex", categoryId=3, **fields) for one in ids
    ]
    for index in unreadable:
        rows.insert(index, UnreadablePet(index, "no", "{}"))
    return PetPage(tuple(rows), (), 0.1, link)


def a_listing(*pages: PetPage, question: Question = ALL, before: Listing | None = None) -> Listing:
    return listing_of(question, pages, NOON, before)


def marks(listing: Listing) -> dict[int | None, Mark | None]:
    return {row.pet_id: row.mark for row in listing.rows}


def test_rows_stand_in_the_order_of_all_pages_with_unreadable_ones_in_their_places() -> None:
    listing = a_listing(a_page(9, 8, unreadable=(0, 2)), a_page(7, unreadable=(1,)))
    assert [row.pet_id for row in listing.rows] == [None, 9, None, 8, 7, None]
    assert listing.unreadable == 3
    assert [pet.id for pet in listing.pets] == [9, 8, 7]
    assert listing.question.pages == 2


def test_an_unreadable_row_counts_among_those_beyond_the_limit() -> None:
    page = a_page(3, 2, unreadable=(1,))
    assert a_listing(page, question=Question(None, 2)).beyond_limit == 1
    assert a_listing(page, question=Question(None, 3)).beyond_limit == 0


def test_a_first_listing_marks_nothing() -> None:
    assert set(marks(a_listing(a_page(2, 1))).values()) == {None}


def test_another_status_marks_nothing() -> None:
    before = a_listing(a_page(2, 1))
    after = a_listing(a_page(5), question=Question("sold", 20), before=before)
    assert marks(after) == {5: None}


def test_what_was_not_there_before_is_new_and_what_differs_is_changed() -> None:
    before = a_listing(a_page(2, 1))
    changed = PetPage(
        (*a_page(3).pets, *a_page(2, status="sold").pets, *a_page(1).pets), (), 0, None
    )
    assert marks(a_listing(changed, before=before)) == {3: Mark.NEW, 2: Mark.CHANGED, 1: None}


def test_marks_last_for_one_answer() -> None:
    first = a_listing(a_page(1))
    second = a_listing(a_page(2, 1), before=first)
    third = a_listing(a_page(2, 1), before=second)
    assert (second.count(Mark.NEW), third.count(Mark.NEW)) == (1, 0)


@pytest.mark.parametrize(
    "ids", [range(20, 0, -1), range(1, 21)], ids=["newest first", "oldest first"]
)
def test_rows_behind_the_last_known_one_of_a_full_list_are_not_new(ids: range) -> None:
    before = a_listing(a_page(*ids))
    further = a_page(*ids, 100, 101)
    assert a_listing(further, question=Question(None, 40), before=before).count(Mark.NEW) == 0


def test_rows_of_the_next_page_are_not_new() -> None:
    first = a_page(4, 3, link="/next")
    before = a_listing(first)
    assert a_listing(first, a_page(2, 1), before=before).count(Mark.NEW) == 0


def test_rows_at_the_end_of_a_whole_list_are_new() -> None:
    before = a_listing(a_page(1, 2))
    assert marks(a_listing(a_page(1, 2, 3), before=before))[3] is Mark.NEW


def test_where_no_row_is_known_any_more_all_are_new() -> None:
    before = a_listing(a_page(*range(20, 0, -1)))
    assert a_listing(a_page(*range(60, 40, -1)), before=before).count(Mark.NEW) == 20


def test_a_link_says_that_it_goes_on_and_no_larger_limit_is_asked_for() -> None:
    listing = a_listing(a_page(1, link="/next"))
    assert listing.goes_on
    assert listing.larger_limit(20) is None


@pytest.mark.parametrize(
    ("limit", "larger"), [(1, 20), (19, 20), (20, 40), (50, 60), (80, 100), (99, 100), (100, None)]
)
def test_a_full_list_without_a_link_goes_on_with_the_next_step(
    limit: int, larger: int | None
) -> None:
    listing = a_listing(a_page(*range(limit, 0, -1)), question=Question(None, limit))
    assert listing.larger_limit(limit) == larger
    assert listing.is_at_maximum == (limit == 100)


def test_a_list_that_is_not_full_is_all_there_is() -> None:
    listing = a_listing(a_page(1, 2))
    assert not listing.goes_on
    assert listing.larger_limit(20) is None


def test_a_chain_of_pages_that_ended_is_all_there_is() -> None:
    pages = a_page(4, 3, link="/next"), a_page(2, 1)
    listing = a_listing(*pages, question=Question(None, 2))
    assert not listing.goes_on
    assert listing.larger_limit(2) is None


def test_animals_of_another_status_than_asked_for_are_counted() -> None:
    listing = a_listing(a_page(1), question=Question("sold", 20))
    assert listing.strangers == 1
    assert a_listing(a_page(1)).strangers == 0
