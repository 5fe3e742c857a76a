"""Stores of every kind, and clients of services on them without a network."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import httpx
import pytest

from pettui.models import NewPet, PetStatus
from pettui.service.app import create_app
from pettui.service.endpoints import DEFAULT_LIMITS, BodyLimits
from pettui.service.stores.postgres import PostgresStore
from pettui.service.stores.sqlite import SqliteStore
from pettui.service.stores.store import Store
from tests.service.private_postgres import PrivatePostgres, binaries, private_postgres
from tests.service.running_service import AUTHORIZATION, KEY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator
    from pathlib import Path

NewPetOf: TypeAlias = Callable[..., NewPet]
ClientOf: TypeAlias = Callable[..., httpx.AsyncClient]
OpenStore: TypeAlias = Callable[..., Awaitable[Store]]


@pytest.fixture(scope="session")
def postgres() -> Iterator[PrivatePostgres]:
    """A server for the whole run; without one its tests are skipped, but fail in CI."""
    if binaries() is None:
        reason = "no PostgreSQL binaries here (apt package postgresql)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with private_postgres("fsync=off") as server:
        yield server


@pytest.fixture
def new_pet() -> NewPetOf:
    def make(name: str = "Rex", category: int = 3, status: PetStatus | None = None) -> NewPet:
        return NewPet(name=name, category_id=category, status=status)

    return make


@pytest.fixture(params=["memory", "file", "postgres"])
async def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[OpenStore]:
    """Opens the same database at each call, for each kind; memory is new each time."""
    opened: list[Store] = []
    address = ""
    if request.param == "postgres":
        address = request.getfixturevalue("postgres").new_database("of_one_test")

    async def open_it(samples: Iterable[NewPet] = ()) -> Store:
        if request.param == "memory":
            store: Store = SqliteStore.open_in_memory(samples)
        elif request.param == "file":
            store = SqliteStore.open(tmp_path / "pets.db", samples)
        else:
            store = await PostgresStore.open(address, samples)
        opened.append(store)
        return store

    yield open_it
    for store in opened:
        await store.close()


@pytest.fixture
async def store(open_store: OpenStore) -> Store:
    return await open_store()


@pytest.fixture
async def memory() -> AsyncIterator[SqliteStore]:
    store = SqliteStore.open_in_memory()
    yield store
    await store.close()


@pytest.fixture
async def client_of() -> AsyncIterator[ClientOf]:
    """Creates clients of a service on a store; they send the key, unless headers are given."""
    clients: list[httpx.AsyncClient] = []

    def make(
        store: Store, *, headers: Any = AUTHORIZATION, limits: BodyLimits = DEFAULT_LIMITS
    ) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(create_app(store, [KEY], limits=limits))
        client = httpx.AsyncClient(transport=transport, base_url="http://store", headers=headers)
        clients.append(client)
        return client

    yield make
    for client in clients:
        await client.aclose()


@pytest.fixture
def service(client_of: ClientOf, memory: SqliteStore) -> httpx.AsyncClient:
    return client_of(memory)
