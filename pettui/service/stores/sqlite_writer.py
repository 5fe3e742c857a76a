"""Group commit: operations that wait for the disk share a transaction, and wait once."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from contextlib import contextmanager, suppress
from itertools import groupby
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from pettui.service.stores.store import (
    ConstraintError,
    NotStoredError,
    StoreUnavailableError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

GROUP_MAXIMUM: Final = 256  # operations in one commit
GROUP_BYTES: Final = 4 * 1024 * 1024  # of names, after which a group takes no more operations
WRITE_SECONDS: Final = 20.0  # for one operation; a hanging disk must not keep the client waiting
CLOSE_SECONDS: Final = 10.0  # for the last group
PAUSE: Final = 0.05  # seconds before a retry if there is no memory even to report that

logger = logging.getLogger(__name__)

Result = TypeVar("Result")


Failure: TypeAlias = StoreUnavailableError | ConstraintError  # of a group


class _Pending(NamedTuple):
    """An operation that waits for the thread, and the future of its result."""

    operation: Callable[[sqlite3.Connection], Any]
    size: int  # bytes of names
    done: asyncio.Future[Any]


class GroupWriter:
    """A thread with its own connection; both start with the first write.

    While one commit waits for the disk, further operations collect, and share the next commit. An
    error fails the group that it hits, and closes the connection. The thread goes on; if it ends
    all the same, the next operation starts another.
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
            maximum: operations in one group.
            check: raises StoreUnavailableError while the connection's file is not the store's. It
                is called before a group is written, and before its results are returned.
            timeout: seconds until an operation fails.
        """
        self._connect = connect
        self._maximum = maximum
        self._check = check
        self._timeout = timeout
        self._waiting: SimpleQueue[_Pending | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._group: list[_Pending] = []  # used by the thread
        self._closed = False

    async def run(self, operation: Callable[[sqlite3.Connection], Result], size: int = 0) -> Result:
        """Run a function on the connection, and return its result once that is on the disk.

        Args:
            operation: executes statements; the transaction is begun and committed around it.
            size: bytes of the names that it writes.

        Raises:
            NotStoredError: nothing was stored.
            StoreUnavailableError: it was not stored in time, or the disk failed.
        """
        if self._closed:
            raise NotStoredError("the store is closed")
        self._ensure_thread()
        done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.put(_Pending(operation, size, done))
        try:
            async with asyncio.timeout(self._timeout):
                return await done
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
        _settle(self._group, StoreUnavailableError("the writing thread ended"))
        try:
            thread = Thread(target=self._run, name="pettui-writer", daemon=True)
            thread.start()
        except (RuntimeError, MemoryError) as error:
            self._fail_remaining(_reason(error))
            raise NotStoredError(_reason(error)) from None
        self._thread = thread

    def _fail_remaining(self, reason: str) -> None:
        """Fail all pending operations after the thread has ended."""
        _settle(self._group, StoreUnavailableError(reason))
        waiting, self._group = [], []
        with suppress(Empty):
            while True:
                pending = self._waiting.get_nowait()
                if pending is not None:
                    waiting.append(pending)
        _settle(waiting, NotStoredError(reason))

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
        """Wait for an operation, and collect all that wait with it; False with the last group."""
        self._group = group = []
        size = 0
        pending = self._waiting.get()
        while pending is not None:
            group.append(pending)
            size += pending.size
            if len(group) == self._maximum or size >= GROUP_BYTES:
                return True
            try:
                pending = self._waiting.get_nowait()
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
            connection.execute("BEGIN IMMEDIATE")
            results = [self._result(pending, connection) for pending in self._group]
        try:
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise failed_commit(error) from None
        self._check()
        _settle(self._group, results)

    def _result(self, pending: _Pending, connection: sqlite3.Connection) -> Any:
        try:
            return pending.operation(connection)
        except sqlite3.IntegrityError as error:
            self._group.remove(pending)
            _settle([pending], ConstraintError(str(error)))
            raise NotStoredError("one of the group was refused by a constraint") from None

    def _fail(self, failure: StoreUnavailableError) -> None:
        """Fail the group, as soon as there is memory for that."""
        while True:
            try:
                return _settle(self._group, failure)
            except MemoryError:
                time.sleep(PAUSE)


def failed_commit(error: sqlite3.Error) -> StoreUnavailableError:
    """Return the error of a commit; surely nothing is stored in a full, locked or read-only file.

    What a failing disk has of it may be in the log that is recovered when the file is next opened.
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the extended part
    is_sure = isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_IOERR
    return (NotStoredError if is_sure else StoreUnavailableError)(str(error))


def _settle(group: list[_Pending], outcome: Sequence[Any] | Failure) -> None:
    """Resolve the futures of a group, with results or an error, waking every event loop once."""
    outcomes: Sequence[Any]
    outcomes = [outcome] * len(group) if isinstance(outcome, Failure) else outcome
    pairs = zip((pending.done for pending in group), outcomes, strict=True)
    for loop, part in groupby(pairs, key=lambda pair: pair[0].get_loop()):
        with suppress(RuntimeError):  # the loop is closed, so nobody waits
            loop.call_soon_threadsafe(_resolve, list(part))


def _resolve(pairs: list[tuple[asyncio.Future[Any], Any]]) -> None:
    for done, outcome in pairs:
        if done.done():
            continue  # the request was cancelled; its animal is stored all the same
        if isinstance(outcome, Failure):
            done.set_exception(type(outcome)(str(outcome)))  # each has its own traceback
        else:
            done.set_result(outcome)


@contextmanager
def _known_as_not_stored() -> Iterator[None]:
    """Raise NotStoredError for what fails before anything is committed."""
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
