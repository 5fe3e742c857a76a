"""The store in PostgreSQL, so that several machines can serve one shop.

Plain SQL that PostgreSQL's distributed relatives take as well. A name is a bytea of UTF-8, since
PostgreSQL's text can't hold NUL.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from psycopg_pool import AsyncConnectionPool

from pettui.service.stores.bounds import (
    NAME_BYTES,
    SMALL_NAME_BYTES,
    bounded_name,
    decoded,
    rows_that_fit,
)
from pettui.service.stores.postgres_groups import Groups, TimedConnection, check
from pettui.service.stores.postgres_opening import checked_address, configure, prepare
from pettui.service.stores.store import Row, StoredPage, StoredPet, StoreUnavailableError, row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.models import NewPet, PetStatus

CONNECTIONS_MINIMUM: Final = 1
CONNECTIONS_MAXIMUM: Final = 10  # of one service; PostgreSQL's own default is 100 for all
CONNECTIONS_READING: Final = 2  # a slow page holds up no more than its group
CONNECTIONS_WRITING: Final = 1  # while it waits for the disk, the next group gathers
CONNECTIONS_WRITING_LARGE: Final = 4
LARGE: Final = 64 * 1024  # bytes of a name; an animal with a larger one is a group of its own

# Every one is a range of the primary key or of pets_by_status, whatever the store's size. With
# "status = %s ORDER BY id" the planner may walk down the primary key in search of the status, for
# all of a large store if the status is that of its oldest animals alone; a range of (status, id)
# in that order leaves it the one index that is right.
# A large name stays where it is until it is known that the page has room for it.
_SMALL_NAME = f"CASE WHEN octet_length(name) <= {SMALL_NAME_BYTES} THEN name END"
_COLUMNS = f"SELECT id, {_SMALL_NAME}, category_id, status FROM pets"  # noqa: S608 - all ours
_ORDER = "ORDER BY id DESC LIMIT %s::bigint"
SELECT_PAGE = f"{_COLUMNS} WHERE id < %s::bigint {_ORDER}"
SELECT_FIRST_PAGE = f"{_COLUMNS} {_ORDER}"
_ORDER_OF_STATUS = "ORDER BY status DESC, id DESC LIMIT %s::bigint"
SELECT_PAGE_OF_STATUS = (
    f"{_COLUMNS} WHERE status >= %s AND (status, id) < (%s, %s::bigint) {_ORDER_OF_STATUS}"
)
SELECT_FIRST_PAGE_OF_STATUS = f"{_COLUMNS} WHERE status >= %s AND status <= %s {_ORDER_OF_STATUS}"
SELECT_PET = f"{_COLUMNS} WHERE id = %s::bigint"
SELECT_SIZES = "SELECT id, octet_length(name) FROM pets WHERE id = ANY(%s::bigint[])"
SELECT_NAMES = "SELECT id, substring(name FROM 1 FOR %s) FROM pets WHERE id = ANY(%s::bigint[])"


# One text for groups of every size, so that it is prepared once. Ids are given in the order of
# place; in which order they come back is left to the database.
INSERT_GROUP = """
    INSERT INTO pets (name, category_id, status)
    SELECT name, category_id, status
    FROM unnest(%b::bytea[], %b::bigint[], %b::text[])
        WITH ORDINALITY AS new_pets (name, category_id, status, place)
    ORDER BY place
    RETURNING id
