"""What is PostgreSQL's own: restarts, several machines, plans and durability."""

import asyncio

import psycopg
import pytest

from pettui.service import postgres_groups, postgres_store
from pettui.service.postgres_opening import checked_address
from pettui.service.postgres_store import PostgresStore
from pettui.service.samples import sample_pets
from pettui.service.store import StoreError
from tests.service.private_postgres import private_postgres


@pytest.fixture
def address(postgres):
    return postgres.new_database("of_one_test")


@pytest.fixture
async def store(address):
    store = await PostgresStore.open(address, sample_pets(60))
    yield store
    await store.close()


async def test_while_the_database_is_away_it_answers_503_and_afterwards_again(
    postgres, client_of, monkeypatch
):
    monkeypatch.setattr(postgres_groups, "CONNECTION_SECONDS", 0.3)
    with private_postgres("fsync=off") as server:
        store = await PostgresStore.open(server.address(), sample_pets(3))
        client = client_of(store)
        body = {"name": "Rex", "categoryId": 3}
        assert (await client.post("/v1/pets", json=body)).status_code == 201
        await asyncio.to_thread(server.stop)
        for response in (await client.get("/v1/pets"), await client.post("/v1/pets", json=body)):
            assert response.status_code == 503
            assert response.json()["code"] == "unavailable"
            assert response.headers["retry-after"] == "1"
        await asyncio.to_thread(server.start)
        while (await client.get("/v1/pets")).status_code == 503:
            continue
        assert (await client.post("/v1/pets", json=body)).status_code == 201
        assert len((await client.get("/v1/pets")).json()) == 5
        await store.close()


async def test_after_a_quick_restart_no_request_fails(client_of):
    with private_postgres("fsync=off") as server:
        store = await PostgresStore.open(server.address())
        client = client_of(store)
        body = {"name": "Rex", "categoryId": 3}
        await asyncio.gather(*[client.post("/v1/pets", json=body) for _ in range(20)])
        await asyncio.to_thread(server.stop)
        await asyncio.to_thread(server.start)
        answers = await asyncio.gather(*[client.post("/v1/pets", json=body) for _ in range(20)])
        assert {answer.status_code for answer in answers} == {201}
        await store.close()


async def test_machines_that_open_a_new_database_at_once_fill_it_once(address):
    stores = await asyncio.gather(*[PostgresStore.open(address, sample_pets(60)) for _ in range(5)])
    for store in stores:
        assert len((await store.list_pets(100)).pets) == 60
        await store.close()


async def test_two_machines_serve_one_shop(address, store, new_pet):
    other = await PostgresStore.open(address)
    one, another = await asyncio.gather(store.create_pet(new_pet()), other.create_pet(new_pet()))
    assert one.id != another.id
    assert await store.get_pet(another.id) == another
    await other.close()


async def test_a_newer_schema_is_refused(address, store):
    with psycopg.connect(address) as connection:
        connection.execute("UPDATE pettui_schema SET version = 3")
    with pytest.raises(StoreError, match="has schema 3, this pettui knows 2; update pettui"):
        await PostgresStore.open(address)


async def test_another_programs_table_is_refused(address):
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE pets (id text)")
    with pytest.raises(StoreError, match="has another program's table pets"):
        await PostgresStore.open(address)


async def test_a_refusal_shows_no_password():
    with pytest.raises(StoreError) as refusal:
        await PostgresStore.open("postgresql://till:hidden@127.0.0.1:1/shop")
    assert "hidden" not in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).startswith("database shop on 127.0.0.1 can't be used: ")


@pytest.mark.parametrize("address", ["postgresql://u:hid den@h/x", "postgresql://u:hid%zz@h/x"])
async def test_a_malformed_address_is_refused_without_quoting_it(address):
    with pytest.raises(StoreError, match="postgresql://USER:PASSWORD@HOST:PORT/NAME") as refusal:
        await PostgresStore.open(address)
    assert "hid" not in str(refusal.value)


def test_an_address_keeps_its_own_settings():
    assert "connect_timeout=9" in checked_address("postgresql://h/x?connect_timeout=9")
    assert "connect_timeout=3" in checked_address("postgresql://h/x")


async def test_a_commit_is_on_the_disk_even_where_the_server_does_not_wait(address, postgres):
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ALTER DATABASE of_one_test SET synchronous_commit = off")
    store = await PostgresStore.open(address)
    async with store._pool.connection() as connection:
        cursor = await connection.execute("SHOW synchronous_commit")
        assert await cursor.fetchone() == ("on",)
    await store.close()


@pytest.mark.parametrize(
    ("select", "arguments", "index"),
    [
        ("SELECT_FIRST_PAGE", [21], "pets_pkey"),
        ("SELECT_PAGE", [9000, 21], "pets_pkey"),
        ("SELECT_FIRST_PAGE_OF_STATUS", ["sold", "sold", 21], "pets_by_status"),
        ("SELECT_PAGE_OF_STATUS", ["sold", "sold", 9000, 21], "pets_by_status"),
        ("SELECT_PET", [1], "pets_pkey"),
    ],
)
async def test_every_read_is_one_range_of_an_index(address, select, arguments, index):
    store = await PostgresStore.open(address, sample_pets(10_000))
    await store.close()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ANALYZE pets")
        plan = connection.execute(f"EXPLAIN {getattr(postgres_store, select)}", arguments)
        lines = [line for (line,) in plan]
    assert any(f"using {index} on pets" in line for line in lines), lines
    assert not any("Sort" in line or "Seq Scan" in line or "Filter" in line for line in lines)
