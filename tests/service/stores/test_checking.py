"""A store that is checked stays as it is."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from pettui.service.stores import check_store, open_store
from pettui.service.stores.store import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.service.private_postgres import PrivatePostgres


def test_a_missing_file_stays_missing(tmp_path: Path) -> None:
    asyncio.run(check_store(str(tmp_path / "shop" / "pets.db")))
    assert not list(tmp_path.iterdir())


async def test_an_older_schema_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "pets.db"
    await (await open_store(str(path))).close()
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
    await (await open_store(address)).close()
    await check_store(address)


async def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pets.db"
    await (await open_store(str(path))).close()
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"):
        await check_store(str(path))
