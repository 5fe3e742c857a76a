"""The store in PostgreSQL, so that several machines can serve one shop.

Plain SQL that PostgreSQL's distributed relatives take as well. A name is a bytea of UTF-8, since
PostgreSQL's text can't hold NUL.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from psycopg import AsyncConnection, Error
from psycopg_pool import AsyncConnectionPool

from pettui.service.postgres_opening import INSERT, checked_address, configure, prepare
from pettui.service.store import StoredPage, StoredPet, StoreUnavailableError, row

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from pettui.models import NewPet, PetStatus

CONNECTIONS_MINIMUM: Final = 1
CONNECTIONS_MAXIMUM: Final = 10  # of one service; PostgreSQL's own default is 100 for all
WAITING_MAXIMUM: Final = 500  # requests for a connection; more are answered 503 at once
CONNECTION_SECONDS: Final = 3.0  # to wait for one
ANSWER_SECONDS: Final = 10.0  # for one operation as a whole
IDLE_SECONDS: Final = 0.1  # after which a connection is tried; no server starts again faster

# Every one is a range of the primary key or of pets_by_status, whatever the store's size. With
# "status = %s ORDER BY id" the planner may walk down the primary key in search of the status, for
# all of a large store if the status is that of its oldest animals alone; a range of (status, id)
# in that order leaves it the one index that is right.
_COLUMNS = "SELECT id, name, category_id, status FROM pets"
_ORDER = "ORDER BY id DESC LIMIT %s::bigint"
SELECT_PAGE = f"{_COLUMNS} WHERE id < %s::bigint {_ORDER}"
SELECT_FIRST_PAGE = f"{_COLUMNS} {_ORDER}"
_ORDER_OF_STATUS = "ORDER BY status DESC, id DESC LIMIT %s::bigint"
SELECT_PAGE_OF_STATUS = (
    f"{_COLUMNS} WHERE status >= %s AND (status, id) < (%s, %s::bigint) {_ORDER_OF_STATUS}"
)
SELECT_FIRST_PAGE_OF_STATUS = f"{_COLUMNS} WHERE status >= %s AND status <= %s {_ORDER_OF_STATUS}"
SELECT_PET = f"{_COLUMNS} WHERE id = %s::bigint"


class TimedConnection(AsyncConnection[Any]):
    """A connection that knows when it was last of use."""

    used = 0.0  # time.monotonic()


async def check(connection: TimedConnection) -> None:
    """Try a connection before it is used, unless it was of use a moment ago.

    After the database has started again no request fails that could have been answered, and
    while many come none pays for the round trip.
    """
    if time.monotonic() - connection.used > IDLE_SECONDS:
        await AsyncConnectionPool.check_connection(connection)


class PostgresStore:
    """A ``Store`` on a pool of connections."""

    def __init__(self, pool: AsyncConnectionPool[TimedConnection]) -> None:
        self._pool = pool

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
            max_waiting=WAITING_MAXIMUM,
            timeout=CONNECTION_SECONDS,
            open=False,
        )
        await pool.open()
        return cls(pool)

    async def list_pets(
        self, limit: int, status: PetStatus | None = None, before: int | None = None
    ) -> StoredPage:
        """Give at most ``limit`` animals with an id below ``before``, highest id first."""
        select, arguments = SELECT_FIRST_PAGE, []
        if status is not None and before is not None:
            select, arguments = SELECT_PAGE_OF_STATUS, [status.value] * 2 + [before]
        elif status is not None:
            select, arguments = SELECT_FIRST_PAGE_OF_STATUS, [status.value] * 2
        elif before is not None:
            select, arguments = SELECT_PAGE, [before]
        return StoredPage.of(await self._read(select, *arguments, limit + 1), limit)

    async def create_pet(self, new_pet: NewPet) -> StoredPet:
        """Keep an animal; when it is given it is on the disk."""
        async with self._connection() as connection:
            [[pet_id]] = await _rows(connection, f"{INSERT} RETURNING id", row(new_pet))
        return StoredPet(pet_id, new_pet.name, new_pet.category_id, new_pet.status)

    async def get_pet(self, pet_id: int) -> StoredPet | None:
        """Give one animal, or None where there is none of that id."""
        pets = await self._read(SELECT_PET, pet_id)
        return pets[0] if pets else None

    async def close(self) -> None:
        """Finish what is being written, and close the connections."""
        await self._pool.close()

    async def _read(self, select: str, *arguments: Any) -> list[StoredPet]:
        async with self._connection() as connection:
            rows = await _rows(connection, select, arguments)
        return [
            StoredPet(pet_id, name.decode(), category_id, status)
            for pet_id, name, category_id, status in rows
        ]

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[AsyncConnection[Any]]:
        try:
            async with asyncio.timeout(ANSWER_SECONDS), self._pool.connection() as connection:
                yield connection
                connection.used = time.monotonic()
        except (Error, TimeoutError) as error:
            raise StoreUnavailableError(type(error).__name__) from error


async def _rows(connection: AsyncConnection[Any], query: str, arguments: Any) -> list[Any]:
    cursor = connection.cursor(binary=True)
    await cursor.execute(query, arguments)
    return await cursor.fetchall()
