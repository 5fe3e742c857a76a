"""What is PostgreSQL's own: restarts, several machines, plans and durability."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.errors import CheckViolation
from psycopg_pool import base

from pettui.models.pets import INT64_MAXIMUM, PetStatus
from pettui.service import server
from pettui.service.database_trouble import DatabaseTrouble
from pettui.service.stores import batches
from pettui.service.stores import postgres as postgres_store
from pettui.service.stores.postgres import (
    MIGRATIONS,
    PostgresStore,
    schema_sql,
)
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.store import (
    AlreadyAddedError,
    NotStoredError,
    Select,
    StoreAwayError,
    StoredPet,
    StoreError,
    StoreUnavailableError,
    digest_of,
)
from tests.animals import a_new_pet
from tests.service.private_postgres import SUPERUSER, PrivatePostgres
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pettui.service.stores.store import Store
    from tests.service.conftest import ClientOf


@pytest.fixture
def address(postgres: PrivatePostgres) -> str:
    return postgres.new_database("of_one_test")


@pytest.fixture
async def store(address: str) -> AsyncIterator[PostgresStore]:
    store = await PostgresStore.open(address, sample_pets(60))
    yield store
    await store.close()


async def test_while_the_database_is_away_it_answers_503_and_afterwards_again(
    postgres: PrivatePostgres, address: str, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As the pool waits in an outage of minutes: each time twice as long.
    names = ("AttemptWithBackoff", "ConnectionAttempt")  # in 3.3, and in 3.2
    attempt = next(getattr(base, name) for name in names if hasattr(base, name))
    monkeypatch.setattr(attempt, "INITIAL_DELAY", 600.0)
    monkeypatch.setattr(postgres_store, "CONNECTION_SECONDS", 0.3)
    store = await PostgresStore.open(address, sample_pets(3))
    client = client_of(store)
    body = {"name": "Rex", "categoryId": 3}
    with postgres.away():
        listed, added = await client.get("/v1/pets"), await client.post("/v1/pets", json=body)
        assert [listed.status_code, added.status_code] == [503, 503]
        assert [listed.json()["code"], added.json()["code"]] == ["unavailable", "not_stored"]
        assert {listed.headers["retry-after"], added.headers["retry-after"]} == {"1"}
    async with asyncio.timeout(60):
        while (await client.get("/v1/pets")).status_code == 503:
            continue
    assert (await client.post("/v1/pets", json=body)).status_code == 201
    assert len((await client.get("/v1/pets")).json()) == 4
    await store.close()


async def test_after_a_quick_restart_no_request_fails(
    postgres: PrivatePostgres, store: Store
) -> None:
    await asyncio.gather(*[store.create_pet(a_new_pet()) for _ in range(20)])
    with postgres.away():
        pass
    pets = await asyncio.gather(*[store.create_pet(a_new_pet()) for _ in range(20)])
    assert len({pet.id for pet in pets}) == 20


async def test_a_connection_that_died_unused_costs_no_read(
    store: Store, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It worked a moment ago, so it is not checked before it is used."""
    monkeypatch.setattr(postgres_store, "IDLE_SECONDS", 3600.0)
    before = await asyncio.gather(store.list_pets(3), store.get_pet(1))
    end_connections(address)
    assert await asyncio.gather(store.list_pets(3), store.get_pet(1)) == before


async def test_what_a_read_only_server_or_one_without_connections_refuses_was_not_stored(
    postgres: PrivatePostgres, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_store, "CONNECTION_SECONDS", 0.3)
    store = await PostgresStore.open(address)
    with psycopg.connect(postgres.address(), autocommit=True) as connection:
        connection.execute("ALTER DATABASE of_one_test SET default_transaction_read_only = on")
        end_connections(address)
        with pytest.raises(NotStoredError, match="ReadOnlySqlTransaction"):
            await store.create_pet(a_new_pet())
        connection.execute("ALTER DATABASE of_one_test RESET default_transaction_read_only")
        connection.execute("ALTER DATABASE of_one_test ALLOW_CONNECTIONS false")
        end_connections(address)
        with pytest.raises(NotStoredError, match="PoolTimeout: connection "):
            await store.create_pet(a_new_pet())
        connection.execute("ALTER DATABASE of_one_test ALLOW_CONNECTIONS true")
    pet = None
    while pet is None:  # until the pool is connected again
        with suppress(NotStoredError):
            pet = await store.create_pet(a_new_pet())
    assert pet.id == 1
    await store.close()


