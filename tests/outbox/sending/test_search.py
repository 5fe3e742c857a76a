"""Which animal of a list an unknown entry became."""

from __future__ import annotations

import pytest

from pettui.models import Pet
from pettui.outbox import EntryState
from pettui.outbox.sending.search import find
from tests.outbox.scripted import an_entry

UNKNOWN = EntryState.UNKNOWN


def pet(number: int, name: str = "Rex", category: int = 3, status: str | None = None) -> Pet:
    return Pet(id=number, name=name, category_id=category, status=status)


def test_it_has_the_name_and_the_category_of_the_entry() -> None:
    pets = [pet(4, "rex"), pet(3, category=4), pet(2), pet(1, "Rex ")]
    assert find(an_entry("Rex", UNKNOWN), pets, set()) == pet(2)


@pytest.mark.parametrize("status", [None, "available", "newborn"])
def test_an_entry_without_a_status_may_have_got_any_from_the_service(status: str | None) -> None:
    assert find(an_entry("Rex", UNKNOWN), [pet(1, status=status)], set()) is not None


def test_an_entry_with_a_status_became_no_animal_of_another() -> None:
    entry = an_entry("Rex", UNKNOWN, status="sold")
    assert find(entry, [pet(2, status="available"), pet(1, status="sold")], set()).id == 1


def test_of_duplicates_it_is_none_that_another_entry_became() -> None:
    assert find(an_entry("Rex", UNKNOWN), [pet(2), pet(1)], {2}) == pet(1)


def test_it_is_none_that_was_there_before_it_was_typed() -> None:
    assert find(an_entry("Rex", UNKNOWN, after_id=2), [pet(3, "Mimi"), pet(2)], set()) is None


def test_where_ids_do_not_grow_they_say_nothing_about_age() -> None:
    pets = [pet(1, "Mimi"), pet(9, "Tiny"), pet(2)]
    assert find(an_entry("Rex", UNKNOWN, after_id=5), pets, set()) == pet(2)


def test_of_several_that_can_be_it_it_is_the_oldest() -> None:
    assert find(an_entry("Rex", UNKNOWN, after_id=1), [pet(4), pet(3), pet(1)], set()) == pet(3)


def test_in_an_empty_list_it_is_not() -> None:
    assert find(an_entry("Rex", UNKNOWN), [], set()) is None
