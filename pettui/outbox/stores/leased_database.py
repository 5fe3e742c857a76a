"""LeasedDatabase: this process in PostgreSQL, by a connection and a row with epoch and lease.

What belongs to people is owned by a process, in an epoch of it: both stand in the row of each entry
and draft, and every change of one is conditional on them. The lease is by the database's clock, and
renewed well before its end. A process that does not do so is declared dead: its epoch is raised, so
that nothing it began takes effect any more, and what it had can be taken over.

A connection that breaks leaves it open whether the last statement was carried out, or will be: a
server that stood still carries it out once it goes on. So the next connection raises the epoch too,
and brings what this process has along: from then on that is settled.

All statements go over one connection, one after the other, each in one message: a process that
stands still holds no lock. They run on the event loop of a thread, and calls block. An advisory
lock would be less, but it ends with the database's restart, and nobody's lease does.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from psycopg import AsyncConnection, Error, errors

from pettui.outbox.entries import OutboxError
from pettui.outbox.stores.postgres_schema import (
    NoTablesError,
    StateSchemaError,
    checked_rights,
    checked_schema,
)
from pettui.system import postgres
from pettui.system.background_tasks import keep_running

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

LEASE: Final = 10.0  # seconds, by the database's clock
RENEWED: Final = 0.3  # of it
MARGIN: Final = 0.1  # of it, by which this process's clock may be slower, and a request ends before
STATEMENT: Final = 4.0  # seconds after which a statement without a result has failed
FIRST_RETRY: Final = 0.25  # seconds between two tries to connect, then twice as many …
LONGEST_RETRY: Final = 5.0
LOG_EVERY: Final = 30.0
_FORGOTTEN: Final = "1 day"  # after which the row of a dead process is deleted

logger = logging.getLogger(__name__)

Rows = list[tuple[Any, ...]]


class AwayError(OutboxError):
    """The database could not be asked, or did not answer.

    Attributes:
        is_sure: whether it surely did nothing.
    """

    def __init__(self, text: str, *, is_sure: bool) -> None:
        super().__init__(text)
        self.is_sure = is_sure


def boot_time() -> float:
    """Return seconds of a clock that goes on while the machine is suspended."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # macOS's counts that, too
    return time.clock_gettime(clock)


