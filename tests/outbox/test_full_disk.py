"""The embedded store on a full disk: adds wait, and say why; once there is room they are stored."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx

from pettui.client import PetClient
from pettui.outbox.outbox import Outbox
from pettui.outbox.stores.memory import MemoryEntryStore
from pettui.service.app import create_app
from pettui.service.stores.sqlite import SqliteStore
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import add, states
from tests.small_disks import as_root, full_disk, mounted
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

KEY = "a-key"


@asynccontextmanager
async def embedded(path: Path) -> AsyncIterator[tuple[Outbox, PetClient]]:
    """Open a store in this process, and an outbox for it."""
    store = SqliteStore.open(path)
    transport = httpx.ASGITransport(create_app(store, [KEY]))
    async with PetClient("http://store.invalid/v1", KEY, transport=transport) as client:
        outbox = Outbox(MemoryEntryStore(), client, delay=0.0)
        outbox.sending.backoff = QUICK
        outbox.start()
        yield outbox, client
        await outbox.close()
    await store.close()


async def listed(client: PetClient) -> list[str]:
    return [pet.name async for pet in client.all_pets()]


@as_root
async def test_what_a_full_disk_does_not_store_is_sent_again_until_there_is_room() -> None:
    with mounted("size=1m") as directory:
        async with embedded(directory / "pets.db") as (outbox, client):
            await add(outbox, "Mimi")
            await until(lambda: states(outbox) == ["Mimi added"])
            with full_disk(directory):
                name = "R" * 100_000  # more than the log has room for
                await add(outbox, name)
                await until(lambda: outbox.entries[-1].is_sent_again)
                assert "503 not_stored: The store can't write now" in outbox.entries[-1].error
            await until(lambda: states(outbox) == ["Mimi added", f"{name} added"])
            assert await listed(client) == [name, "Mimi"]
