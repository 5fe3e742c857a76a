"""What only SQLite does: durability, query plans, and the thread that commits groups."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores import sqlite
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import SqliteStore, insert
from pettui.service.stores.sqlite_files import connect, open_database
from pettui.service.stores.sqlite_writer import GroupWriter
from pettui.service.stores.store import (
    Add,
    Added,
    ConstraintError,
    NotStoredError,
    PageQuery,
    StoreUnavailableError,
)
from tests.animals import a_new_pet
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path
    from typing import Any, NoReturn

    from pettui.models.pets import NewPet


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


async def test_an_id_is_never_reused(tmp_path: Path) -> None:
    with contextlib.closing(open_database(tmp_path / "pets.db", sample_pets(5))) as connection:
        connection.execute("DELETE FROM pets")
    store = SqliteStore.open(tmp_path / "pets.db")
    assert (await store.create_pet(a_new_pet())).id == 6
    await store.close()


PAGE = PageQuery(20, "sold", 8)._asdict()


@pytest.mark.parametrize(
    ("select", "arguments", "plan"),
    [
        ("SELECT_PAGE", PAGE | {"status": None}, "INTEGER PRIMARY KEY (rowid<?)"),
        ("SELECT_PAGE_OF_STATUS", PAGE, "INDEX pets_by_status (status=? AND rowid<?)"),
        ("SELECT_PET", {"id": 1}, "INTEGER PRIMARY KEY (rowid=?)"),
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
    assert f"SEARCH pets USING {plan}" in steps[0]


async def test_two_stores_share_one_file(tmp_path: Path) -> None:
    one, other = (SqliteStore.open(tmp_path / "pets.db", sample_pets(3)) for _ in range(2))
    for store in (one, other, one):
        await store.create_pet(a_new_pet())
    assert [pet.id for pet in (await one.list_pets(9)).pets] == [6, 5, 4, 3, 2, 1]
    assert await other.list_pets(9) == await one.list_pets(9)
    await one.close()
    await other.close()


@contextlib.asynccontextmanager
async def writing(
    opening: Callable[[], sqlite3.Connection], **options: Any
) -> AsyncIterator[GroupWriter]:
    """Run a writer, which is closed in the end; what hangs for 20 seconds fails."""
    writer = GroupWriter(opening, **options)
    async with asyncio.timeout(PATIENCE):
        yield writer
        await writer.close()


async def add(writer: GroupWriter, new_pet: NewPet) -> int | Added:
    adding = Add.of(new_pet, None)
    return await writer.run(partial(insert, add=adding), len(adding.row[0]))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    open_database(tmp_path / "pets.db").close()
    return tmp_path / "pets.db"


def names(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return [name.decode() for (name,) in connection.execute("SELECT name FROM pets")]


@pytest.mark.parametrize(
    "error",
    [MemoryError(), sqlite3.OperationalError("unable to open database file"), SystemExit(3)],
    ids=lambda error: type(error).__name__,
)
async def test_a_group_that_fails_fails_alone(path: Path, error: BaseException) -> None:
    errors = [error]

    def failing_once() -> sqlite3.Connection:
        if errors:
            raise errors.pop()
        return connect(path)

    async with writing(failing_once) as writer:
        with pytest.raises(StoreUnavailableError):
            await add(writer, a_new_pet("lost"))
        assert await add(writer, a_new_pet("stored")) == 1
    assert names(path) == ["stored"]


class ConnectionWithoutMemory(sqlite3.Connection):
    """A connection that has no memory for its statements."""

    def execute(self, *_: Any) -> NoReturn:
        raise MemoryError


async def test_after_a_failure_the_next_group_has_a_new_connection(path: Path) -> None:
    kinds = [ConnectionWithoutMemory, sqlite3.Connection]
    opened = [
        sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=kind)
        for kind in kinds
    ]
    left = iter(opened)
    async with writing(lambda: next(left)) as writer:
        outcomes = await asyncio.gather(
            *[add(writer, a_new_pet("lost")) for _ in range(3)], return_exceptions=True
        )
        assert [str(outcome) for outcome in outcomes] == ["MemoryError: "] * 3
        await add(writer, a_new_pet("stored"))
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.cursor()
    assert names(path) == ["stored"]


async def test_if_no_thread_can_be_started_a_write_fails_and_the_next_one_starts_it(
    path: Path,
) -> None:
    async with writing(lambda: connect(path)) as writer:
        usual = threading.stack_size(2**46)  # bytes; no machine has as many
        try:
            with pytest.raises(StoreUnavailableError, match="can't start new thread"):
                await add(writer, a_new_pet("lost"))
        finally:
            threading.stack_size(usual)
        await add(writer, a_new_pet("stored"))
    assert names(path) == ["stored"]


async def test_a_write_that_never_ends_is_given_up(path: Path) -> None:
    may_go_on = threading.Event()

    def hanging() -> sqlite3.Connection:
        may_go_on.wait()
        return connect(path)

    async with writing(hanging, timeout=0.05) as writer:
        with pytest.raises(StoreUnavailableError, match=r"within 0\.05 seconds"):
            await add(writer, a_new_pet())
        may_go_on.set()


async def test_a_closed_writer_refuses_further_writes(path: Path) -> None:
    async with writing(lambda: connect(path)) as writer:
        await add(writer, a_new_pet("stored"))
    with pytest.raises(StoreUnavailableError, match="closed"):
        await add(writer, a_new_pet("late"))
    assert names(path) == ["stored"]
    assert not [one for one in threading.enumerate() if one.name == "pettui-writer"]


def traced(path: Path, statements: list[str]) -> sqlite3.Connection:
    connection = connect(path)
    connection.set_trace_callback(statements.append)
    return connection


@pytest.mark.parametrize(("maximum", "fewest", "most"), [(1, 64, 64), (256, 1, 3)])
async def test_writers_that_wait_share_a_commit(
    path: Path, maximum: int, fewest: int, most: int
) -> None:
    statements: list[str] = []
    async with writing(lambda: traced(path, statements), maximum=maximum) as writer:
        ids = await asyncio.gather(*[add(writer, a_new_pet()) for _ in range(64)])
    assert sorted(ids) == list(range(1, 65))
    assert fewest <= statements.count("COMMIT") <= most


async def test_a_group_takes_no_more_names_than_it_has_memory_for(path: Path) -> None:
    name = "x" * 1_500_000
    statements: list[str] = []
    async with writing(lambda: traced(path, statements)) as writer:
        ids = await asyncio.gather(*[add(writer, a_new_pet(name)) for _ in range(12)])
    assert sorted(ids) == list(range(1, 13))
    groups = "".join(statement[:6] for statement in statements).split("COMMIT")
    most = max(group.count("INSERT") for group in groups)
    assert (most - 1) * len(name) < 4 * 1024 * 1024


async def test_nothing_is_stored_of_a_group_with_a_function_that_fails(path: Path) -> None:
    started, may_go_on = threading.Event(), threading.Event()

    def hold(_: sqlite3.Connection) -> None:
        started.set()
        may_go_on.wait()

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO pets (name, category_id) VALUES ('no blob', 1)")

    async with writing(lambda: connect(path)) as writer:
        holding = asyncio.create_task(writer.run(hold))
        await asyncio.to_thread(started.wait)
        group = [
            add(writer, a_new_pet("before")),
            writer.run(fail),
            add(writer, a_new_pet("after")),
        ]
        outcomes = asyncio.gather(*group, return_exceptions=True)
        await asyncio.sleep(0)  # all three wait together
        may_go_on.set()
        kinds = [type(outcome) for outcome in await outcomes]
        assert kinds == [NotStoredError, ConstraintError, NotStoredError]
        await add(writer, a_new_pet("next"))
        await holding
    assert names(path) == ["next"]
