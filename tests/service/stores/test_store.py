"""What every store does, whichever database it uses."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores.samples import sample_pets

if TYPE_CHECKING:
    from pettui.service.stores.store import Store
    from tests.service.conftest import NewPetOf, OpenStore


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
