"""The default store: one SQLite file, or memory.

Reads take about ten microseconds from the page cache, and with WAL they never wait for a writer:
they run in the event loop. Writes wait for the disk, in threads: see ``GroupWriter``.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Lock, Thread
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
from pettui.service.stores.store import (
    NAME_BYTES,
    SELECT,
    SELECT_PAGE,
    SELECT_PET,
    Add,
    Added,
    AlreadyAddedError,
    ConstraintError,
    NotStoredError,
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
    from collections.abc import Callable, Iterable, Iterator, Sequence

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


# Writes that wait for the disk: a group in one transaction, in a thread.

WRITE_SECONDS: Final = 20.0  # for one group; a hanging disk must not keep the client waiting
GROUP_MAXIMUM: Final = 256  # adds in one commit


class GroupWriter:
    """Writes a group in a thread of its own, on a connection that the next one uses again.

    While one commit waits for the disk, further adds collect (``Batches``), and share the next. An
    error fails the group that it hits, and closes the connection.
    """

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], check: Callable[[], None] = lambda: None
    ) -> None:
        """Create a writer; nothing is opened yet.

        Args:
            connect: opens the connection.
            check: raises StoreUnavailableError while the connection's file is not the store's. It
                is called before a group is written, and before its results are returned.
        """
        self._connect = connect
        self._check = check
        self._connection: sqlite3.Connection | None = None
        self._in_use = Lock()  # a group that was given up may still be there
        self._is_closed = False

    async def write(self, take: Callable[[], list[Add]]) -> Sequence[int | Added]:
        """Store animals, and return their ids once they are on the disk.

        Raises:
            NotStoredError: nothing was stored.
            StoreUnavailableError: the disk failed.
            ConstraintError: a bug.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Sequence[int | Added]] = loop.create_future()
        group = take()

        def settle(outcome: Sequence[int | Added] | Exception) -> None:
            if done.done():
                return  # given up; what was stored is stored all the same
            if isinstance(outcome, Exception):
                done.set_exception(outcome)
            else:
                done.set_result(outcome)

        def work() -> None:
            outcome = self._outcome(group)
            with suppress(RuntimeError):  # the loop is closed, so nobody waits
                loop.call_soon_threadsafe(settle, outcome)

        try:
            Thread(target=work, name="pettui-writer", daemon=True).start()
        except (RuntimeError, MemoryError) as error:
            raise NotStoredError(_reason(error)) from None
        return await done

    def close(self) -> None:
        """Close the connection; a thread whose disk hangs is left alone."""
        self._is_closed = True
        if self._in_use.acquire(blocking=False):
            self._close()
            self._in_use.release()

    def _outcome(self, group: Sequence[Add]) -> Sequence[int | Added] | Exception:
        with self._in_use:
            try:
                return self._write(group)
            except BaseException as error:  # noqa: BLE001 - the group fails, not the thread
                self._close()  # its state is unknown
                # Anew, since a traceback would keep the group's names in memory.
                if isinstance(error, StoreUnavailableError | ConstraintError):
                    return type(error)(str(error))
                return StoreUnavailableError(_reason(error))

    def _write(self, group: Sequence[Add]) -> Sequence[int | Added]:
        with _known_as_not_stored():
            if self._is_closed:
                raise NotStoredError("the store is closed")
            self._check()
            self._connection = connection = self._connection or self._connect()
            connection.execute("BEGIN IMMEDIATE")
            results = [insert(connection, add) for add in group]
        try:
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise failed_commit(error) from None
        self._check()
        return results

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error, MemoryError):
                connection.close()


def failed_commit(error: sqlite3.Error) -> StoreUnavailableError:
    """Return the error of a commit; surely nothing is stored in a full, locked or read-only file.

    What a failing disk has of it may be in the log that is recovered when the file is next opened.
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the extended part
    is_sure = isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_IOERR
    return (NotStoredError if is_sure else StoreUnavailableError)(str(error))


@contextmanager
def _known_as_not_stored() -> Iterator[None]:
    """Raise NotStoredError for what fails before anything is committed."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise ConstraintError(str(error)) from None
    except (sqlite3.Error, StoreUnavailableError, OSError) as error:
        raise NotStoredError(_reason(error)) from None


def _reason(error: BaseException) -> str:
    if isinstance(error, sqlite3.Error | StoreUnavailableError):
        return str(error)
    return f"{type(error).__name__}: {error}"