class LeasedDatabase:
    """Executes statements for this process, while it can; calls block, from any thread."""

    def __init__(
        self,
        address: str,
        build: str = "",
        told: Callable[[str, str], None] | None = None,
        report: Callable[[Exception], object] | None = None,
        *,
        lease: float = LEASE,
        observes: bool = False,
    ) -> None:
        """Begin without a connection: ``start`` makes one, and keeps it.

        Args:
            address: checked.
            build: which pettui this is.
            told: called with an event and its reason, in a thread of this, when the database comes
                or goes, and each half minute while it is away.
            report: called with a bug of ours, in that thread; the work goes on.
            lease: in seconds.
            observes: it only looks: it makes no tables, and owns nothing.
        """
        self._address = address
        self._build = build
        self._told = told or (lambda _event, _reason: None)
        self._report = report or (lambda error: logger.error("a bug", exc_info=error))
        self._unusable: StateSchemaError | None = None
        self.name = postgres.shown(address)
        self._loop: asyncio.AbstractEventLoop
        self._thread = threading.Thread(target=self._run_loop, name="state", daemon=True)
        self._connection: AsyncConnection[Any] | None = None
        self._turn = asyncio.Lock()  # one statement at a time
        self._why_away = "it was not reached yet"
        self._kind = postgres.UNREACHABLE
        self._lost = asyncio.Event()  # the connection broke
        self._is_told = False  # that it is away
        self._keeping: asyncio.Task[None] | None = None
        self._was_tried = threading.Event()
        self.process = 0  # the row's id; 0 is nobody's
        self.epoch = 0
        self._lease = lease
        self._observes = observes
        self._lease_end = 0.0  # by boot_time

    # The process

    def start(self, seconds: float | None = None) -> None:
        """Connect, and stay connected; wait for the first try, or for so many seconds.

        Raises:
            StateSchemaError: the database is there, and cannot be used.
        """
        self._loop = asyncio.new_event_loop()
        self._thread.start()
        self._keeping = self._submit(self._start_keeping()).result()
        self._was_tried.wait(seconds)
        if self._unusable is not None:
            raise self._unusable

    def close(self) -> None:
        """Leave everything to others at once."""
        if not self._thread.is_alive():
            return
        try:
            # A lease that is not given back ends by itself.
            with suppress(AwayError, Error, OSError, TimeoutError):
                self._submit(self._leave()).result(2 * STATEMENT)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(STATEMENT)

    @property
    def lease_left(self) -> float:
        """Seconds for which what this process owns is surely not taken over."""
        return self._lease_end - MARGIN * self._lease - boot_time()

    @property
    def why_away(self) -> str | None:
        """Why it cannot be used now; None if it can."""
        away = f"the database {self.name} is away: {self._why_away}"
        return None if self._connection is not None else away

    @property
    def kind_away(self) -> str | None:
        """Why it cannot be used, or refuses changes, in a word; None if it can."""
        return self._kind if self._connection is None or self._is_told else None

    def _run_loop(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _submit(self, running: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(running, self._loop)

    async def _start_keeping(self) -> asyncio.Task[None]:
        return asyncio.create_task(keep_running(self._keep, self._report, LONGEST_RETRY))

    async def _leave(self) -> None:
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait([self._keeping])
        if self._connection is not None:
            if not self._observes:
                await self._script(DECLARE_DEAD.format(which=f"id = {self.process}"))
            await self._connection.close()

    async def _keep(self) -> None:
        """Connect and renew the lease, again and again."""
        retry, told_at = FIRST_RETRY, 0.0
        while True:
            is_away = False
            try:
                if self._connection is None:
                    await self._connect()
                    retry = FIRST_RETRY
                else:
                    await self._renew()
            except StateSchemaError as error:
                self._why_away = str(error)
                self._told("state failed", str(error))
                self._unusable = error
                return
            except _RolledBackError:  # the next renewal is early enough
                pass
            except AwayError:  # or it is there, and refuses to renew the lease: its disk is full
                is_away = True
            finally:
                self._was_tried.set()
            if is_away and (not self._is_told or time.monotonic() - told_at >= LOG_EVERY):
                self._is_told, told_at = True, time.monotonic()
                self._told("state away", self._why_away)
            elif self._is_told and not is_away:
                self._told("state available", "")
                self._is_told = False
            if self._connection is None:
                await asyncio.sleep(retry)
                retry = min(2 * retry, LONGEST_RETRY)
            else:
                self._lost.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(RENEWED * self._lease):
                        await self._lost.wait()

    async def _connect(self) -> None:
        try:
            await self._connected_anew()
        except (Error, OSError, TimeoutError, UnicodeError) as error:
            self._why_away, self._kind = postgres.reason_of(error), postgres.kind_of(error)
            if _is_unusable(error):
                raise StateSchemaError(self._address, self._why_away) from error
            raise self._away() from error

    async def _connected_anew(self) -> None:
        async with asyncio.timeout(2 * STATEMENT):
            connection = await AsyncConnection.connect(self._address, autocommit=True)
        try:
            async with self._turn:
                with self._cut_after(connection, 2 * STATEMENT):
                    await connection.execute(SESSION)
                    await checked_schema(connection, self._build, makes_tables=not self._observes)
                    began = boot_time()
                    if not self._observes:
                        await self._own(connection)
        except BaseException:
            with suppress(Error, OSError):
                await connection.close()
            raise
        self._lease_end = began + self._lease
        self._connection = connection

    async def _own(self, connection: AsyncConnection[Any]) -> None:
        """Raise the epoch, and bring along what this process has; or begin as a new one."""
        if self.process:
            cursor = await connection.execute(self._filled(_RAISE))
            raised = await cursor.fetchall()
            if raised:
                [[self.epoch]] = raised
                return
            await connection.execute(DECLARE_DEAD.format(which=f"id = {self.process}"))
        begin = self._filled(_BEGIN)
        cursor = await connection.execute(begin, [socket.gethostname(), os.getpid(), self._build])
        [[self.process, self.epoch]] = await cursor.fetchall()

    async def _renew(self) -> None:
        if self._observes:
            await self._script("SELECT 1")
            return
        began = boot_time()
        [renewed] = await self._script(self._filled(_RENEW))
        if not renewed:
            await self._begin_anew()
            return
        self._lease_end = began + self._lease
        [[is_another_wrong]] = renewed
        if is_another_wrong:
            ends = f"{DECLARE_DEAD.format(which=_EXPIRED)}; {_SHORTEN}"
            await self._script(self._filled(ends))

    async def _begin_anew(self) -> None:
        """Begin as another process, since this one was declared dead while it stood still."""
        began = boot_time()
        async with self._turn:
            with self._failing(self._connected()) as connection:
                self.process = 0
                await self._own(connection)
        self._lease_end = began + self._lease

    def _filled(self, statement: str) -> str:
        return statement.format(process=self.process, epoch=self.epoch, lease=self._lease)

    # Statements

    def execute(self, statement: str, **values: Any) -> Rows:
        """Execute one statement, and return its rows.

        It gets ``process`` and ``epoch``, as they are when it is sent.

        Raises:
            AwayError: there is no result.
        """
        rows: Rows = self._blocking(self._execute(statement, values))
        return rows

    def script(self, statements: str, **numbers: int) -> list[Rows]:
        """Execute several statements as one transaction; each sees what was committed before it.

        Args:
            statements: with ``{process}``, ``{epoch}`` and the names of numbers.
            numbers: that go into them.

        Raises:
            AwayError: there is no result.
        """
        results: list[Rows] = self._blocking(self._script(statements, numbers))
        return results

    def renew(self) -> None:
        """Renew the lease now: a process that was taken for dead goes on as another one.

        Raises:
            AwayError: it could not.
        """
        self._blocking(self._renew())

    def _blocking(self, running: Coroutine[Any, Any, Any]) -> Any:
        if self._connection is None or not self._thread.is_alive():
            running.close()
            raise self._away()
        return self._submit(running).result()

    async def _execute(self, statement: str, values: dict[str, Any]) -> Rows:
        async with self._turn:
            for is_last in (False, True):
                try:
                    with self._failing(self._connected()) as connection:
                        mine = {"process": self.process, "epoch": self.epoch}
                        cursor = await connection.execute(statement, {**values, **mine})
                        return await cursor.fetchall() if cursor.description else []
                except _RolledBackError:
                    if is_last:
                        raise
        raise AssertionError("it returns or raises")

    async def _script(self, statements: str, numbers: dict[str, int] | None = None) -> list[Rows]:
        async with self._turn:
            with self._failing(self._connected()) as connection:
                text = statements
                if numbers is not None:
                    text = statements.format(process=self.process, epoch=self.epoch, **numbers)
                cursor = await connection.execute(text)
                results = []
                while True:
                    results.append(await cursor.fetchall() if cursor.description else [])
                    if not cursor.nextset():
                        return results

    def _connected(self) -> AsyncConnection[Any]:
        if self._connection is None:
            raise self._away()
        return self._connection

    def _away(self, *, is_sure: bool = True) -> AwayError:
        # Why stands in the log: who types can do nothing about it.
        text = "the database of the outbox is away; what is typed stays here"
        return AwayError(text, is_sure=is_sure)

    @contextmanager
    def _failing(self, connection: AsyncConnection[Any]) -> Iterator[AsyncConnection[Any]]:
        """Raise what goes wrong as an AwayError; a connection that broke is given up."""
        try:
            with self._cut_after(connection, STATEMENT):
                yield connection
        except (errors.DeadlockDetected, errors.SerializationFailure) as error:
            raise _RolledBackError(postgres.reason_of(error), is_sure=True) from error
        except (Error, OSError) as error:
            self._why_away = reason = postgres.reason_of(error)
            self._kind = postgres.kind_of(error)
            is_standby = isinstance(error, errors.ReadOnlySqlTransaction)  # it is one by now
            if (
                not connection.closed and not is_standby
            ):  # the server answered, and carried nothing out
                text = f"the database {self.name} refused it: {reason}"
                raise AwayError(text, is_sure=True) from error
            self._connection = None
            self._lost.set()
            connection.pgconn.finish()
            raise self._away(is_sure=is_standby) from error

    @contextmanager
    def _cut_after(self, connection: AsyncConnection[Any], seconds: float) -> Iterator[None]:
        """Cut a connection that does not answer: a server may stand still for minutes."""
        cutting = self._loop.call_later(seconds, _cut, connection)
        try:
            yield
        finally:
            cutting.cancel()


async def prepared(address: str, build: str, *, makes_tables: bool) -> str | None:
    """Make the tables where there are none, if asked to; return why the database cannot be reached.

    Raises:
        StateSchemaError: it is there, and can't be used.
    """
    try:
        async with await AsyncConnection.connect(address, autocommit=True) as connection:
            with suppress(NoTablesError):
                await checked_schema(connection, build, makes_tables=makes_tables)
            await checked_rights(connection)
    except (Error, OSError, UnicodeError) as error:
        reason = postgres.reason_of(error)
        if _is_unusable(error):
            raise StateSchemaError(address, reason) from error
        return reason
    return None


def _is_unusable(error: Exception) -> bool:
    """Whether a database was reached, and lacks rights or tables, which no waiting brings."""
    return (getattr(error, "sqlstate", None) or "").startswith("42")


class _RolledBackError(AwayError):
    """The server rolled it back because of another transaction; it may be tried again."""


def _cut(connection: AsyncConnection[Any]) -> None:
    with suppress(OSError, Error), socket.socket(fileno=os.dup(connection.fileno())) as duplicate:
        duplicate.shutdown(socket.SHUT_RDWR)


SESSION: Final = (
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') = 'off';"
    " SET default_transaction_isolation = 'read committed'; SET statement_timeout = '3s'"
)
_UNTIL: Final = "clock_timestamp() + interval '{lease} s'"
# A database that restarts kept everybody from renewing: whoever comes first waits for the others.
_EXPIRED: Final = (
    "greatest(lease, pg_postmaster_start_time() + interval '{lease} s') < clock_timestamp()"
)
_BEGIN: Final = f"""
    WITH forgotten AS (
        DELETE FROM pettui_processes WHERE lease < clock_timestamp() - interval '{_FORGOTTEN}'
    )
    INSERT INTO pettui_processes (epoch, lease, is_alive, host, pid, build)
    VALUES (1, {_UNTIL}, true, %s, %s, %s) RETURNING id, epoch
"""
_RAISE: Final = f"""
    UPDATE pettui_processes SET epoch = epoch + 1, lease = {_UNTIL}
        WHERE id = {{process}} AND epoch = {{epoch}} AND is_alive RETURNING epoch;
    UPDATE pettui_entries SET epoch = {{epoch}} + 1 FROM pettui_processes AS p
        WHERE process = {{process}} AND pettui_entries.epoch = {{epoch}}
            AND p.id = {{process}} AND p.epoch = {{epoch}} + 1 AND p.is_alive;
    UPDATE pettui_drafts SET epoch = {{epoch}} + 1 FROM pettui_processes AS p
        WHERE process = {{process}} AND pettui_drafts.epoch = {{epoch}}
            AND p.id = {{process}} AND p.epoch = {{epoch}} + 1 AND p.is_alive;
    UPDATE pettui_owners SET own_key_epoch = {{epoch}} + 1 FROM pettui_processes AS p
        WHERE own_key_process = {{process}} AND own_key_epoch = {{epoch}}
            AND p.id = {{process}} AND p.epoch = {{epoch}} + 1 AND p.is_alive;
    UPDATE pettui_turns SET epoch = {{epoch}} + 1 FROM pettui_processes AS p
        WHERE process = {{process}} AND pettui_turns.epoch = {{epoch}}
            AND p.id = {{process}} AND p.epoch = {{epoch}} + 1 AND p.is_alive
"""
# Once the clock was set back: a process that has died would be alive until it gets there.
_TOO_LONG: Final = f"lease > {_UNTIL} + interval '{{lease}} s'"
_SHORTEN: Final = f"UPDATE pettui_processes SET lease = {_UNTIL} WHERE is_alive AND {_TOO_LONG}"
# It also returns whether the lease of any process has ended, or is too long.
_RENEW: Final = f"""
    UPDATE pettui_processes SET lease = {_UNTIL}
        WHERE id = {{process}} AND epoch = {{epoch}} AND is_alive
        RETURNING EXISTS (
            SELECT lease FROM pettui_processes WHERE is_alive AND ({_EXPIRED} OR {_TOO_LONG})
        )
"""
# Whoever has an outbox open of what it had looks at it then. The row is locked, and looked at again
# where it was renewed meanwhile: clock_timestamp() goes on during a statement, now() does not.
DECLARE_DEAD: Final = """
    WITH dead AS (
        UPDATE pettui_processes SET epoch = epoch + 1, is_alive = false
            WHERE is_alive AND {which} RETURNING id
    )
    UPDATE pettui_owners SET version = version + 1 WHERE id IN (
        SELECT owner FROM pettui_entries WHERE process IN (SELECT id FROM dead)
        UNION SELECT owner FROM pettui_drafts WHERE process IN (SELECT id FROM dead)
    )
"""
