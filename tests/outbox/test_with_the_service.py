"""The outbox with the real client and the real service."""

from __future__ import annotations

import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx

from pettui.client import PetClient
from pettui.outbox import EntryState, MemoryEntryStore, Outbox
from pettui.service.app import create_app
from pettui.service.sqlite_store import SqliteStore
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import states, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

KEY = "a-key-of-the-tests"


@asynccontextmanager
async def an_outbox(pets: SqliteStore, key: str = KEY) -> AsyncIterator[Outbox]:
    transport = httpx.ASGITransport(create_app(pets, [KEY]), raise_app_exceptions=False)
    client = PetClient("http://store.invalid/v1", key, transport=transport)
    outbox = Outbox(MemoryEntryStore(), client, delay=0.0, pauses=QUICK)
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


async def test_a_wrong_key_stops_the_sending_until_a_right_one_is_given() -> None:
    pets = SqliteStore.open_in_memory()
    async with an_outbox(pets, key="another-key") as outbox:
        await outbox.add("Rex", 3, None)
        await until(outbox, lambda: outbox.needs_key)
        assert states(outbox) == ["Rex waiting"]
        outbox.client = outbox.client.with_key(KEY)
        outbox.resume()
        await until(outbox, lambda: states(outbox) == ["Rex added"])
    await pets.close()


async def test_an_entry_that_arrived_without_an_answer_is_found_in_the_list() -> None:
    pets = SqliteStore.open_in_memory()
    async with an_outbox(pets) as outbox:
        await outbox.add("Rex", 3, "sold")
        await until(outbox, lambda: states(outbox) == ["Rex added"])
        before = outbox.entries[0]
        await outbox.forget(before.key)
        store = MemoryEntryStore()
        store.add(before.becoming(EntryState.UNKNOWN))
        other = Outbox(store, outbox.client)
        other.start()
        assert (await other.look_for(before.key)).id == before.pet_id
        await other.close()
    await pets.close()


def test_at_the_start_of_the_app_the_outbox_loads_neither_httpx_nor_pydantic() -> None:
    code = (
        "import sys, pettui.outbox, pettui.outbox.directory_store;"
        "print(sorted({'httpx', 'pydantic', 'textual', 'starlette'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
