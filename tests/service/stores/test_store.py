"""What every store does, whichever database it uses."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from pettui.models import PetStatus
from pettui.service import stores
from pettui.service.stores import check_store
from pettui.service.stores.samples import SAMPLE_CATEGORIES, SAMPLE_COUNT, sample_pets
from pettui.service.stores.store import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.service.stores.store import Store
    from tests.service.conftest import NewPetOf, OpenStore
    from tests.service.private_postgres import PrivatePostgres


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


# ── A store that is checked stays as it is ────────────────────────────────────────────────────────


def test_a_missing_file_stays_missing(tmp_path: Path) -> None:
    asyncio.run(check_store(str(tmp_path / "shop" / "pets.db")))
    assert not list(tmp_path.iterdir())


async def test_an_older_schema_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "pets.db"
    await (await stores.open_store(str(path))).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP INDEX pets_by_status")
        connection.execute("PRAGMA user_version = 1")
    await check_store(str(path))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)


async def test_an_empty_database_in_postgres_gets_no_tables(postgres: PrivatePostgres) -> None:
    address = postgres.new_database("of_one_test")
    await check_store(address)
    with psycopg.connect(address) as connection:
        found = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
        assert found.fetchone() == (0,)
    await (await stores.open_store(address)).close()
    await check_store(address)


async def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pets.db"
    await (await stores.open_store(str(path))).close()
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"):
        await check_store(str(path))


# ── The sample animals ───────────────────────────────────────────────────────────────────────────


def test_the_first_sixty_differ_in_name_and_have_every_status_and_none() -> None:
    pets = list(sample_pets())
    assert len({pet.name for pet in pets}) == SAMPLE_COUNT
    assert {pet.status for pet in pets} == {*PetStatus, None}
    assert {pet.category_id for pet in pets} == set(SAMPLE_CATEGORIES)


def test_the_same_seed_gives_the_same_animals_and_another_gives_others() -> None:
    assert list(sample_pets(200)) == list(sample_pets(200, seed=1))
    assert list(sample_pets(200)) != list(sample_pets(200, seed=2))
