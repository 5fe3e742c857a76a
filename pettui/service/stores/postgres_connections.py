"""Connections to PostgreSQL, on which functions run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from psycopg import AsyncConnection, DataError, Error, IntegrityError, OperationalError
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from pettui.service.stores.batches import failure
from pettui.service.stores.store import ConstraintError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

CONNECTIONS_MINIMUM: Final = 1
CONNECTIONS_MAXIMUM: Final = 5  # of one service, as many as batches run at once
CONNECTION_SECONDS: Final = 3.0  # to wait for a connection
IDLE_SECONDS: Final = 0.1  # after which a connection is checked; no server restarts faster
# SQLSTATEs with which a server refuses a statement, or rolls it back, for certain: their classes
# (authorisation, names, resources such as too many connections or a full disk, limits, states),
# and single ones: a read-only transaction, a roll-back (of constraints, serialisation, a deadlock),
# "starting up", and a cancelled statement, as by statement_timeout.
# What ends a connection may come after the commit: 57P01 and 57P02, a shutdown, and 25P04, the
# transaction's time-out. 40003 says that nobody knows.
_SURE_CLASSES: Final = frozenset({"28", "3D", "42", "53", "54", "55"})
_SURE_STATES: Final = frozenset({"25006", "40001", "40002", "40P01", "57014", "57P03"})

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


class Connections:
    """Runs functions on the connections of a pool."""

    def __init__(self, address: str) -> None:
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
            reconnect_timeout=CONNECTION_SECONDS,
            open=False,
        )

    async def open(self) -> None:
        """Begin to connect."""
        await self._pool.open()

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.close()

    async def run(
        self, operation: Callable[[TimedConnection], Awaitable[Result]], *, is_read: bool = False
    ) -> Result:
        """Run a function on a connection.

        Args:
            operation: executes one statement, which is a transaction, or begins one itself.
            is_read: nothing is stored, so that it runs once more if its connection broke.

        Raises:
            NotStoredError: it was not stored.
            StoreUnavailableError: there is no result.
            ConstraintError: a bug.
        """
        deadline = time.monotonic() + CONNECTION_SECONDS
        tries = 2 if is_read else 1
        is_out = False
        try:
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
        except Error as error:
            is_sure = not is_out or _is_surely_refused(error)
            # Nothing else of an error: a statement has names of animals.
            why = self._failures if isinstance(error, PoolTimeout) else []
            reason = ": ".join((type(error).__name__, *why))
            raise failure(reason, is_read=is_read, is_sure=is_sure) from error


async def _check_idle(connection: TimedConnection) -> None:
    """Check a connection before it is used, unless it worked a moment ago.

    So no request fails only because the database restarted, and a busy service does not pay for
    the round trip.
    """
    if time.monotonic() - connection.last_used > IDLE_SECONDS:
        await AsyncConnectionPool.check_connection(connection)


def _is_surely_refused(error: Exception) -> bool:
    """Whether the server answered that a statement was not carried out."""
    state = getattr(error, "sqlstate", None) or ""
    return state[:2] in _SURE_CLASSES or state in _SURE_STATES
