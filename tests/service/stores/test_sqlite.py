"""What only SQLite does: durability, query plans, and the thread that commits groups."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pettui.service.stores import sqlite
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import GroupWriter, SqliteStore
from pettui.service.stores.sqlite_files import connect, open_database
from pettui.service.stores.store import NotStoredError, Select, StoreUnavailableError
from tests.animals import a_new_pet
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path


FULL = 2


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    open_database(tmp_path / "pets.db").close()
    connection = connect(tmp_path / "pets.db")
    assert connection.execute("PRAGMA synchronous").fetchone() == (FULL,)
    assert connection.execute("PRAGMA fullfsync").fetchone() == (1,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


async def test_a_database_that_another_program_locks_is_unavailable(tmp_path: Path) -> None:
    reader = open_database(tmp_path / "pets.db")
    writer = GroupWriter(lambda: connect(tmp_path / "pets.db", wait=0.05))
    store = SqliteStore(reader, writer)
    other = sqlite3.connect(tmp_path / "pets.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailableError, match="locked"):
        await store.create_pet(a_new_pet())
    assert (await store.list_pets(1)).pets == ()
    other.execute("ROLLBACK")
    assert (await store.create_pet(a_new_pet())).id == 1
    other.close()
    await store.close()


@pytest.mark.parametrize(
    ("name", "status", "plan"),
    [
        ("SELECT_PAGE", None, "INTEGER PRIMARY KEY (rowid<?)"),
        ("SELECT_PAGE_OF_STATUS", "sold", "INDEX pets_by_status (status=? AND rowid<?)"),
        ("SELECT_PET", None, "INTEGER PRIMARY KEY (rowid=?)"),
    ],
)
def test_every_read_is_one_range_of_an_index(
    tmp_path: Path, name: str, status: str | None, plan: str
) -> None:
    connection = open_database(tmp_path / "pets.db", sample_pets())
    select = Select(f"EXPLAIN QUERY PLAN {getattr(SqliteStore, name)}", 20, 8, status)
    steps = [row[3] for row in connection.execute(select.text, select.arguments())]
    connection.close()
    assert len(steps) == 1  # no temporary B-tree for sorting
    assert f"SEARCH pets USING {plan}" in steps[0]


async def test_two_stores_share_one_file(tmp_path: Path) -> None:
    one, other = (SqliteStore.open(tmp_path / "pets.db", sample_pets(3)) for _ in range(2))
    for store in (one, other, one):
        await store.create_pet(a_new_pet())
    assert [pet.id for pet in (await one.list_pets(9)).pets] == [6, 5, 4, 3, 2, 1]
    assert await other.list_pets(9) == await one.list_pets(9)
    await one.close()
    await other.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    open_database(tmp_path / "pets.db").close()
    return tmp_path / "pets.db"


@contextlib.asynccontextmanager
async def store_that_opens(
    path: Path, opening: Callable[[], sqlite3.Connection]
) -> AsyncIterator[SqliteStore]:
    """A store whose connection for writes is opened so; what hangs fails."""
    store = SqliteStore(open_database(path), GroupWriter(opening))
    async with asyncio.timeout(PATIENCE):
        yield store
        await store.close()


def names(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return [name.decode() for (name,) in connection.execute("SELECT name FROM pets")]


class ConnectionWithoutMemory(sqlite3.Connection):
    """A connection that has no memory for its statements."""

    def execute(self, *_: Any) -> NoReturn:
        raise MemoryError


def without_memory(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, factory=ConnectionWithoutMemory, check_same_thread=False)


def raising(error: BaseException) -> Callable[[Path], sqlite3.Connection]:
    def raise_it(_: Path) -> sqlite3.Connection:
        raise error

    return raise_it


@pytest.mark.parametrize(
    "fail",
    [
        raising(MemoryError()),
        raising(sqlite3.OperationalError("unable to open database file")),
        raising(SystemExit(3)),
        without_memory,
    ],
)
async def test_a_group_that_fails_fails_alone_and_the_next_has_a_new_connection(
    path: Path, fail: Callable[[Path], sqlite3.Connection]
) -> None:
    ways = iter([fail, connect])
    async with store_that_opens(path, lambda: next(ways)(path)) as store:
        adds = [store.create_pet(a_new_pet("lost")) for _ in range(3)]
        for outcome in await asyncio.gather(*adds, return_exceptions=True):
            assert isinstance(outcome, StoreUnavailableError)
        assert (await store.create_pet(a_new_pet("stored"))).id == 1
    assert names(path) == ["stored"]


async def test_if_no_thread_can_be_started_a_write_fails_and_the_next_one_does_not(
    path: Path,
) -> None:
    async with store_that_opens(path, lambda: connect(path)) as store:
        usual = threading.stack_size(2**46)  # bytes; no machine has as many
        try:
            with pytest.raises(NotStoredError, match="can't start new thread"):
                await store.create_pet(a_new_pet("lost"))
        finally:
            threading.stack_size(usual)
        await store.create_pet(a_new_pet("stored"))
    assert names(path) == ["stored"]


async def test_a_write_that_never_ends_is_given_up(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()

    def hanging() -> sqlite3.Connection:
        may_go_on.wait()
        return connect(path)

    monkeypatch.setattr(sqlite, "WRITE_SECONDS", 0.05)
    async with store_that_opens(path, hanging) as store:
        with pytest.raises(StoreUnavailableError, match=r"within 0\.05 seconds") as refusal:
            await store.create_pet(a_new_pet())
        assert not isinstance(refusal.value, NotStoredError)
        may_go_on.set()


async def test_a_closed_store_refuses_further_writes(path: Path) -> None:
    async with store_that_opens(path, lambda: connect(path)) as store:
        await store.create_pet(a_new_pet("stored"))
    with pytest.raises(NotStoredError, match="closed"):
        await store.create_pet(a_new_pet("late"))
    assert names(path) == ["stored"]


def traced(path: Path, statements: list[str]) -> sqlite3.Connection:
    connection = connect(path)
    connection.set_trace_callback(statements.append)
    return connection


async def test_writers_that_wait_share_a_commit_unless_their_names_are_too_large(
    path: Path,
) -> None:
    statements: list[str] = []
    large = "x" * 1_500_000
    async with store_that_opens(path, lambda: traced(path, statements)) as store:
        for name, count in (("Rex", 64), (large, 12)):
            await asyncio.gather(*[store.create_pet(a_new_pet(name)) for _ in range(count)])
    groups = "".join(statement[:6] for statement in statements).split("COMMIT")
    assert [group.count("INSERT") for group in groups if group] == [64, 3, 3, 3, 3]