async def test_a_statement_that_takes_too_long_for_the_server_was_not_stored(
    store: Store, address: str
) -> None:
    with psycopg.connect(address) as connection:
        connection.execute("ALTER DATABASE of_one_test SET statement_timeout = '50ms'")
        connection.commit()
        end_connections(address, but=connection.info.backend_pid)
        connection.execute("LOCK TABLE pets")
        with pytest.raises(NotStoredError, match="QueryCanceled"):
            await store.create_pet(a_new_pet())


async def test_an_animal_whose_commit_was_cut_off_may_have_been_stored(
    store: Store, address: str
) -> None:
    with psycopg.connect(address) as connection:
        connection.execute("LOCK TABLE pets")
        adding = asyncio.create_task(store.create_pet(a_new_pet()))
        await asyncio.to_thread(wait_for_a_lock, address)
        end_connections(address, but=connection.info.backend_pid)
    with pytest.raises(StoreUnavailableError) as refusal:
        await adding
    assert not isinstance(refusal.value, NotStoredError)


def end_connections(address: str, *, but: int = 0) -> None:
    """End the other connections to the database of one test, as an administrator does."""
    address = address.replace("/of_one_test", "/postgres")
    with psycopg.connect(address, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid <> %s"
            " AND datname = 'of_one_test' AND application_name = 'pettui'",
            [but],
        )


def wait_for_a_lock(address: str) -> None:
    """Wait until a statement waits for a lock."""
    with psycopg.connect(address, autocommit=True) as connection:
        waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        while connection.execute(waits).fetchone() == (0,):
            continue


async def test_machines_that_open_a_new_database_at_once_fill_it_once(address: str) -> None:
    stores = await asyncio.gather(*[PostgresStore.open(address, sample_pets(60)) for _ in range(5)])
    for store in stores:
        assert len((await store.list_pets(100)).pets) == 60
        await store.close()


async def test_creates_that_wait_share_a_commit(store: Store, address: str) -> None:
    await asyncio.gather(*[store.create_pet(a_new_pet()) for _ in range(64)])
    with psycopg.connect(address) as connection:
        commits = "SELECT count(DISTINCT xmin::text) FROM pets WHERE id > 60"
        assert connection.execute(commits).fetchone() == (1,)


async def test_reads_that_wait_together_each_get_their_own_page(store: Store) -> None:
    queries = [(1, None, None), (2, PetStatus.SOLD, None), (3, None, 30), (4, PetStatus.SOLD, 30)]
    alone = [await store.list_pets(*query) for query in queries]
    assert await asyncio.gather(*[store.list_pets(*query) for query in queries]) == alone


async def test_more_requests_than_may_wait_are_refused_at_once_and_accepted_later(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "PENDING", 3)
    store = await PostgresStore.open(address, sample_pets(3))
    outcomes = await asyncio.gather(*[store.get_pet(1) for _ in range(5)], return_exceptions=True)
    assert [type(outcome) for outcome in outcomes[3:]] == [StoreUnavailableError] * 2
    assert outcomes[:3] == [await store.get_pet(1)] * 3
    await store.close()


async def test_a_newer_schema_is_refused(address: str, store: Store) -> None:
    with psycopg.connect(address) as connection:
        connection.execute("UPDATE pettui_schema SET version = 99")
    with pytest.raises(StoreError, match=r"has schema 99, this pettui knows \d+; update pettui"):
        await PostgresStore.open(address)


OLDER_INSERT = "INSERT INTO pets (name, category_id, status) VALUES ('Rex', 3, 'sold')"
OPERATORS_INSERT = """
    INSERT INTO pets (name, category_id, status, writer_schema)
    VALUES (convert_to('Rex', 'UTF8'), 3, 'available', 6)
"""  # as docs/service.md has it


@pytest.fixture
def older(address: str) -> str:
    """The address of a database with an animal, as an older pettui left it."""
    with psycopg.connect(address) as connection:
        for step in (postgres_store.VERSION_TABLE, postgres_store.FIRST_VERSION, *MIGRATIONS[:2]):
            connection.execute(step.encode())
        connection.execute("UPDATE pettui_schema SET version = 2")
        connection.execute(OLDER_INSERT)
    return address


