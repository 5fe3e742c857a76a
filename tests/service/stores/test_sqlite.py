"""What only SQLite does: durability, group commit, query plans, and stores in memory."""

from __future__ import annotations

import asyncio
import sqlite3
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores import sqlite
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import SqliteStore, insert
from pettui.service.stores.sqlite_files import connect, open_database
from pettui.service.stores.sqlite_writer import GroupWriter
from pettui.service.stores.store import PageQuery, StoreUnavailableError, new_row

if TYPE_CHECKING:
    from pathlib import Path

    from tests.service.conftest import NewPetOf


FULL = 2


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    open_database(tmp_path / "pets.db").close()
    connection = connect(tmp_path / "pets.db")
    assert connection.execute("PRAGMA synchronous").fetchone() == (FULL,)
    assert connection.execute("PRAGMA fullfsync").fetchone() == (1,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


@pytest.mark.parametrize(("maximum", "most"), [(1, 64), (256, 3)])
async def test_writers_that_wait_share_a_commit(
    tmp_path: Path, new_pet: NewPetOf, maximum: int, most: int
) -> None:
    commits: list[str] = []

    def counted() -> sqlite3.Connection:
        connection = connect(tmp_path / "pets.db")
        connection.set_trace_callback(
            lambda statement: commits.append(statement) if statement == "COMMIT" else None
        )
        return connection

    open_database(tmp_path / "pets.db").close()
    writer = GroupWriter(counted, maximum)
    writes = [writer.run(partial(insert, row=new_row(new_pet()))) for _ in range(64)]
    assert sorted(await asyncio.gather(*writes)) == list(range(1, 65))
    await writer.close()
    assert 1 <= len(commits) <= most
    assert maximum > 1 or len(commits) == 64


async def test_closing_writes_what_still_waits(tmp_path: Path, new_pet: NewPetOf) -> None:
    store = SqliteStore.open(tmp_path / "pets.db")
    tasks = [asyncio.create_task(store.create_pet(new_pet())) for _ in range(10)]
    await asyncio.sleep(0)
    await store.close()
    assert len({pet.id for pet in await asyncio.gather(*tasks)}) == 10


async def test_a_database_that_another_program_locks_is_unavailable(
    tmp_path: Path, new_pet: NewPetOf
) -> None:
    reader = open_database(tmp_path / "pets.db")
    writer = GroupWriter(lambda: connect(tmp_path / "pets.db", wait=0.05))
    store = SqliteStore(reader, writer)
    other = sqlite3.connect(tmp_path / "pets.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailableError, match="locked"):
        await store.create_pet(new_pet())
    assert (await store.list_pets(1)).pets == ()
    other.execute("ROLLBACK")
    assert (await store.create_pet(new_pet())).id == 1
    other.close()
    await store.close()


async def test_an_id_is_never_reused(tmp_path: Path, new_pet: NewPetOf) -> None:
    store = SqliteStore.open(tmp_path / "pets.db", sample_pets(5))
    await store.close()
    connection = sqlite3.connect(tmp_path / "pets.db")
    connection.execute("DELETE FROM pets")
    connection.commit()
    connection.close()
    store = SqliteStore.open(tmp_path / "pets.db")
    assert (await store.create_pet(new_pet())).id == 6
    await store.close()


@pytest.mark.parametrize(
    ("select", "arguments", "plan"),
    [
        (
            "SELECT_PAGE",
            PageQuery(20, None, 8)._asdict(),
            "SEARCH pets USING INTEGER PRIMARY KEY (rowid<?)",
        ),
        (
            "SELECT_PAGE_OF_STATUS",
            PageQuery(20, "sold", 8)._asdict(),
            "USING INDEX pets_by_status (status=? AND rowid<?)",
        ),
        ("SELECT_PET", {"id": 1}, "SEARCH pets USING INTEGER PRIMARY KEY (rowid=?)"),
    ],
)
def test_every_read_is_one_range_of_an_index(
    tmp_path: Path, select: str, arguments: dict[str, object], plan: str
) -> None:
    connection = open_database(tmp_path / "pets.db", sample_pets())
    query = f"EXPLAIN QUERY PLAN {getattr(sqlite, select)}"
    steps = [row[3] for row in connection.execute(query, arguments)]
    connection.close()
    assert len(steps) == 1  # no temporary B-tree for sorting
    assert plan in steps[0]


async def test_two_stores_share_one_file(tmp_path: Path, new_pet: NewPetOf) -> None:
    one, other = (SqliteStore.open(tmp_path / "pets.db", sample_pets(3)) for _ in range(2))
    for store in (one, other, one):
        await store.create_pet(new_pet())
    assert [pet.id for pet in (await one.list_pets(9)).pets] == [6, 5, 4, 3, 2, 1]
    assert await other.list_pets(9) == await one.list_pets(9)
    await one.close()
    await other.close()
