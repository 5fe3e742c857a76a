"""Which animal of a list an unknown entry became."""

from __future__ import annotations

import pytest

from pettui.models import Pet
from pettui.outbox import EntryState, find_lost_add, is_newest_first
from tests.outbox.scripted import an_entry

UNKNOWN = EntryState.UNKNOWN
REX = an_entry("Rex", UNKNOWN)


def pet(number: int, name: str = "Rex", category: int = 3, status: str | None = None) -> Pet:
    return Pet(id=number, name=name, category_id=category, status=status)


def test_it_has_the_name_and_the_category_of_the_entry() -> None:
    pets = [pet(4, "rex"), pet(3, category=4), pet(2), pet(1, "Rex ")]
    assert find_lost_add(REX, pets) == pet(2)


@pytest.mark.parametrize("status", [None, "available", "newborn"])
def test_an_entry_without_a_status_may_have_got_any_from_the_service(status: str | None) -> None:
    assert find_lost_add(REX, [pet(1, status=status)]) is not None


def test_an_entry_with_a_status_became_no_animal_of_another() -> None:
    entry = an_entry("Rex", UNKNOWN, status="sold")
    assert find_lost_add(entry, [pet(2, status="available"), pet(1, status="sold")]).id == 1


def test_of_duplicates_it_is_none_that_another_entry_became() -> None:
    assert find_lost_add(REX, [pet(2), pet(1)], {2}) == pet(1)


def test_it_is_none_that_was_there_before_it_was_typed() -> None:
    assert find_lost_add(REX, [pet(3, "Mimi"), pet(2)], after_id=2) is None


def test_ids_that_fall_from_the_top_tell_which_animal_is_newer() -> None:
    assert not is_newest_first([pet(1, "Mimi"), pet(9, "Tiny"), pet(2)])
    assert is_newest_first([pet(9), pet(2), pet(1)])
    assert is_newest_first([])


def test_of_several_that_can_be_it_it_is_the_oldest() -> None:
    assert find_lost_add(REX, [pet(4), pet(3), pet(1)], after_id=1) == pet(3)
