"""What every store does, whichever database it uses."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pettui.models import INT64_MAXIMUM, INT64_MINIMUM, PetStatus
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.store import StoredPet

if TYPE_CHECKING:
    from pettui.service.stores.store import Store
    from tests.service.conftest import NewPetOf, OpenStore


@pytest.mark.parametrize(
    "name",
    ["", "a\0b", "e\u0301", "🐹" * 3, "x" * 1_000_000],
    ids=["empty", "NUL inside", "NFD", "emoji", "megabyte"],
)
async def test_a_name_is_stored_byte_for_byte(store: Store, new_pet: NewPetOf, name: str) -> None:
    created = await store.create_pet(new_pet(name))
    found = await store.get_pet(created.id)
    assert found is not None
    assert found == created
    assert found.name.encode() == name.encode()


@pytest.mark.parametrize("category", [INT64_MINIMUM, 2**53 + 1, INT64_MAXIMUM])
async def test_a_category_is_stored_exactly(store: Store, new_pet: NewPetOf, category: int) -> None:
    created = await store.create_pet(new_pet(category=category))
    found = await store.get_pet(created.id)
    assert found is not None
    assert found.category_id == category


@pytest.mark.parametrize("status", [*PetStatus, None])
async def test_a_status_is_stored_and_a_missing_one_stays_missing(
    store: Store, new_pet: NewPetOf, status: PetStatus | None
) -> None:
    created = await store.create_pet(new_pet(status=status))
    found = await store.get_pet(created.id)
    assert found is not None
    assert found.status == status


async def test_there_is_no_animal_of_an_unknown_id(store: Store, new_pet: NewPetOf) -> None:
    created = await store.create_pet(new_pet())
    for pet_id in (created.id + 1, 0, -1, INT64_MAXIMUM):
        assert await store.get_pet(pet_id) is None


async def test_the_newest_animal_comes_first_and_pages_have_no_gaps(
    store: Store, new_pet: NewPetOf
) -> None:
    ids = [(await store.create_pet(new_pet())).id for _ in range(7)]
    seen, before = [], None
    for size in (3, 3, 1):
        page = await store.list_pets(3, None, before)
        assert len(page.pets) == size
        seen += [pet.id for pet in page.pets]
        before = page.next_before
    assert before is None
    assert seen == ids[::-1]


async def test_pages_of_one_status_hold_only_that_status(open_store: OpenStore) -> None:
    store, status = await open_store(sample_pets()), PetStatus.SOLD
    everything = (await store.list_pets(100)).pets
    seen, before = list[StoredPet](), None
    while True:
        page = await store.list_pets(2, status, before)
        seen += page.pets
        before = page.next_before
        if before is None:
            break
    assert seen == [pet for pet in everything if pet.status == status]


async def test_a_new_animal_does_not_move_the_later_pages(store: Store, new_pet: NewPetOf) -> None:
    for _ in range(4):
        await store.create_pet(new_pet())
    first = await store.list_pets(2)
    await store.create_pet(new_pet())
    second = await store.list_pets(2, None, first.next_before)
    assert [pet.id for pet in first.pets + second.pets] == [4, 3, 2, 1]


async def test_concurrent_writers_get_different_ids(store: Store, new_pet: NewPetOf) -> None:
    names = [f"pet {number}" for number in range(64)]
    created = await asyncio.gather(*[store.create_pet(new_pet(name)) for name in names])
    assert len({pet.id for pet in created}) == 64
    assert [pet.name for pet in created] == names
    for pet in created:
        assert await store.get_pet(pet.id) == pet


async def test_an_empty_store_gets_samples_once(
    open_store: OpenStore, request: pytest.FixtureRequest
) -> None:
    first = await open_store(sample_pets(60))
    assert len((await first.list_pets(100)).pets) == 60
    if "memory" not in request.node.callspec.id:
        second = await open_store(sample_pets(60))
        assert (await second.list_pets(100)).pets == (await first.list_pets(100)).pets


async def test_a_store_with_animals_gets_no_samples(
    open_store: OpenStore, request: pytest.FixtureRequest, new_pet: NewPetOf
) -> None:
    if "memory" in request.node.callspec.id:
        pytest.skip("memory is new each time")
    first = await open_store()
    await first.create_pet(new_pet("first"))
    second = await open_store(sample_pets(60))
    assert [pet.name for pet in (await second.list_pets(100)).pets] == ["first"]


async def test_a_cancelled_writer_leaves_the_store_working(store: Store, new_pet: NewPetOf) -> None:
    task = asyncio.create_task(store.create_pet(new_pet("cancelled")))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    created = await store.create_pet(new_pet("next"))
    assert await store.get_pet(created.id) == created