"""


class Select(NamedTuple):
    """A query of a page, which asks for one row more to see whether there is another page."""

    query: str
    arguments: tuple[Any, ...]
    limit: int


_Row = tuple[int, bytes | None, int, str | None]  # a large name is None


class PostgresStore:
    """A ``Store`` on a pool of connections."""

    def __init__(self, pool: AsyncConnectionPool[TimedConnection]) -> None:
        self._pool = pool
        self._reads = Groups(pool, read, CONNECTIONS_READING)
        self._writes = Groups(pool, insert, CONNECTIONS_WRITING)
        self._large_writes = Groups(pool, insert, CONNECTIONS_WRITING_LARGE, maximum=1)

    @classmethod
    async def open(cls, address: str, samples: Iterable[NewPet] = ()) -> PostgresStore:
        """Open the store in a database, whose tables are made where there are none.

        Args:
            address: ``postgresql://…``; it may hold a password, and stands in no message.
            samples: animals to begin with; they go in only while there is no animal at all.

        Raises:
            StoreError: it can't be reached or used.
        """
        checked = checked_address(address)
        await prepare(checked, samples)
        pool = AsyncConnectionPool(
            checked,
            kwargs={"autocommit": True},
            configure=configure,
            connection_class=TimedConnection,
            check=check,
            min_size=CONNECTIONS_MINIMUM,
            max_size=CONNECTIONS_MAXIMUM,
            open=False,
        )
        await pool.open()
        return cls(pool)

    async def list_pets(
        self, limit: int, status: PetStatus | None = None, before: int | None = None
    ) -> StoredPage:
        """Give at most ``limit`` animals with an id below ``before``, highest id first."""
        select, arguments = SELECT_FIRST_PAGE, list[Any]()
        if status is not None and before is not None:
            select, arguments = SELECT_PAGE_OF_STATUS, [status.value, status.value, before]
        elif status is not None:
            select, arguments = SELECT_FIRST_PAGE_OF_STATUS, [status.value, status.value]
        elif before is not None:
            select, arguments = SELECT_PAGE, [before]
        return await self._reads.ask(Select(select, (*arguments, limit + 1), limit))

    async def create_pet(self, new_pet: NewPet) -> StoredPet:
        """Keep an animal; when it is given it is on the disk."""
        values = row(new_pet)
        writes = self._writes if len(values[0]) <= LARGE else self._large_writes
        pet_id = await writes.ask(values)
        return StoredPet(pet_id, new_pet.name, new_pet.category_id, new_pet.status)

    async def get_pet(self, pet_id: int) -> StoredPet | None:
        """Give one animal, or None where there is none of that id."""
        page = await self._reads.ask(Select(SELECT_PET, (pet_id,), 1))
        return page.pets[0] if page.pets else None

    async def close(self) -> None:
        """Finish what is being written, and close the connections."""
        for groups in (self._reads, self._writes, self._large_writes):
            await groups.close()
        await self._pool.close()


async def read(connection: TimedConnection, selects: list[Select]) -> list[StoredPage]:
    """Return the page of each query, all asked in one trip.

    Most people look at the same few pages: what several of them ask for is asked once.
    """
    different = list(dict.fromkeys(selects))
    async with connection.pipeline() if len(different) > 1 else nullcontext():
        cursors = [
            await connection.cursor(binary=True).execute(select.query, select.arguments)
            for select in different
        ]
    pages = {
        select: await _page(connection, await cursor.fetchall(), select.limit)
        for select, cursor in zip(different, cursors, strict=True)
    }
    return [pages[select] for select in selects]


async def _page(connection: TimedConnection, rows: list[_Row], limit: int) -> StoredPage:
    """Return the animals of the first rows, as many as one answer has room for."""
    shown, names = rows[:limit], dict[int, str]()
    if any(name is None for _, name, _, _ in shown):
        try:
            shown, names = await _with_large_names(connection, shown)
        except KeyError as error:
            raise StoreUnavailableError(f"animal {error} went away while it was read") from None
    pets = [
        StoredPet(pet_id, names[pet_id] if name is None else decoded(name), category_id, status)
        for pet_id, name, category_id, status in shown
    ]
    return StoredPage.of(pets, is_last=len(pets) == len(rows))


async def _with_large_names(
    connection: TimedConnection, rows: list[_Row]
) -> tuple[list[_Row], dict[int, str]]:
    """Return the rows that there is room for, and their large names by id."""
    large = [pet_id for pet_id, name, _, _ in rows if name is None]
    sizes = dict(await _fetch(connection, SELECT_SIZES, large))
    fitting = rows[
        : rows_that_fit(sizes[row[0]] if row[1] is None else len(row[1]) for row in rows)
    ]
    large = [pet_id for pet_id, name, _, _ in fitting if name is None]
    beginnings = await _fetch(connection, SELECT_NAMES, NAME_BYTES, large)
    names = {pet_id: bounded_name(name, sizes[pet_id]) for pet_id, name in beginnings}
    return fitting, {pet_id: names[pet_id] for pet_id in large}


async def _fetch(connection: TimedConnection, query: str, *arguments: Any) -> list[tuple[Any, ...]]:
    cursor = await connection.cursor(binary=True).execute(query, arguments)
    return await cursor.fetchall()


async def insert(connection: TimedConnection, rows: list[Row]) -> list[int]:
    """Keep animals in one statement and one commit, and give their ids."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    cursor = await connection.cursor(binary=True).execute(INSERT_GROUP, columns)
    return sorted([pet_id for (pet_id,) in await cursor.fetchall()])
