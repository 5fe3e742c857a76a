"""The outbox with the real client and the real service."""

from __future__ import annotations

import math
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.client import PetClient
from pettui.outbox import EntryState, MemoryEntryStore, Outbox, OutboxError
from pettui.service.app import create_app
from pettui.service.stores.sqlite import MemoryBounds, SqliteStore
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import states, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ADDED = 100  # entries that stay
KEY = "a-key-of-the-tests"
REFUSED = EntryState.REFUSED


@asynccontextmanager
async def an_outbox(
    pets: SqliteStore,
    key: str = KEY,
    *,
    store: MemoryEntryStore | None = None,
    look_every: float = 2.0,
) -> AsyncIterator[Outbox]:
    transport = httpx.ASGITransport(create_app(pets, [KEY]), raise_app_exceptions=False)
    client = PetClient("http://store.invalid/v1", key, transport=transport)
    kept = MemoryEntryStore() if store is None else store
    outbox = Outbox(kept, client, delay=0.0, backoff=QUICK, look_every=look_every)
    outbox.start()
    yield outbox
    await outbox.close()
    await client.aclose()


async def test_what_is_typed_is_in_the_store() -> None:
    pets = SqliteStore.open_in_memory()
    async with an_outbox(pets) as outbox:
        await outbox.add("Rex", 3, "sold")
        await outbox.add("Mimi 🐈\x1b[2J", -(2**63), None)
        await until(outbox, lambda: all(entry.pet_id for entry in outbox.entries))
        ids = [entry.pet_id for entry in outbox.entries]
    page = await pets.list_pets(10, None, None)
    assert [(pet.id, pet.name, pet.category_id, pet.status) for pet in page.pets] == [
        (ids[1], "Mimi 🐈\x1b[2J", -(2**63), None),
        (ids[0], "Rex", 3, "sold"),
    ]
    await pets.close()


async def test_what_a_full_demo_refuses_is_refused_in_the_outbox_and_the_rest_goes_on() -> None:
    pets = SqliteStore.open_in_memory(bounds=MemoryBounds(animals=9, name_bytes=10))
    async with an_outbox(pets) as outbox:
        await outbox.add("x" * 11, 3, None)
        await outbox.add("Rex", 3, None)
        await until(outbox, lambda: states(outbox)[1:] == ["Rex added"])
        refused = outbox.entries[0]
        assert refused.state is EntryState.REFUSED
        assert refused.error_code == "store_full"
        assert refused.error_message == "This demo takes at most 10 bytes of new names in total"
    await pets.close()


async def test_where_nobody_else_looks_the_added_entries_but_a_hundred_are_forgotten_too() -> None:
    pets = SqliteStore.open_in_memory()
    async with an_outbox(pets, look_every=math.inf) as outbox:
        for number in range(ADDED + 20):
            await outbox.add(str(number), 3, None)
        await until(outbox, lambda: all(entry.pet_id for entry in outbox.entries))
        await outbox.add("last", 3, None)
        await until(outbox, lambda: all(entry.pet_id for entry in outbox.entries))
        assert len(outbox.entries) == ADDED + 1
        assert outbox.entries[-1].name == "last"
    assert len((await pets.list_pets(100)).pets) == 100
    await pets.close()


@pytest.mark.parametrize(
    ("bounds", "names", "after"),
    [((3, 1000), ["a", "b", "c"], "d"), ((9, 10), ["x" * 6], "y" * 5)],
    ids=["entries", "characters"],
)
async def test_a_demos_outbox_that_is_full_takes_nothing_until_something_is_forgotten(
    bounds: tuple[int, int], names: list[str], after: str
) -> None:
    pets = SqliteStore.open_in_memory(bounds=MemoryBounds(animals=0, name_bytes=0))
    async with an_outbox(pets, store=MemoryEntryStore(*bounds)) as outbox:
        for name in names:
            await outbox.add(name, 3, None)
        await until(outbox, lambda: {entry.state for entry in outbox.entries} == {REFUSED})
        with pytest.raises(OutboxError, match="the demo's outbox is full; forget some"):
            await outbox.add(after, 3, None)
        assert [entry.name for entry in outbox.entries] == names
        await outbox.forget(outbox.entries[0].key)
        await outbox.add(after, 3, None)
        assert outbox.entries[-1].name == after
    await pets.close()
