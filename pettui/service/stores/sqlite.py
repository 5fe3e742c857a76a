"""The default store: one SQLite file, or memory.

Reads take about ten microseconds from the page cache, and with WAL they never wait for a writer:
they run in the event loop. Writes wait for the disk, in threads (``sqlite_writer``).
"""

from __future__ import annotations

import logging
import sqlite3
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.service.stores.batches import Batches
from pettui.service.stores.sqlite_files import (
    DatabaseFiles,
    NoRoomError,
    added_with,
    closed_on_failure,
    connect_to_memory,
    connect_to_write,
    connect_without_log,
    insert,
    open_database,
    prepare,
    store_id_of,
    transaction,
)
from pettui.service.stores.sqlite_writer import (
    GROUP_MAXIMUM,
    WRITE_SECONDS,
    GroupWriter,
    failed_commit,
)
from pettui.service.stores.store import (
    NAME_BYTES,
    SELECT,
    SELECT_PAGE,
    SELECT_PET,
    Add,
    Added,
    AlreadyAddedError,
    ConstraintError,
    Row,
    Select,
    Store,
    StoredPage,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
    large_names,
    that_fit,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.models.pets import NewPet

READ_WAIT: Final = 100  # milliseconds; a reader waits only while the file is recovered

logger = logging.getLogger(__name__)


class MemoryBounds(NamedTuple):
    """How much may be added to a store in memory."""

    animals: int
    name_bytes: int  # of all names together, in UTF-8


# A demo has one user, but a process has many demos.
DEMO_BOUNDS: Final = MemoryBounds(animals=1000, name_bytes=1024 * 1024)


class SqliteStore(Store):
    """A ``Store`` on a connection that reads, and one that writes; in memory there is only one."""

    # Every query is a range of the primary key or of pets_by_status, however large the store is.
    SELECT_PAGE = SELECT_PAGE
    SELECT_PAGE_OF_STATUS = (
        f"{SELECT} WHERE status = :status AND id <= :last ORDER BY id DESC LIMIT :limit + 1"
    )
    SELECT_PET = SELECT_PET

    def __init__(
        self,
        reader: sqlite3.Connection,
        writer: GroupWriter | None = None,
        files: DatabaseFiles | None = None,
        bounds: MemoryBounds | None = None,
        without_log: Path | None = None,
    ) -> None:
        """Create a store.

        Args:
            reader: a connection for reads, which the store closes.
            writer: stores what is added, and is closed with the store; None in memory.
            files: of the database, which are checked before each read; None in memory.
            bounds: on what is added; None for none.
            without_log: the file, while it can only be read.
        """
        self.store_id = store_id_of(reader)
        self._reader = reader
        self._writer = writer
        self._adds: Batches[Add, int | Added] | None = None
        if writer is not None:
            self._adds = Batches(writer.write, seconds=WRITE_SECONDS, maximum=GROUP_MAXIMUM)
        self._files = files
        self._bounds = bounds
        self._added = self._added_bytes = 0
        self._without_log = without_log

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
            reader, without_log = open_database(path, samples, only_new=only_new), None
        except NoRoomError as error:
            logger.warning("%s; until then animals can be listed, but not added", error)
            reader, without_log = connect_without_log(path), path
        with closed_on_failure(reader):
            reader.execute(f"PRAGMA busy_timeout = {READ_WAIT}")
            files = DatabaseFiles(path)
            writer = GroupWriter(partial(connect_to_write, path), files.check_all)
            store = cls(reader, writer, files, without_log=without_log)
        if without_log is None:
            files.add_log()
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
        return cls(connection, bounds=bounds)

    async def find_added(self, key: bytes) -> Added | None:
        """Return what was stored with an idempotency key, or None if nothing was."""
        self._check_readable()
        if self._without_log is not None:  # others may have stored it since
            raise StoreUnavailableError("the log of the database does not fit on the disk")
        try:
            return added_with(self._reader, key)
        except sqlite3.Error as error:
            raise StoreUnavailableError(str(error)) from error

    async def close(self) -> None:
        """Finish pending writes, and close the file."""
        if self._adds is not None:
            await self._adds.close()
        if self._writer is not None:
            self._writer.close()
        self._reader.close()

    async def _add(self, add: Add) -> int | Added:
        size = len(add.row[0])
        if self._bounds is not None:
            await self._check_bounds(self._bounds, size, add.key)
        if self._adds is not None:
            return await self._adds.submit(add, size)
        try:
            with transaction(self._reader):
                stored = insert(self._reader, add)
        except sqlite3.IntegrityError as error:
            raise ConstraintError(str(error)) from None
        except sqlite3.Error as error:
            raise failed_commit(error) from error
        if not isinstance(stored, Added):
            self._added += 1
            self._added_bytes += size
        return stored

    async def _check_bounds(self, bounds: MemoryBounds, size: int, key: bytes | None) -> None:
        reason = None
        if self._added >= bounds.animals:
            reason = f"This demo takes at most {bounds.animals} new animals"
        elif self._added_bytes + size > bounds.name_bytes:
            reason = f"This demo takes at most {bounds.name_bytes} bytes of new names in total"
        if reason is None:
            return
        if key is not None and (added := await self.find_added(key)) is not None:
            raise AlreadyAddedError(added)
        raise StoreFullError(reason)

    def _check_readable(self) -> None:
        if self._files is not None:
            self._files.check_database()
        if self._without_log is not None:
            self._try_log(self._without_log)

    async def _page(self, select: Select) -> StoredPage:
        self._check_readable()
        try:
            found: list[Row] = self._reader.execute(select.text, select.arguments()).fetchall()
            shown = that_fit(found[: select.limit])
            names = {pet_id: self._start_of_name(pet_id) for pet_id in large_names(shown)}
        except sqlite3.Error as error:
            raise StoreUnavailableError(str(error)) from error
        return StoredPage.of(found, shown, names)

    def _start_of_name(self, pet_id: int) -> bytes:
        """Read no more of a name than a response can have: SQL would read the whole."""
        with self._reader.blobopen("pets", "name", pet_id, readonly=True) as blob:
            return blob.read(NAME_BYTES)

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
        self.store_id = store_id_of(reader)
        if self._files is not None:
            self._files.add_log()
