"""Writes that wait for the disk: a group in one transaction, in a thread."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final

from pettui.service.stores.sqlite_files import insert
from pettui.service.stores.store import ConstraintError, NotStoredError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pettui.service.stores.store import Add, Added

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
