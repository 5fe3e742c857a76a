"""Group commit: what waits to be written goes to the disk together, in one transaction."""

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
ANSWER_SECONDS: Final = 20.0  # for one animal; a disk that hangs must not keep its client
CLOSE_SECONDS: Final = 10.0  # for the last group
PAUSE: Final = 0.05  # seconds, where there is no memory even to say that there is none

logger = logging.getLogger(__name__)


class GroupWriter:
    """A thread with a connection of its own, both from the first write on.

    While one commit waits for the disk the next writes gather, and share the commit after it.
    Whatever goes wrong costs the group that it met, and that group's connection. The thread goes
    on; where even that fails, the next write starts it again.

    Args:
        connect: opens the thread's connection.
        maximum: animals in one group.
        check: raises StoreUnavailableError while the connection's file is not the store's. It is
            called before a group is written, and before anybody is told that it was.
        patience: seconds until a write is given up.
    """

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        maximum: int = GROUP_MAXIMUM,
        *,
        check: Callable[[], None] = lambda: None,
        patience: float = ANSWER_SECONDS,
    ) -> None:
        self._connect = connect
        self._maximum = maximum
        self._check = check
        self._patience = patience
        self._waiting: SimpleQueue[PendingWrite | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._group: list[PendingWrite] = []  # in the thread's hands
        self._closed = False

    async def create_pet(self, new_pet: NewPet) -> int:
        """Keep an animal, and return its id once it is on the disk.

        Raises:
            NotStoredError: it was not kept.
            StoreUnavailableError: nothing was heard of it in time, or the disk failed.
        """
        if self._closed:
            raise NotStoredError("the store is closed")
        self._see_to_the_thread()
        kept: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.put(PendingWrite(row(new_pet), kept))
        try:
            async with asyncio.timeout(self._patience):
                return await kept
        except TimeoutError:
            reason = f"the disk wrote nothing within {self._patience:g} seconds"
            raise StoreUnavailableError(reason) from None

    async def close(self) -> None:
        """Write what still waits, then end the thread; a disk that hangs is not waited for."""
        self._closed = True
        self._waiting.put(None)
        until = time.monotonic() + CLOSE_SECONDS
        # Neither a thread to wait in nor a message from the other one can be counted on here.
        while self._thread is not None and self._thread.is_alive():
            if time.monotonic() > until:
                logger.error("the last animals could not be written to the disk")
                break
            await asyncio.sleep(PAUSE / 10)
        else:
            self._fail_what_is_left("the store is closed")

    def _see_to_the_thread(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            return
        settle(self._group, StoreUnavailableError("the writing thread ended"))
        try:
            thread = Thread(target=self._run, name="pettui-writer", daemon=True)
            thread.start()
        except (RuntimeError, MemoryError) as error:
            self._fail_what_is_left(_reason(error))
            raise NotStoredError(_reason(error)) from None
        self._thread = thread

    def _fail_what_is_left(self, reason: str) -> None:
        """Tell those whose thread is no more."""
        settle(self._group, StoreUnavailableError(reason))
        left, self._group = [], []
        with suppress(Empty):
            while True:
                write = self._waiting.get_nowait()
                if write is not None:
                    left.append(write)
        settle(left, NotStoredError(reason))

    def _run(self) -> None:
        connection: sqlite3.Connection | None = None
        open_to_more = True
        while open_to_more:
            failure: StoreUnavailableError | None = None
            try:
                open_to_more = self._gather()
                if self._group:
                    connection = connection or self._open()
                    self._write(connection)
            except BaseException as error:  # noqa: BLE001 - the group fails, and not the thread
                failure = _failure(error)
            if failure is not None:
                _close(connection)  # nothing is known of its state
                connection = None
                self._fail(failure)
        _close(connection)

    def _gather(self) -> bool:
        """Wait for a write, and take what is there by then; False with the last group."""
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
        with _nothing_stored():
            self._check()
            return self._connect()

    def _write(self, connection: sqlite3.Connection) -> None:
        with _nothing_stored():
            self._check()
        ids = insert(connection, [write.row for write in self._group])
        self._check()
        settle(self._group, ids)

    def _fail(self, failure: StoreUnavailableError) -> None:
        """Tell everyone of the group, as soon as there is the memory for it."""
        while True:
            try:
                return settle(self._group, failure)
            except MemoryError:
                time.sleep(PAUSE)


def _failure(error: BaseException) -> StoreUnavailableError:
    """Return what a group is told; without a traceback, which would hold on to its names."""
    kind = NotStoredError if isinstance(error, NotStoredError) else StoreUnavailableError
    return kind(_reason(error))


@contextmanager
def _nothing_stored() -> Iterator[None]:
    """Let what fails before anything is written be known as that."""
    try:
        yield
    except (sqlite3.Error, StoreUnavailableError, OSError) as error:
        raise NotStoredError(_reason(error)) from None


def _reason(error: BaseException) -> str:
    """Return one line on an error, whose frames would hold on to the group's names."""
    if isinstance(error, sqlite3.Error | StoreUnavailableError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _close(connection: sqlite3.Connection | None) -> None:
    if connection is not None:
        with suppress(sqlite3.Error, MemoryError):
            connection.close()
