"""Stores of every kind, and clients of services on them without a network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, TypeAlias

import httpx
import pytest

from pettui.service.app import create_app
from pettui.service.stores.postgres import PostgresStore
from pettui.service.stores.sqlite import SqliteStore
from pettui.service.stores.store import Store
from tests.service.running_service import AUTHORIZATION, KEY

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.models.pets import NewPet

ClientOf: TypeAlias = Callable[..., httpx.AsyncClient]
OpenStore: TypeAlias = Callable[..., Awaitable[Store]]


@pytest.fixture(params=["memory", "file", "postgres"])
async def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[OpenStore]:
    """Opens the same database at each call, for each kind; memory is new each time."""
    address = ""
    if request.param == "postgres":
        address = request.getfixturevalue("postgres").new_database("of_one_test")
    async with AsyncExitStack() as opened:

        async def open_it(samples: Iterable[NewPet] = ()) -> Store:
            if request.param == "memory":
                store: Store = SqliteStore.open_in_memory(samples)
            elif request.param == "file":
                store = SqliteStore.open(tmp_path / "pets.db", samples)
            else:
                store = await PostgresStore.open(address, samples)
            opened.push_async_callback(store.close)
            return store

        yield open_it


@pytest.fixture
async def store(open_store: OpenStore) -> Store:
    return await open_store()


@pytest.fixture
async def memory() -> AsyncIterator[SqliteStore]:
    store = SqliteStore.open_in_memory()
    yield store
    await store.close()


@pytest.fixture
def client_of(memory: SqliteStore) -> ClientOf:
    """Creates clients of a service, on a new store in memory unless one is given."""

    def make(
        store: Store = memory, headers: Any = AUTHORIZATION, **options: Any
    ) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(create_app(store, [KEY], **options))
        return httpx.AsyncClient(transport=transport, base_url="http://store", headers=headers)

    return make


@pytest.fixture
def service(client_of: ClientOf) -> httpx.AsyncClient:
    return client_of()
