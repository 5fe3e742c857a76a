"""The default store: one SQLite file, or memory.

Reads take some ten microseconds from the page cache, and with WAL they never wait for a writer:
they run in the event loop. Writes wait for the disk: they have a thread (``sqlite_writer``).
"""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pettui.service.sqlite_opening import connect, open_database, prepare
from pettui.service.sqlite_writer import GroupWriter, insert
from pettui.service.store import StoredPage, StoredPet, StoreUnavailableError, row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.models import NewPet, PetStatus

READ_WAIT = 100  # milliseconds; a reader waits only while the file is recovered or restored

# Every one is a range of the primary key or of pets_by_status, whatever the store's size.
_COLUMNS = "SELECT id, name, category_id, status FROM pets"
_ORDER = "ORDER BY id DESC LIMIT ?"
SELECT_PAGE = f"{_COLUMNS} WHERE id < ? {_ORDER}"
SELECT_FIRST_PAGE = f"{_COLUMNS} {_ORDER}"
SELECT_PAGE_OF_STATUS = f"{_COLUMNS} WHERE status = ? AND id < ? {_ORDER}"
SELECT_FIRST_PAGE_OF_STATUS = f"{_COLUMNS} WHERE status = ? {_ORDER}"
SELECT_PET = f"{_COLUMNS} WHERE id = ?"


class Writer(Protocol):
    """What keeps new animals."""

    async def create_pet(self, new_pet: NewPet) -> int:
        """Keep an animal, and give its id."""
        ...

    async def close(self) -> None:
        """Finish what is being written."""
        ...


class SqliteStore:
    """A ``Store`` on a connection that reads, and a writer."""

    def __init__(self, reader: sqlite3.Connection, writer: Writer) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    def open(cls, path: Path | str, samples: Iterable[NewPet] = ()) -> SqliteStore:
        """Open the store in a file, made where there is none (0600, in a directory of 0700).

        Args:
            path: of the file.
            samples: animals to begin with; they go in only while there is no animal at all.

        Raises:
            StoreError: the file can't be used; it is as it was.
        """
        path = Path(path).absolute()
        reader = open_database(path, samples)
        reader.execute(f"PRAGMA busy_timeout = {READ_WAIT}")
        return cls(reader, GroupWriter(partial(connect, path)))

    @classmethod
    def open_in_memory(cls, samples: Iterable[NewPet] = ()) -> SqliteStore:
        """Open a store that nobody else sees, and that is gone when it is closed."""
        connection = connect(":memory:")
        prepare(connection, "in memory", samples)
        return cls(connection, MemoryWriter(connection))

    async def list_pets(
        self, limit: int, status: PetStatus | None = None, before: int | None = None
    ) -> StoredPage:
        """Give at most ``limit`` animals with an id below ``before``, highest id first."""
        select, arguments = SELECT_FIRST_PAGE, []
        if status is not None and before is not None:
            select, arguments = SELECT_PAGE_OF_STATUS, [status.value, before]
        elif status is not None:
            select, arguments = SELECT_FIRST_PAGE_OF_STATUS, [status.value]
        elif before is not None:
            select, arguments = SELECT_PAGE, [before]
        return StoredPage.of(self._read(select, *arguments, limit + 1), limit)

    async def create_pet(self, new_pet: NewPet) -> StoredPet:
        """Keep an animal; when it is given it is on the disk."""
        pet_id = await self._writer.create_pet(new_pet)
        return StoredPet(pet_id, new_pet.name, new_pet.category_id, new_pet.status)

    async def get_pet(self, pet_id: int) -> StoredPet | None:
        """Give one animal, or None where there is none of that id."""
        pets = self._read(SELECT_PET, pet_id)
        return pets[0] if pets else None

    async def close(self) -> None:
        """Finish what is being written, and close the file."""
        await self._writer.close()
        self._reader.close()

    def _read(self, select: str, *arguments: Any) -> list[StoredPet]:
        try:
            rows = self._reader.execute(select, arguments).fetchall()
        except sqlite3.Error as error:
            raise StoreUnavailableError(str(error)) from error
        return [
            StoredPet(pet_id, name.decode(), category_id, status)
            for pet_id, name, category_id, status in rows
        ]


class MemoryWriter:
    """Writes where there is no disk to wait for."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def create_pet(self, new_pet: NewPet) -> int:
        """Keep an animal, and give its id."""
        return insert(self._connection, [row(new_pet)])[0]

    async def close(self) -> None:
        """Do nothing: the store closes the connection."""
