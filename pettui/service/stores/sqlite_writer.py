"""Group commit: animals that wait to be written are written together, in one transaction."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Final

from pettui.service.stores.pending_writes import PendingWrite, settle
from pettui.service.stores.sqlite_insert import insert
from pettui.service.stores.store import NotStoredError, StoreUnavailableError, row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pettui.models import NewPet

GROUP_MAXIMUM: Final = 256  # animals in one commit
GROUP_BYTES: Final = 4 * 1024 * 1024  # of names, after which a group takes no more animals
WRITE_SECONDS: Final = 20.0  # for one animal; a disk that hangs must not keep the client waiting
CLOSE_SECONDS: Final = 10.0  # for the last group
PAUSE: Final = 0.05  # seconds before a retry if there is no memory even to report that

logger = logging.getLogger(__name__)


class GroupWriter:
    """A thread with its own connection; both start with the first write.

    While one commit waits for the disk, further writes collect, and share the next commit. An error
    fails the group that it hits, and closes the connection. The thread goes on; if it ends all the
    same, the next write starts another.
    """

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        maximum: int = GROUP_MAXIMUM,
        *,
        check: Callable[[], None] = lambda: None,
        timeout: float = WRITE_SECONDS,
    ) -> None:
        """Create a writer; no thread is started yet.

        Args:
            connect: opens the thread's connection.
            maximum: animals in one group.
            check: raises StoreUnavailableError while the connection's file is not the store's. It
                is called before a group is written, and before its ids are returned.
            timeout: seconds until a write fails.
        """
        self._connect = connect
        self._maximum = maximum
        self._check = check
        self._timeout = timeout
        self._waiting: SimpleQueue[PendingWrite | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._group: list[PendingWrite] = []  # used by the thread
        self._closed = False

    async def create_pet(self, new_pet: NewPet) -> int:
        """Store an animal, and return its id once it is on the disk.

        Raises:
            NotStoredError: it was not stored.
            StoreUnavailableError: it was not stored in time, or the disk failed.
        """
        if self._closed:
            raise NotStoredError("the store is closed")
        self._ensure_thread()
        stored: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.put(PendingWrite(row(new_pet), stored))
        try:
            async with asyncio.timeout(self._timeout):
                return await stored
        except TimeoutError:
            reason = f"the disk wrote nothing within {self._timeout:g} seconds"
            raise StoreUnavailableError(reason) from None

    async def close(self) -> None:
        """Write what still waits, then end the thread; a disk that hangs is given up."""
        self._closed = True
        self._waiting.put(None)
        deadline = time.monotonic() + CLOSE_SECONDS
        # Polled: without memory there may be no thread to wait in, and no message from this one.
        while self._thread is not None and self._thread.is_alive():
            if time.monotonic() > deadline:
                logger.error("the last animals could not be written to the disk")
                break
            await asyncio.sleep(PAUSE / 10)
        else:
            self._fail_remaining("the store is closed")

    def _ensure_thread(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            return
        settle(self._group, StoreUnavailableError("the writing thread ended"))
        try:
            thread = Thread(target=self._run, name="pettui-writer", daemon=True)
            thread.start()
        except (RuntimeError, MemoryError) as error:
            self._fail_remaining(_reason(error))
            raise NotStoredError(_reason(error)) from None
        self._thread = thread

    def _fail_remaining(self, reason: str) -> None:
        """Fail all pending writes after the thread has ended."""
        settle(self._group, StoreUnavailableError(reason))
        waiting, self._group = [], []
        with suppress(Empty):
            while True:
                write = self._waiting.get_nowait()
                if write is not None:
                    waiting.append(write)
        settle(waiting, NotStoredError(reason))

    def _run(self) -> None:
        connection: sqlite3.Connection | None = None
        is_open = True
        while is_open:
            failure: StoreUnavailableError | None = None
            try:
                is_open = self._collect()
                if self._group:
                    connection = connection or self._open()
                    self._write(connection)
            except BaseException as error:  # noqa: BLE001 - the group fails, not the thread
                is_sure = isinstance(error, NotStoredError)
                failure = (NotStoredError if is_sure else StoreUnavailableError)(_reason(error))
            if failure is not None:
                _close(connection)  # its state is unknown
                connection = None
                self._fail(failure)
        _close(connection)

    def _collect(self) -> bool:
        """Wait for a write, and collect all that wait with it; False with the last group."""
        self._group = group = []
        size = 0
        write = self._waiting.get()
        while write is not None:
            group.append(write)
            size += len(write.row[0])
            if len(group) == self._maximum or size >= GROUP_BYTES:
                return True
            try:
                write = self._waiting.get_nowait()
            except Empty:
                return True
        return False

    def _open(self) -> sqlite3.Connection:
        with _known_as_not_stored():
            self._check()
            return self._connect()

    def _write(self, connection: sqlite3.Connection) -> None:
        with _known_as_not_stored():
            self._check()
        ids = insert(connection, [write.row for write in self._group])
        self._check()
        settle(self._group, ids)

    def _fail(self, failure: StoreUnavailableError) -> None:
        """Fail the group, as soon as there is memory for that."""
        while True:
            try:
                return settle(self._group, failure)
            except MemoryError:
                time.sleep(PAUSE)


@contextmanager
def _known_as_not_stored() -> Iterator[None]:
    """Raise NotStoredError for what fails before anything is written."""
    try:
        yield
    except (sqlite3.Error, StoreUnavailableError, OSError) as error:
        raise NotStoredError(_reason(error)) from None


def _reason(error: BaseException) -> str:
    """Return an error in one line; its traceback would keep the group's names in memory."""
    if isinstance(error, sqlite3.Error | StoreUnavailableError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _close(connection: sqlite3.Connection | None) -> None:
    if connection is not None:
        with suppress(sqlite3.Error, MemoryError):
            connection.close()
