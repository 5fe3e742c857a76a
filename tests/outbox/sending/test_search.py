"""Which animal of a list an unknown entry became."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.models import Pet
from pettui.outbox import Entry, EntryState, MemoryEntryStore
from tests.outbox.scripted import ScriptedClient, an_entry

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Container

    from tests.outbox.conftest import MakeOutbox

    Find = Callable[[Entry, list[Pet], Container[int]], Awaitable[Pet | None]]

UNKNOWN = EntryState.UNKNOWN


def pet(number: int, name: str = "Rex", category: int = 3, status: str | None = None) -> Pet:
    return Pet(id=number, name=name, category_id=category, status=status)


@pytest.fixture
def find(make_outbox: MakeOutbox, client: ScriptedClient) -> Find:
    """Return what looks for an entry in a list, while others became these animals."""

    async def find(entry: Entry, pets: list[Pet], others: Container[int]) -> Pet | None:
        store = MemoryEntryStore()
        store.add(entry)
        for number in others:
            key = f"{number:020d}-0000000a"
            store.add(an_entry("Other", EntryState.ADDED, key=key, pet_id=number))
        client.lists.append(pets)
        return await make_outbox(store).look_for(entry.key)

    return find


async def test_it_has_the_name_and_the_category_of_the_entry(find: Find) -> None:
    pets = [pet(4, "rex"), pet(3, category=4), pet(2), pet(1, "Rex ")]
    assert await find(an_entry("Rex", UNKNOWN), pets, []) == pet(2)


@pytest.mark.parametrize("status", [None, "available", "newborn"])
async def test_an_entry_without_a_status_may_have_got_any_from_the_service(
    find: Find, status: str | None
) -> None:
    assert await find(an_entry("Rex", UNKNOWN), [pet(1, status=status)], []) is not None


async def test_an_entry_with_a_status_became_no_animal_of_another(find: Find) -> None:
    entry = an_entry("Rex", UNKNOWN, status="sold")
    found = await find(entry, [pet(2, status="available"), pet(1, status="sold")], [])
    assert found.id == 1


async def test_of_duplicates_it_is_none_that_another_entry_became(find: Find) -> None:
    assert await find(an_entry("Rex", UNKNOWN), [pet(2), pet(1)], [2]) == pet(1)


async def test_it_is_none_that_was_there_before_it_was_typed(find: Find) -> None:
    entry = an_entry("Rex", UNKNOWN, after_id=2)
    assert await find(entry, [pet(3, "Mimi"), pet(2)], []) is None


async def test_where_ids_do_not_grow_they_say_nothing_about_age(find: Find) -> None:
    pets = [pet(1, "Mimi"), pet(9, "Tiny"), pet(2)]
    assert await find(an_entry("Rex", UNKNOWN, after_id=5), pets, []) == pet(2)


async def test_of_several_that_can_be_it_it_is_the_oldest(find: Find) -> None:
    entry = an_entry("Rex", UNKNOWN, after_id=1)
    assert await find(entry, [pet(4), pet(3), pet(1)], []) == pet(3)


async def test_in_an_empty_list_it_is_not(find: Find) -> None:
    assert await find(an_entry("Rex", UNKNOWN), [], []) is None
