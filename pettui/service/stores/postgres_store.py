"""The store in PostgreSQL, so that several machines can serve one shop.

The SQL is plain enough for distributed databases that speak PostgreSQL's protocol. A name is a
bytea of UTF-8, since PostgreSQL's text can't hold NUL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from psycopg_pool import AsyncConnectionPool

from pettui.service.stores.postgres_batches import (
    DEFAULT_LIMITS,
    Batches,
    BatchLimits,
    TimedConnection,
    check_idle,
)
from pettui.service.stores.postgres_opening import checked_address, configure, prepare
from pettui.service.stores.postgres_queries import (
    SELECT_FIRST_PAGE,
    SELECT_FIRST_PAGE_OF_STATUS,
    SELECT_PAGE,
    SELECT_PAGE_OF_STATUS,
    SELECT_PET,
    Select,
    insert,
    read,
)
from pettui.service.stores.store import StoredPage, StoredPet, row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.models import NewPet, PetStatus

CONNECTIONS_MINIMUM: Final = 1
CONNECTIONS_MAXIMUM: Final = 10  # of one service; PostgreSQL's own default is 100 for all
CONNECTIONS_READING: Final = 2  # a slow page delays only its batch
CONNECTIONS_WRITING: Final = 1  # while one batch waits for the disk, the next one fills
CONNECTIONS_WRITING_LARGE: Final = 4
LARGE: Final = 64 * 1024  # bytes of a name; an animal with a larger one is a batch of its own


class PostgresStore:
    """A ``Store`` on a pool of connections."""

    def __init__(self, pool: AsyncConnectionPool[TimedConnection], limits: BatchLimits) -> None:
        self._pool = pool
        self._reads = Batches(pool, read, CONNECTIONS_READING, limits=limits, is_read=True)
        self._writes = Batches(pool, insert, CONNECTIONS_WRITING, limits=limits)
        self._large_writes = Batches(
            pool, insert, CONNECTIONS_WRITING_LARGE, maximum=1, limits=limits
        )

    @classmethod
    async def open(
        cls,
        address: str,
        samples: Iterable[NewPet] = (),
        limits: BatchLimits = DEFAULT_LIMITS,
    ) -> PostgresStore:
        """Open the store in a database, whose tables are created if missing.

        Args:
            address: ``postgresql://…``; it may hold a password, and is never shown.
            samples: stored if there are no animals.
            limits: on requests that wait for the database.

        Raises:
            StoreError: it can't be reached or used.
        """
        checked = checked_address(address)
        await prepare(checked, samples)
        pool = AsyncConnectionPool(
            checked,
            kwargs={"autocommit": True, "failures": []},
            configure=configure,
            connection_class=TimedConnection,
            check=check_idle,
            min_size=CONNECTIONS_MINIMUM,
            max_size=CONNECTIONS_MAXIMUM,
            open=False,
        )
        await pool.open()
        return cls(pool, limits)

    async def list_pets(
        self, limit: int, status: PetStatus | None = None, before: int | None = None
    ) -> StoredPage:
        """Return at most ``limit`` animals with an id below ``before``, highest id first."""
        select, arguments = SELECT_FIRST_PAGE, list[Any]()
        if status is not None and before is not None:
            select, arguments = SELECT_PAGE_OF_STATUS, [status.value, status.value, before]
        elif status is not None:
            select, arguments = SELECT_FIRST_PAGE_OF_STATUS, [status.value, status.value]
        elif before is not None:
            select, arguments = SELECT_PAGE, [before]
        return await self._reads.submit(Select(select, (*arguments, limit + 1), limit))

    async def create_pet(self, new_pet: NewPet) -> StoredPet:
        """Store an animal; it is on the disk when it is returned."""
        values = row(new_pet)
        writes = self._writes if len(values[0]) <= LARGE else self._large_writes
        pet_id = await writes.submit(values)
        return StoredPet(pet_id, new_pet.name, new_pet.category_id, new_pet.status)

    async def get_pet(self, pet_id: int) -> StoredPet | None:
        """Return one animal, or None if no animal has the id."""
        page = await self._reads.submit(Select(SELECT_PET, (pet_id,), 1))
        return page.pets[0] if page.pets else None

    async def close(self) -> None:
        """Finish pending requests, and close the connections."""
        for batches in (self._reads, self._writes, self._large_writes):
            await batches.close()
        await self._pool.close()
