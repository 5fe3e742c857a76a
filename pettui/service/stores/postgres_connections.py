"""Connections to PostgreSQL: functions run on them, alone or in batches.

A batch holds the requests that wait for a connection: they share a round trip and a commit. Beside
ten connections that take one request each, at the store and with 1, 16 and 64 clients, this stores
1.2, 5.8 and 14 times as many animals a second, and reads 1.1, 1.7 and 1.8 times as many pages (of
one page for all 1.1, 8 and 17 times). With 16 clients an add takes a seventh of the CPU time, a
page of one's own half of it.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Self, TypeVar

from psycopg import AsyncConnection, DataError, Error, IntegrityError, OperationalError
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from pettui.service.stores.store import ConstraintError, NotStoredError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

CONNECTIONS_MINIMUM: Final = 1
CONNECTIONS_MAXIMUM: Final = 10  # of one service; PostgreSQL's own default is 100 for all
CONNECTIONS_ALONE: Final = 4  # for what is not in a batch
IDLE_SECONDS: Final = 0.1  # after which a connection is checked; no server restarts faster
# SQLSTATEs with which a server refuses a statement, or rolls it back, for certain: their classes
# (authorisation, names, resources such as too many connections or a full disk, limits, states),
# and single ones: a read-only transaction, a roll-back (of constraints, serialisation, a deadlock),
# "starting up", and a cancelled statement, as by statement_timeout.
# What ends a connection may come after the commit: 57P01 and 57P02, a shutdown, and 25P04, the
# transaction's time-out. 40003 says that nobody knows.
_SURE_CLASSES: Final = frozenset({"28", "3D", "42", "53", "54", "55"})
_SURE_STATES: Final = frozenset({"25006", "40001", "40002", "40P01", "57014", "57P03"})

Request = TypeVar("Request")
Result = TypeVar("Result")


class TimedConnection(AsyncConnection[Any]):
    """A connection that knows when it last worked."""

    last_used = 0.0  # by time.monotonic

    @classmethod
    async def connect(  # type: ignore[override]
        cls, conninfo: str = "", *, failures: list[str], **options: Any
    ) -> Self:
        """Connect; the pool drops the reason of a failure, which is kept in ``failures``."""
        try:
            return await super().connect(conninfo, **options)
        except Error as error:
            failures[:] = str(error).splitlines()[:1]
            raise


@dataclass(frozen=True, slots=True)
class Limits:
    """How many requests may wait, and for how long."""

    pending: int = 500  # requests without a result; more are refused at once
    connection_seconds: float = 3.0  # to wait for a connection
    seconds: float = 10.0  # for one function as a whole


DEFAULT_LIMITS: Final = Limits()


class Connections:
    """Runs functions on the connections of a pool."""

    def __init__(
        self,
        address: str,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.limits = limits
        self._failures: list[str] = []  # the last one to connect
        self._pool = AsyncConnectionPool(
            address,
            # Nothing is prepared: a pooler may be between, which gives each transaction another
            # connection. That costs nothing that could be measured.
            kwargs={"autocommit": True, "prepare_threshold": None, "failures": self._failures},
            connection_class=TimedConnection,
            check=_check_idle,
            min_size=CONNECTIONS_MINIMUM,
            max_size=CONNECTIONS_MAXIMUM,
            # The pool doubles its wait with each failure to connect: without an end, the database
            # would be away for twice as long as it is. After this time a request tries again.
            reconnect_timeout=limits.connection_seconds,
            open=False,
        )
        self._alone = asyncio.Semaphore(CONNECTIONS_ALONE)
        self._tasks: set[asyncio.Task[Any]] = set()

    async def open(self) -> None:
        """Begin to connect."""
        await self._pool.open()

    async def close(self) -> None:
        """Wait until every function has its result, and close the connections."""
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._pool.close()

    async def run(
        self, operation: Callable[[TimedConnection], Awaitable[Result]], *, is_read: bool = False
    ) -> Result:
        """Run a function on a connection, even if the caller is cancelled.

        Args:
            operation: executes one statement, which is a transaction, or begins one itself.
            is_read: nothing is stored, so that it runs once more if its connection broke.

        Raises:
            NotStoredError: it was not stored.
            StoreUnavailableError: there is no result, or none in time.
            ConstraintError: a bug.
        """
        if len(self._tasks) >= self.limits.pending:
            raise failure("TooManyRequests", is_read=is_read)
        return await asyncio.shield(self.start(self.result(operation, self._alone, is_read)))

    def start(self, running: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """Begin what ``close`` waits for."""
        task = asyncio.create_task(running)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def result(
        self,
        operation: Callable[[TimedConnection], Awaitable[Result]],
        turn: asyncio.Semaphore,
        is_read: bool,
    ) -> Result:
        """Return the result of a function, once it is its turn. Raises as ``run``."""
        deadline = time.monotonic() + self.limits.connection_seconds
        tries = 2 if is_read else 1
        is_out = False
        try:
            async with asyncio.timeout(self.limits.seconds), turn:
                while True:
                    tries -= 1
                    async with self._pool.connection(deadline - time.monotonic()) as connection:
                        is_out = True
                        try:
                            result = await operation(connection)
                        except OperationalError:
                            if tries == 0 or not connection.closed:
                                raise
                        else:
                            connection.last_used = time.monotonic()
                            return result
                    await self._pool.check()  # others may have died with that one
        except (DataError, IntegrityError) as error:  # what they say has the row
            name = getattr(error.diag, "constraint_name", None) or ""
            raise ConstraintError(f"{type(error).__name__} {name}".rstrip()) from None
        except (Error, TimeoutError) as error:
            is_sure = not is_out or _is_surely_refused(error)
            # Nothing else of an error: a statement has names of animals.
            why = self._failures if isinstance(error, PoolTimeout) else []
            reason = ": ".join((type(error).__name__, *why))
            raise failure(reason, is_read=is_read, is_sure=is_sure) from error


class Batches(Generic[Request, Result]):
    """Collects requests while no connection is free, and runs them together."""

    def __init__(
        self,
        connections: Connections,
        run: Callable[[TimedConnection, list[Request]], Awaitable[Sequence[Result]]],
        at_once: int,
        maximum: int = 64,
        *,
        is_read: bool = False,
    ) -> None:
        """Create a batcher; nothing runs yet.

        Args:
            connections: to run the batches on.
            run: returns a result for each request, in their order, or fails for all of them.
            at_once: connections that are used at once.
            maximum: requests in one batch.
            is_read: nothing is stored, so a batch whose connection broke is run once more.
        """
        self._connections = connections
        self._run = run
        self._turn = asyncio.Semaphore(at_once)
        self._maximum = maximum
        self._is_read = is_read
        self._open_batch: tuple[list[Request], asyncio.Task[Sequence[Result]]] | None = None
        self._pending = 0

    async def submit(self, request: Request) -> Result:
        """Return the result of a request. Raises as ``Connections.run``."""
        if self._pending >= self._connections.limits.pending:
            raise failure("TooManyRequests", is_read=self._is_read)
        self._pending += 1
        batch, results = self._open_batch = self._open_batch or self._start_batch()
        index = len(batch)
        batch.append(request)
        if len(batch) == self._maximum:
            self._open_batch = None
        return (await asyncio.shield(results))[index]

    def _start_batch(self) -> tuple[list[Request], asyncio.Task[Sequence[Result]]]:
        batch: list[Request] = []
        return batch, self._connections.start(self._results(batch))

    async def _results(self, batch: list[Request]) -> Sequence[Result]:
        async def run(connection: TimedConnection) -> Sequence[Result]:
            self._complete(batch)
            return await self._run(connection, batch)

        try:
            return await self._connections.result(run, self._turn, self._is_read)
        finally:
            self._complete(batch)
            self._pending -= len(batch)

    def _complete(self, batch: list[Request]) -> None:
        """Add no more requests to a batch."""
        if self._open_batch is not None and self._open_batch[0] is batch:
            self._open_batch = None


async def _check_idle(connection: TimedConnection) -> None:
    """Check a connection before it is used, unless it worked a moment ago.

    So no request fails only because the database restarted, and a busy service does not pay for
    the round trip.
    """
    if time.monotonic() - connection.last_used > IDLE_SECONDS:
        await AsyncConnectionPool.check_connection(connection)


def failure(reason: str, *, is_read: bool, is_sure: bool = True) -> StoreUnavailableError:
    """Return the error of a request, which says whether it surely stored nothing."""
    return (NotStoredError if is_sure and not is_read else StoreUnavailableError)(reason)


def _is_surely_refused(error: Exception) -> bool:
    """Whether the server answered that a statement was not carried out."""
    state = getattr(error, "sqlstate", None) or ""
    return state[:2] in _SURE_CLASSES or state in _SURE_STATES
