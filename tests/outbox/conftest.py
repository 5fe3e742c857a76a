"""Outboxes on both stores, and a client with scripted responses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack
from typing import TYPE_CHECKING, TypeAlias

import pytest

from pettui.client import Backoff
from pettui.outbox.outbox import Outbox
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.outbox.stores.memory import MemoryEntryStore
from pettui.outbox.stores.postgres import PostgresEntryStore, PostgresOwners
from pettui.outbox.stores.postgres_connections import StateDatabase
from pettui.system.postgres import checked_address
from tests.outbox.scripted import ScriptedClient

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.outbox.sending import LoopTimer
    from tests.service.private_postgres import PrivatePostgres

MakeOutbox: TypeAlias = Callable[..., Outbox]
OpenStore: TypeAlias = Callable[[], DirectoryEntryStore]

QUICK = Backoff(first=0.002, longest=0.01)


@pytest.fixture
async def client() -> ScriptedClient:
    return ScriptedClient()


@pytest.fixture
async def make_outbox(client: ScriptedClient) -> AsyncIterator[MakeOutbox]:
    async with AsyncExitStack() as stack:

        def make(
            store: object = None,
            *,
            asks: bool = False,
            backoff: Backoff = QUICK,
            timer: LoopTimer | None = None,
            **options: object,
        ) -> Outbox:
            usual = {"client": client, "delay": 0.0, "look_every": 0.01}
            outbox = Outbox(store or MemoryEntryStore(), **{**usual, **options})
            outbox.sending.backoff = backoff
            outbox.sending.timer = timer or outbox.sending.timer
            outbox.sending.is_asked = not asks  # a scripted service promises nothing
            outbox.start()
            stack.push_async_callback(outbox.close, grace=0.0)
            return outbox

        yield make


@pytest.fixture
async def outbox(make_outbox: MakeOutbox) -> Outbox:
    return make_outbox()


@pytest.fixture
async def kept_outbox(make_outbox: MakeOutbox, directory: Path) -> Outbox:
    return make_outbox(DirectoryEntryStore(directory))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "state" / "outbox" / "ann" / "staging"


@pytest.fixture
def open_store(directory: Path) -> Iterator[OpenStore]:
    """Open stores in the same directory, as several instances do, closed at the end of the test."""
    with ExitStack() as stack:

        def open_store() -> DirectoryEntryStore:
            store = DirectoryEntryStore(directory)
            stack.callback(store.close)
            return store

        yield open_store


@pytest.fixture
def store(open_store: OpenStore) -> DirectoryEntryStore:
    return open_store()


@pytest.fixture
def other(open_store: OpenStore) -> DirectoryEntryStore:
    """Another instance's store in the same directory."""
    return open_store()


@pytest.fixture
def owners_in_postgres(
    postgres: PrivatePostgres, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PostgresOwners]:
    """Owners of one server, on a database of their own; each look is a new one."""
    monkeypatch.setattr(PostgresEntryStore, "_is_as_seen", lambda _store, _owner: False)
    database = StateDatabase(checked_address(postgres.new_database("owners_of_one_test")))
    database.start()
    yield PostgresOwners(database, "shop", "https://pets.example/v1")
    database.close()
