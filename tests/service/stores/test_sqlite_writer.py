"""The writing thread: whatever fails costs one group, and the next one is written."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores.sqlite import insert
from pettui.service.stores.sqlite_files import connect, open_database
from pettui.service.stores.sqlite_writer import GroupWriter
from pettui.service.stores.store import NotStoredError, StoreUnavailableError, new_row

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any, NoReturn

    from pettui.models import NewPet
    from tests.service.conftest import NewPetOf


SOON = 20  # seconds, after which a write counts as one that hangs


async def add(writer: GroupWriter, new_pet: NewPet) -> int:
    row = new_row(new_pet)
    return await writer.run(partial(insert, row=row), len(row[0]))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    open_database(tmp_path / "pets.db").close()
    return tmp_path / "pets.db"


def failing_once(path: Path, error: BaseException) -> Callable[[], sqlite3.Connection]:
    """Return a function that opens connections, but fails the first time."""
    errors = [error]

    def open_it() -> sqlite3.Connection:
        if errors:
            raise errors.pop()
        return connect(path)

    return open_it


def names(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    with contextlib.closing(connection):
        return [name.decode() for (name,) in connection.execute("SELECT name FROM pets")]


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        sqlite3.OperationalError("unable to open database file"),
        SystemExit(3),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_a_group_that_fails_fails_alone(
    path: Path, new_pet: NewPetOf, error: BaseException
) -> None:
    writer = GroupWriter(failing_once(path, error))
    async with asyncio.timeout(SOON):
        with pytest.raises(StoreUnavailableError):
            await add(writer, new_pet("lost"))
        assert await add(writer, new_pet("stored")) == 1
        await writer.close()
    assert names(path) == ["stored"]


class ConnectionWithoutMemory(sqlite3.Connection):
    """A connection that has no memory for its statements."""

    def execute(self, *_: Any) -> NoReturn:
        raise MemoryError


async def test_after_a_failure_the_next_group_has_a_new_connection(
    path: Path, new_pet: NewPetOf
) -> None:
    opened: list[sqlite3.Connection] = []

    def open_it() -> sqlite3.Connection:
        kind = sqlite3.Connection if opened else ConnectionWithoutMemory
        opened.append(
            sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=kind)
        )
        return opened[-1]

    writer = GroupWriter(open_it)
    async with asyncio.timeout(SOON):
        outcomes = await asyncio.gather(
            *[add(writer, new_pet("lost")) for _ in range(3)], return_exceptions=True
        )
        assert [str(outcome) for outcome in outcomes] == ["MemoryError: "] * 3
        await add(writer, new_pet("stored"))
        await writer.close()
    assert len(opened) == 2
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.cursor()
    assert names(path) == ["stored"]


async def test_if_no_thread_can_be_started_a_write_fails_and_the_next_one_starts_it(
    path: Path, new_pet: NewPetOf
) -> None:
    writer = GroupWriter(lambda: connect(path))
    usual = threading.stack_size(2**46)  # bytes; no machine has as many
    try:
        with pytest.raises(StoreUnavailableError, match="can't start new thread"):
            await add(writer, new_pet("lost"))
    finally:
        threading.stack_size(usual)
    async with asyncio.timeout(SOON):
        await add(writer, new_pet("stored"))
        await writer.close()
    assert names(path) == ["stored"]


async def test_a_write_that_never_ends_is_given_up(path: Path, new_pet: NewPetOf) -> None:
    started, may_go_on = threading.Event(), threading.Event()

    def hanging() -> sqlite3.Connection:
        started.set()
        may_go_on.wait()
        return connect(path)

    writer = GroupWriter(hanging, timeout=0.05)
    async with asyncio.timeout(SOON):
        with pytest.raises(StoreUnavailableError, match=r"within 0\.05 seconds"):
            await add(writer, new_pet())
        assert started.is_set()
        may_go_on.set()
        await writer.close()


async def test_a_closed_writer_refuses_further_writes(path: Path, new_pet: NewPetOf) -> None:
    writer = GroupWriter(lambda: connect(path))
    await add(writer, new_pet("stored"))
    await writer.close()
    with pytest.raises(StoreUnavailableError, match="closed"):
        await add(writer, new_pet("late"))
    assert names(path) == ["stored"]
    assert not [one for one in threading.enumerate() if one.name == "pettui-writer"]


@pytest.mark.parametrize("size", [1, 1_500_000])
async def test_a_group_takes_no_more_names_than_it_has_memory_for(
    path: Path, new_pet: NewPetOf, size: int
) -> None:
    sizes = [0]

    def count(statement: str) -> None:
        if statement == "COMMIT":
            sizes.append(0)
        sizes[-1] += statement.startswith("INSERT")

    def counted() -> sqlite3.Connection:
        connection = connect(path)
        connection.set_trace_callback(count)
        return connection

    writer = GroupWriter(counted)
    async with asyncio.timeout(60):
        name = "x" * size
        ids = await asyncio.gather(*[add(writer, new_pet(name)) for _ in range(12)])
        await writer.close()
    assert sorted(ids) == list(range(1, 13))
    most = max(sizes)
    assert (most - 1) * size < 4 * 1024 * 1024


async def test_nothing_is_stored_of_a_group_with_a_function_that_fails(
    path: Path, new_pet: NewPetOf
) -> None:
    started, may_go_on = threading.Event(), threading.Event()

    def hold(_: sqlite3.Connection) -> None:
        started.set()
        may_go_on.wait()

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO pets (name, category_id) VALUES ('no blob', 1)")

    writer = GroupWriter(lambda: connect(path))
    async with asyncio.timeout(SOON):
        holding = asyncio.create_task(writer.run(hold))
        await asyncio.to_thread(started.wait)
        group = [add(writer, new_pet("before")), writer.run(fail), add(writer, new_pet("after"))]
        outcomes = asyncio.gather(*group, return_exceptions=True)
        await asyncio.sleep(0)  # all three wait together
        may_go_on.set()
        assert {type(outcome) for outcome in await outcomes} == {NotStoredError}
        await add(writer, new_pet("next"))
        await writer.close()
    await holding
    assert names(path) == ["next"]
