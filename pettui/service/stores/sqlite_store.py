"""The default store: one SQLite file, or memory.

Reads take about ten microseconds from the page cache, and with WAL they never wait for a writer:
they run in the event loop. Writes wait for the disk, and have their own thread (``sqlite_writer``).
"""

from __future__ import annotations

import logging
import sqlite3
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from pettui.service.stores.bounds import (
    NAME_BYTES,
    SMALL_NAME_BYTES,
    bounded_name,
    decoded,
    rows_that_fit,
)
from pettui.service.stores.memory_writer import MemoryWriter
from pettui.service.stores.sqlite_file_check import DatabaseFiles
from pettui.service.stores.sqlite_opening import (
    NoRoomError,
    closed_on_failure,
    connect_to_memory,
    connect_to_write,
    connect_without_log,
    open_database,
)
from pettui.service.stores.sqlite_schema import prepare
from pettui.service.stores.sqlite_writer import GroupWriter
from pettui.service.stores.store import (
    StoredPage,
    StoredPet,
    StoreError,
    StoreUnavailableError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pettui.models import NewPet, PetStatus
    from pettui.service.stores.memory_writer import MemoryBounds

READ_WAIT: Final = 100  # milliseconds; a reader waits only while the file is recovered

# A large name is not read until it is known that the page has room for it; SQLite knows the length
# of a BLOB without reading it. Every query is a range of the primary key or of pets_by_status,
# however large the store is.
_SMALL_NAME = f"CASE WHEN length(name) <= {SMALL_NAME_BYTES} THEN name END"
_COLUMNS = f"SELECT id, {_SMALL_NAME}, category_id, status FROM pets"  # noqa: S608 - all ours
_ORDER = "ORDER BY id DESC LIMIT ?"
SELECT_PAGE = f"{_COLUMNS} WHERE id < ? {_ORDER}"
SELECT_FIRST_PAGE = f"{_COLUMNS} {_ORDER}"
SELECT_PAGE_OF_STATUS = f"{_COLUMNS} WHERE status = ? AND id < ? {_ORDER}"
SELECT_FIRST_PAGE_OF_STATUS = f"{_COLUMNS} WHERE status = ? {_ORDER}"
SELECT_PET = f"{_COLUMNS} WHERE id = ?"

_Row = tuple[int, bytes | None, int, str | None]  # a large name is None


logger = logging.getLogger(__name__)


class Writer(Protocol):
    """Stores new animals."""

    async def create_pet(self, new_pet: NewPet) -> int:
        """Store an animal, and return its id."""
        ...

    async def close(self) -> None:
        """Finish pending writes."""
        ...


class SqliteStore:
    """A ``Store`` on a connection that reads, and a writer."""

    def __init__(
        self, reader: sqlite3.Connection, writer: Writer, files: DatabaseFiles | None = None
    ) -> None:
        """Create a store.

        Args:
            reader: a connection for reads, which the store closes.
            writer: stores new animals; the store closes it.
            files: of the database, which are checked before each read; None in memory.
        """
        self._reader = reader
        self._writer = writer
        self._files = files
        self._without_log: Path | None = None  # the file, while it can only be read

    @classmethod
    def open(
        cls, path: Path | str, samples: Iterable[NewPet] = (), *, only_new: bool = False
    ) -> SqliteStore:
        """Open the store in a file, which is created if missing (0600, in a directory of 0700).

        On a full disk an existing one can be read; it takes animals as soon as there is room.

        Args:
            path: of the file.
            samples: animals to begin with; they go in only while there is no animal at all.
            only_new: whether they do so only where this makes the store.

        Raises:
            StoreError: the file can't be used; it is as it was.
        """
        path = Path(path).absolute()
        try:
            reader, has_log = open_database(path, samples, only_new=only_new), True
        except NoRoomError as error:
            logger.warning("%s; until then animals can be listed, but not added", error)
            reader, has_log = connect_without_log(path), False
        with closed_on_failure(reader):
            reader.execute(f"PRAGMA busy_timeout = {READ_WAIT}")
            files = DatabaseFiles(path)
        writer = GroupWriter(partial(connect_to_write, path), check=files.check_all)
        store = cls(reader, writer, files)
        if has_log:
            files.add_log()
        else:
            store._without_log = path
        return store

    @classmethod
    def open_in_memory(
        cls, samples: Iterable[NewPet] = (), bounds: MemoryBounds | None = None
    ) -> SqliteStore:
        """Open a store in memory, which is gone when it is closed.

        Args:
            samples: to start with; they do not count against the bounds.
            bounds: on what is added; None for none.
        """
        connection = connect_to_memory()
        with closed_on_failure(connection):
            prepare(connection, "in memory", samples)
        return cls(connection, MemoryWriter(connection, bounds))

    async def list_pets(
        self, limit: int, status: PetStatus | None = None, before: int | None = None
    ) -> StoredPage:
        """Return at most ``limit`` animals with an id below ``before``, highest id first."""
        select, arguments = SELECT_FIRST_PAGE, []
        if status is not None and before is not None:
            select, arguments = SELECT_PAGE_OF_STATUS, [status.value, before]
        elif status is not None:
            select, arguments = SELECT_FIRST_PAGE_OF_STATUS, [status.value]
        elif before is not None:
            select, arguments = SELECT_PAGE, [before]
        rows = self._read(select, *arguments, limit + 1)
        pets = self._pets(rows[:limit])
        return StoredPage.of(pets, is_last=len(pets) == len(rows))

    async def create_pet(self, new_pet: NewPet) -> StoredPet:
        """Store an animal; it is on the disk when it is returned."""
        pet_id = await self._writer.create_pet(new_pet)
        return StoredPet(pet_id, new_pet.name, new_pet.category_id, new_pet.status)

    async def get_pet(self, pet_id: int) -> StoredPet | None:
        """Return one animal, or None if no animal has the id."""
        pets = self._pets(self._read(SELECT_PET, pet_id))
        return pets[0] if pets else None

    async def close(self) -> None:
        """Finish pending writes, and close the file."""
        await self._writer.close()
        self._reader.close()

    def _read(self, select: str, *arguments: Any) -> list[_Row]:
        if self._files is not None:
            self._files.check_database()
        if self._without_log is not None:
            self._try_log(self._without_log)
        try:
            return self._reader.execute(select, arguments).fetchall()
        except sqlite3.Error as error:
            raise StoreUnavailableError(str(error)) from error

    def _try_log(self, path: Path) -> None:
        """Read with the log, if there is room for it now.

        Without it nothing is seen that other connections write. Where there is no room, this fails
        at its first statement, and takes no time.
        """
        try:
            reader = open_database(path, wait=READ_WAIT / 1000)
        except NoRoomError:
            return
        except StoreError as error:
            raise StoreUnavailableError(str(error)) from error
        reader.execute(f"PRAGMA busy_timeout = {READ_WAIT}")
        self._reader.close()
        self._reader, self._without_log = reader, None
        if self._files is not None:
            self._files.add_log()

    def _pets(self, rows: list[_Row]) -> list[StoredPet]:
        """Return the animals of the first rows, as many as fit into a response."""
        if any(name is None for _, name, _, _ in rows):
            rows = rows[: rows_that_fit(self._size(row) for row in rows)]
        return [
            StoredPet(
                pet_id,
                self._large_name(pet_id) if name is None else decoded(name),
                category_id,
                status,
            )
            for pet_id, name, category_id, status in rows
        ]

    def _size(self, row: _Row) -> int:
        pet_id, name, _, _ = row
        if name is not None:
            return len(name)
        with self._open_name(pet_id) as blob:
            return len(blob)

    def _large_name(self, pet_id: int) -> str:
        with self._open_name(pet_id) as blob:
            return bounded_name(blob.read(NAME_BYTES), len(blob))

    @contextmanager
    def _open_name(self, pet_id: int) -> Iterator[sqlite3.Blob]:
        """Open a name to read a part of it: an earlier version accepted four million bytes."""
        try:
            with self._reader.blobopen("pets", "name", pet_id, readonly=True) as blob:
                yield blob
        except sqlite3.Error as error:
            raise StoreUnavailableError(str(error)) from error