async def test_an_older_service_that_runs_beside_this_one_reads_and_adds_nothing(
    older: str,
) -> None:
    with psycopg.connect(older, autocommit=True) as running:
        for _ in range(2):
            running.execute(OLDER_INSERT, prepare=True)
        store = await PostgresStore.open(older)
        with pytest.raises(CheckViolation, match="not_of_an_older_pettui"):
            running.execute(OLDER_INSERT, prepare=True)
        assert running.execute("SELECT count(*) FROM pets").fetchone() == (3,)
    await store.close()


async def test_an_operator_changes_old_animals_and_adds_new_ones(older: str) -> None:
    store = await PostgresStore.open(older)
    added = await store.create_pet(a_new_pet())
    with psycopg.connect(older) as connection:
        connection.execute("UPDATE pets SET status = 'pending'")
        connection.execute(OPERATORS_INSERT)
    pets = (await store.list_pets(9)).pets
    assert [(pet.id > added.id, pet.status) for pet in pets] == [
        (True, "available"),
        (False, "pending"),
        (False, "pending"),
    ]
    await store.close()


async def test_a_change_of_the_tables_does_not_wait_for_a_backup_while_readers_wait_behind_it(
    older: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.service.stores.postgres.LOCK_WAIT", 50)
    with psycopg.connect(older) as backup:
        backup.execute("LOCK TABLE pets IN ACCESS SHARE MODE")
        with pytest.raises(StoreError, match="start again after it"):
            await PostgresStore.open(older)
    await (await PostgresStore.open(older)).close()


KEYS = [bytes([number]) * 16 for number in range(3)]


async def test_a_batch_takes_its_keys_in_their_order_and_waits_for_those_of_another_service(
    store: PostgresStore, address: str
) -> None:
    """In another order two services that repeat the same adds would wait for each other."""
    key = "INSERT INTO pettui_idempotency_keys VALUES (%s, %s, %s)"
    with psycopg.connect(address) as other:
        other.execute(key, (KEYS[0], b"first", 1001))
        adds = [store.create_pet(a_new_pet(), key) for key in reversed(KEYS)]
        adding = asyncio.gather(*adds, return_exceptions=True)
        await asyncio.to_thread(wait_for_a_lock, address)
        other.execute("SET lock_timeout = '5s'")
        other.execute(key, (KEYS[1], b"second", 1002))
    new, *known = await adding
    assert isinstance(new, StoredPet)
    assert [error.added for error in known if isinstance(error, AlreadyAddedError)] == [
        (1002, b"second"),
        (1001, b"first"),
    ]
    assert (await store.list_pets(1)).pets == (new,)


@pytest.mark.parametrize("address", ["postgresql://u:hid den@h/x", "postgresql://u:hid%zz@h/x"])
async def test_a_malformed_address_is_refused_without_quoting_it(address: str) -> None:
    with pytest.raises(StoreError, match="postgresql://USER:PASSWORD@HOST:PORT/NAME") as refusal:
        await PostgresStore.open(address)
    assert "hid" not in str(refusal.value)


async def test_a_commit_waits_for_the_disk_even_if_the_servers_default_is_not_to(
    address: str,
) -> None:
    await (await PostgresStore.open(address)).close()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ALTER DATABASE of_one_test SET synchronous_commit = off")
        connection.execute(
            "ALTER TABLE pets ADD CHECK (current_setting('synchronous_commit') = 'on')"
        )
    store = await PostgresStore.open(address)
    assert (await store.create_pet(a_new_pet())).id == 1
    await store.close()


async def test_every_read_is_one_range_of_an_index(address: str) -> None:
    await (await PostgresStore.open(address, sample_pets(10_000))).close()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ANALYZE pets")
        for text, last, index in (
            (PostgresStore.SELECT_PAGE, INT64_MAXIMUM, "pets_pkey"),
            (PostgresStore.SELECT_PAGE_OF_STATUS, 8999, "pets_by_status"),
            (PostgresStore.SELECT_PET, 1, "pets_pkey"),
        ):
            select = Select(f"EXPLAIN {text}", 20, last, "sold")
            plan = "\n".join(
                line for (line,) in connection.execute(select.text, select.arguments())
            )
            assert f"using {index} on pets" in plan
            assert not any(word in plan for word in ("Sort", "Seq Scan", "Filter"))


@pytest.fixture
def clerk(postgres: PrivatePostgres, address: str) -> str:
    """The address of a database with its tables, for a user who owns none of them."""
    with psycopg.connect(postgres.address(), autocommit=True) as connection:
        if connection.execute("SELECT FROM pg_roles WHERE rolname = 'clerk'").fetchone() is None:
            connection.execute("CREATE ROLE clerk LOGIN")
    with psycopg.connect(address) as connection:
        connection.execute(schema_sql().encode())
    return address.replace(f"{SUPERUSER}@", "clerk@")


def grant(address: str, rights: str) -> None:
    with psycopg.connect(address.replace("clerk@", f"{SUPERUSER}@")) as connection:
        connection.execute(f"GRANT {rights} TO clerk".encode())


async def test_finished_tables_need_no_more_rights_than_to_read_and_add(clerk: str) -> None:
    grant(clerk, "SELECT ON pettui_schema, pets, pettui_idempotency_keys")
    grant(clerk, "INSERT ON pets, pettui_idempotency_keys")
    store = await PostgresStore.open(clerk)
    added = await store.create_pet(a_new_pet(), KEYS[0])
    assert await store.find_added(KEYS[0]) == (added.id, digest_of(a_new_pet()))
    assert (await store.list_pets(1)).pets == (added,)
    await store.close()


async def test_the_rights_of_older_tables_are_not_enough_to_add(clerk: str) -> None:
    grant(clerk, "SELECT, INSERT ON pettui_schema, pets")
    grant(clerk, "INSERT ON pettui_idempotency_keys")
    for use in (PostgresStore.open, postgres_store.check):
        with pytest.raises(StoreError, match="GRANT SELECT, INSERT ON pettui_idempotency_keys"):
            await use(clerk)


async def test_a_reader_answers_reads_and_says_that_an_add_was_not_stored(clerk: str) -> None:
    """As on a standby, where nothing can be written either."""
    grant(clerk, "SELECT ON pettui_schema, pets")
    store = await PostgresStore.open(clerk)
    assert (await store.list_pets(1)).pets == ()
    with pytest.raises(NotStoredError, match="InsufficientPrivilege"):
        await store.create_pet(a_new_pet())
    await store.close()
    with psycopg.connect(clerk.replace("clerk@", f"{SUPERUSER}@")) as connection:
        connection.execute("ALTER DATABASE of_one_test SET default_transaction_read_only = on")
    store = await PostgresStore.open(clerk)
    assert (await store.list_pets(1)).pets == ()
    await store.close()


async def test_without_the_right_to_make_tables_it_says_who_makes_them(
    postgres: PrivatePostgres, clerk: str
) -> None:
    address = postgres.new_database("of_one_test")
    with pytest.raises(StoreError, match=r"permission denied .*; pettui serve --init, as the"):
        await PostgresStore.open(address.replace(f"{SUPERUSER}@", "clerk@"))


async def test_a_database_that_is_not_there_yet_is_waited_for(
    postgres: PrivatePostgres,
    address: str,
    client_of: ClientOf,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(server, "RETRY_SECONDS", 0.05)
    monkeypatch.setattr(server, "LOG_SECONDS", 0.0)
    store = PostgresStore(address)
    client, trouble = client_of(store), DatabaseTrouble({})
    with postgres.away():
        opening = asyncio.create_task(server.wait_for(store, trouble))
        await until(lambda: "the database is still awaited: database of_one_test" in caplog.text)
        await until(lambda: not trouble.is_over)
        statuses = [
            (await client.get(path)).status_code for path in ("/v1/pets", "/v1/pets/1", "/healthz")
        ]
        assert statuses == [503, 503, 503]
        added = await client.post("/v1/pets", json={"name": "Rex", "categoryId": 3})
        assert (added.status_code, added.json()["code"]) == (503, "not_stored")
        assert not opening.done()
    async with asyncio.timeout(60):
        await opening
    assert trouble.is_over
    assert (await client.get("/v1/pets")).json() == []
    await store.close()


async def test_a_database_that_comes_and_cannot_be_used_is_not_waited_for(address: str) -> None:
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE pets (id text)")
    with pytest.raises(StoreError, match="has another program's table pets"):
        await server.wait_for(PostgresStore(address), DatabaseTrouble({}))


@pytest.mark.parametrize("address", ["postgresql://u@127.0.0.1:1/y", "postgresql:///no_such"])
async def test_whatever_keeps_from_connecting_is_an_absence(
    postgres: PrivatePostgres, address: str
) -> None:
    address = address.replace("///", f"//{SUPERUSER}@/") + f"?host={postgres.directory}" * (
        "///" in address
    )
    with pytest.raises(StoreAwayError):
        await PostgresStore.open(address)
