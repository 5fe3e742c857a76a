"""A service in memory, and a client that speaks to it without a network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TypeAlias

import httpx
import pytest

from pettui.service.app import create_app
from pettui.service.body import BodyLimits
from pettui.service.sqlite_store import SqliteStore

KEY = "a-key-of-the-tests"
AUTHORIZATION = {"Authorization": f"Bearer {KEY}"}

ClientOf: TypeAlias = Callable[[object], httpx.AsyncClient]


def client_of(store: object, **options: object) -> httpx.AsyncClient:
    app = create_app(store, [KEY], **options)
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://store", headers=AUTHORIZATION
    )


@pytest.fixture
async def store() -> AsyncIterator[SqliteStore]:
    store = SqliteStore.open_in_memory()
    yield store
    await store.close()


@pytest.fixture
async def service(store: SqliteStore) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(store, limits=BodyLimits(seconds=5)) as client:
        yield client
