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
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path
    from typing import Any, NoReturn

    from pettui.models import NewPet
    from tests.service.conftest import NewPetOf


@contextlib.asynccontextmanager
async def writing(
    opening: Callable[[], sqlite3.Connection], **options: Any
) -> AsyncIterator[GroupWriter]:
    """Run a writer, which is closed in the end; what hangs for 20 seconds fails."""
    writer = GroupWriter(opening, **options)
    async with asyncio.timeout(20):
        yield writer
        await writer.close()


async def add(writer: GroupWriter, new_pet: NewPet) -> int:
    row = new_row(new_pet)
    return await writer.run(partial(insert, row=row), len(row[0]))


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
async def test_a_group_that_fails_fails_alone(
    path: Path, new_pet: NewPetOf, error: BaseException
) -> None:
    errors = [error]

    def failing_once() -> sqlite3.Connection:
        if errors:
            raise errors.pop()
        return connect(path)

    async with writing(failing_once) as writer:
        with pytest.raises(StoreUnavailableError):
            await add(writer, new_pet("lost"))
        assert await add(writer, new_pet("stored")) == 1
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

    async with writing(open_it) as writer:
        outcomes = await asyncio.gather(
            *[add(writer, new_pet("lost")) for _ in range(3)], return_exceptions=True
        )
        assert [str(outcome) for outcome in outcomes] == ["MemoryError: "] * 3
        await add(writer, new_pet("stored"))
    assert len(opened) == 2
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.cursor()
    assert names(path) == ["stored"]


async def test_if_no_thread_can_be_started_a_write_fails_and_the_next_one_starts_it(
    path: Path, new_pet: NewPetOf
) -> None:
    async with writing(lambda: connect(path)) as writer:
        usual = threading.stack_size(2**46)  # bytes; no machine has as many
        try:
            with pytest.raises(StoreUnavailableError, match="can't start new thread"):
                await add(writer, new_pet("lost"))
        finally:
            threading.stack_size(usual)
        await add(writer, new_pet("stored"))
    assert names(path) == ["stored"]


async def test_a_write_that_never_ends_is_given_up(path: Path, new_pet: NewPetOf) -> None:
    may_go_on = threading.Event()

    def hanging() -> sqlite3.Connection:
        may_go_on.wait()
        return connect(path)

    async with writing(hanging, timeout=0.05) as writer:
        with pytest.raises(StoreUnavailableError, match=r"within 0\.05 seconds"):
            await add(writer, new_pet())
        may_go_on.set()


async def test_a_closed_writer_refuses_further_writes(path: Path, new_pet: NewPetOf) -> None:
    async with writing(lambda: connect(path)) as writer:
        await add(writer, new_pet("stored"))
    with pytest.raises(StoreUnavailableError, match="closed"):
        await add(writer, new_pet("late"))
    assert names(path) == ["stored"]
    assert not [one for one in threading.enumerate() if one.name == "pettui-writer"]


async def test_a_group_takes_no_more_names_than_it_has_memory_for(
    path: Path, new_pet: NewPetOf
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

    name = "x" * 1_500_000
    async with writing(counted) as writer:
        ids = await asyncio.gather(*[add(writer, new_pet(name)) for _ in range(12)])
    assert sorted(ids) == list(range(1, 13))
    assert (max(sizes) - 1) * len(name) < 4 * 1024 * 1024


async def test_nothing_is_stored_of_a_group_with_a_function_that_fails(
    path: Path, new_pet: NewPetOf
) -> None:
    started, may_go_on = threading.Event(), threading.Event()

    def hold(_: sqlite3.Connection) -> None:
        started.set()
        may_go_on.wait()

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO pets (name, category_id) VALUES ('no blob', 1)")

    async with writing(lambda: connect(path)) as writer:
        holding = asyncio.create_task(writer.run(hold))
        await asyncio.to_thread(started.wait)
        group = [add(writer, new_pet("before")), writer.run(fail), add(writer, new_pet("after"))]
        outcomes = asyncio.gather(*group, return_exceptions=True)
        await asyncio.sleep(0)  # all three wait together
        may_go_on.set()
        assert {type(outcome) for outcome in await outcomes} == {NotStoredError}
        await add(writer, new_pet("next"))
        await holding
    assert names(path) == ["next"]
