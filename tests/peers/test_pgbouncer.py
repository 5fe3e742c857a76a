"""PgBouncer in transaction mode, before the animals and before owners' outboxes.

It has fewer connections than its clients: whatever stayed with one would be met by others.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING

import psycopg
import pytest

from pettui.models.pets import NewPet
from pettui.outbox.entries import Draft, OutboxError
from pettui.outbox.outbox import Outbox
from pettui.outbox.owners import ssh_owner
from pettui.outbox.stores.postgres import PostgresOwners
from pettui.outbox.stores.postgres_connections import StateDatabase
from pettui.service.stores.postgres import PostgresStore
from pettui.service.stores.store import AlreadyAddedError
from pettui.system.postgres import checked_address
from tests.outbox.scripted import KeepingClient
from tests.service.private_pgbouncer import PrivatePgBouncer, private_pgbouncer, program
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.service.private_postgres import PrivatePostgres

CLERKS = 15
EACH = 8  # animals


@pytest.fixture
def pooler(postgres: PrivatePostgres) -> Iterator[PrivatePgBouncer]:
    if program() is None:
        reason = "no pgbouncer here (apt package pgbouncer)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with private_pgbouncer(postgres) as pooler:
        yield pooler


def settings_at(address: str) -> set[tuple[object, ...]]:
    """Return what another program finds: settings that are none of its own, prepared statements."""
    with ExitStack() as opened:
        found: set[tuple[object, ...]] = set()
        connections = [
            opened.enter_context(
                closing(psycopg.connect(address, autocommit=True, prepare_threshold=None))
            )
            for _ in range(2)
        ]
        for connection in connections:  # at once, so that each has one of the pooler's
            connection.execute("BEGIN")
        for connection in connections:
            found |= set(
                connection.execute(
                    "SELECT name, setting FROM pg_settings WHERE setting <> reset_val"
                    " AND source = 'session' AND name NOT IN ('application_name', 'client_encoding')"
                ).fetchall()
            )
            found |= set(connection.execute("SELECT name FROM pg_prepared_statements").fetchall())
            connection.execute("COMMIT")
    return found


async def test_the_services_store_adds_once_and_leaves_nothing_with_a_connection(
    pooler: PrivatePgBouncer, postgres: PrivatePostgres
) -> None:
    postgres.new_database("pets")
    address = pooler.address("pets")
    first, second = await PostgresStore.open(address), await PostgresStore.open(address)
    assert first.store_id == second.store_id

    async def add(store: PostgresStore, number: int) -> int:
        try:
            pet = NewPet(name=f"Rex {number}", category_id=3)
            return (await store.create_pet(pet, f"{number}".encode())).id
        except AlreadyAddedError as error:
            return error.added.pet_id

    ids = await asyncio.gather(
        *(add(store, number) for number in range(50) for store in (first, second))
    )
    assert ids[::2] == ids[1::2]
    page = await first.list_pets(100)
    assert sorted(pet.name for pet in page.pets) == sorted(f"Rex {n}" for n in range(50))
    for _ in range(20):  # what psycopg would prepare
        assert (await second.get_pet(ids[0])) is not None
    assert settings_at(address) == set()
    await first.close()
    await second.close()


async def test_outboxes_keep_and_send_each_animal_once_though_the_pooler_dies(
    pooler: PrivatePgBouncer, postgres: PrivatePostgres
) -> None:
    postgres.new_database("state")
    address = checked_address(pooler.address("state"))
    client = KeepingClient()
    taken: list[str] = []
    with ExitStack() as opened:
        outboxes = []
        for server in range(2):
            database = StateDatabase(address)
            opened.callback(database.close)
            database.start()
            owners = PostgresOwners(database, "shop", "https://pets.example/v1")
            outboxes += [
                Outbox(owners.of(ssh_owner(f"{server} {clerk}")).open(), client, delay=0.0)
                for clerk in range(CLERKS)
            ]
        for outbox in outboxes:
            outbox.start()
            await outbox.opened()

        async def work(outbox: Outbox, clerk: int) -> None:
            for number in range(EACH):
                name = f"Rex {clerk}-{number}"
                while name not in taken:
                    with suppress(OutboxError):  # a clerk presses Enter again
                        await outbox.drafts.keep(Draft(name, "3"))
                        await outbox.add(name, 3, None)
                        taken.append(name)

        working = [asyncio.create_task(work(outbox, n)) for n, outbox in enumerate(outboxes)]
        for least in (CLERKS, 4 * CLERKS, 8 * CLERKS):
            await until(lambda: len(taken) >= least)  # noqa: B023
            pooler.kill()
            pooler.start()
        await asyncio.gather(*working)
        await until(lambda: set(taken) <= set(client.names))
        assert settings_at(address) == set()
        for outbox in outboxes:
            await outbox.close()
    assert sorted(client.names) == sorted(taken)
