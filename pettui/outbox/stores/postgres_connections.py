"""StateDatabase: the connections of this process to the database of users' outboxes.

A script is one message and one transaction, and sets what it needs for itself alone. So one wait
for the network is all that it takes, a process that stands still holds no lock, and a pooler in
transaction mode may be between: nothing is prepared, and nothing stays with a connection.

There are few connections, open from the start. Scripts run on the event loop of a thread, and calls
block; who has a connection waits for nobody. One task looks after all: it connects, extends what
the sessions of this process hold, and says when the database is away or refuses what it is given.
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

from psycopg import AsyncClientCursor, AsyncConnection, Error

from pettui.outbox.entries import OutboxError
from pettui.outbox.stores import postgres_statements as statements
from pettui.outbox.stores.postgres_schema import (
    NoTablesError,
    StateSchemaError,
    checked_schema,
)
from pettui.system import postgres
from pettui.system.background_tasks import keep_running

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

CONNECTIONS: Final = 4  # of one process
HELD: Final = 10.0  # seconds, by the database's clock, for which a session holds what it has
MARGIN: Final = 0.1  # of it, by which this process's clock may be slower, and a request ends before
STATEMENT: Final = 4.0  # seconds after which a script without a result has failed
LOOKED_EVERY: Final = 1.5  # seconds between two looks, for all outboxes at once
TRIED_EVERY: Final = 0.5  # while it is away
LOG_EVERY: Final = 30.0
REFUSED: Final = "the server cannot keep this now; tell whoever runs it"
AWAY: Final = "the database of the outbox is away; what is typed stays here"
# SQLSTATEs, and classes of them, with which a server refuses whatever it is given: read-only, no
# right, locked or too slow; no room and no memory; the disk; what is damaged; missing tables.
_REFUSING: Final = frozenset({"25006", "55P03", "57014", "42", "53", "58", "XX"})

logger = logging.getLogger(__name__)

Rows = list[tuple[Any, ...]]


class AwayError(OutboxError):
    """The database could not be asked, refused it, or did not answer.

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


class StateDatabase:
    """Runs scripts for this process, while it can; calls block, from any thread.

    Attributes:
        connections: how many it has, unless the database has no room for them.
        sessions: those that are open here, each with its owner's number.
        versions: of these owners, as the last look saw them.
        claims: until when an entry is surely sent by nobody else, by session and entry id, in the
            time of ``boot_time``.
    """

    def __init__(
        self,
        address: str,
        build: str = "",
        told: Callable[[str, str], None] | None = None,
        report: Callable[[Exception], object] | None = None,
        *,
        connections: int = CONNECTIONS,
        observes: bool = False,
    ) -> None:
        """Begin without a connection: ``start`` makes them, and keeps them.

        Args:
            address: checked.
            build: which pettui this is.
            told: called with an event and its reason, in a thread of this, when the database comes
                or goes, and each half minute while it is away.
            report: called with a bug of ours, in that thread; the work goes on.
            connections: how many.
            observes: it only looks: it makes no tables, and holds nothing.
        """
        self._address = address
        self._build = build
        self._told = told or (lambda _event, _reason: None)
        self._report = report or (lambda error: logger.error("a bug", exc_info=error))
        self._unusable: StateSchemaError | None = None
        self.name = postgres.shown(address)
        self.held = HELD
        self.sessions: dict[int, int] = {}
        self.versions: dict[int, int] = {}
        self.claims: dict[tuple[int, str], float] = {}
        self.connections = connections
        self._observes = observes
        self._loop: asyncio.AbstractEventLoop
        self._thread = threading.Thread(target=self._run_loop, name="state", daemon=True)
        self._there: set[AsyncConnection[Any]] = set()
        self._free: list[AsyncConnection[Any]] = []
        self._changed = asyncio.Condition()  # a connection is free, or there is none any more
        self._to_do = asyncio.Event()  # for the task that looks after all
        self._why_away, self._kind = "it was not reached yet", postgres.UNREACHABLE
        self._is_refusing = False  # since a change was refused
        self._is_told = False  # that it is away
        self._keeping: asyncio.Task[None] | None = None
        self._was_tried = threading.Event()
        self._is_back = threading.Event()

    # Its state

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
        """Close the connections."""
        if not self._thread.is_alive():
            return
        try:
            with suppress(Error, OSError, TimeoutError):
                self._submit(self._leave()).result(2 * STATEMENT)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(STATEMENT)

    @property
    def why_away(self) -> str | None:
        """Why it cannot be used now, or refuses changes; None if it can."""
        if self._there and not self._is_refusing:
            return None
        does = "refuses changes" if self._is_refusing else "is away"
        return f"the database {self.name} {does}: {self._why_away}"

    @property
    def kind_away(self) -> str | None:
        """The same in a word; None if it can."""
        return None if self.why_away is None else self._kind

    @property
    def why_not_kept(self) -> str | None:
        """The same for who types, who can do nothing about it: that stands in the log."""
        if self._is_refusing:
            return REFUSED
        return None if self._there else AWAY

    def wait_until_back(self, seconds: float) -> bool:
        """Wait until it can be used; return whether it can."""
        return self._is_back.wait(seconds)

    def claimed_for(self, session: int, entry_id: str) -> float:
        """Return the seconds for which surely nobody else sends what a session claimed."""
        end = self.claims.get((session, entry_id), 0.0)
        return end - MARGIN * self.held - boot_time()

    def _run_loop(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _submit(self, running: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(running, self._loop)

    async def _start_keeping(self) -> asyncio.Task[None]:
        return asyncio.create_task(keep_running(self._keep, self._report, TRIED_EVERY))

    async def _leave(self) -> None:
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait([self._keeping])
        for connection in tuple(self._there):
            await connection.close()
        await self._give_up()

    # The task that looks after all

    async def _keep(self) -> None:
        """Connect, and look, again and again."""
        told_at = 0.0
        while True:
            self._to_do.clear()
            await self._try_to_look()
            if self._unusable is not None:
                return
            is_away = not self._is_back.is_set()
            if is_away and (not self._is_told or time.monotonic() - told_at >= LOG_EVERY):
                self._is_told, told_at = True, time.monotonic()
                self._told("state away", self._why_away)
            elif self._is_told and not is_away:
                self._told("state available", "")
                self._is_told = False
            if is_away:
                await asyncio.sleep(TRIED_EVERY)
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOKED_EVERY):
                    await self._to_do.wait()

    async def _try_to_look(self) -> None:
        """Connect where there is no connection, see whether changes are taken again, and look."""
        try:
            if self._is_refusing and self._kind == postgres.READ_ONLY:
                await self._give_up()  # it may have been set for new connections alone
            if not self._there:
                await self._open(is_first=True)
            if self._is_refusing:
                await self._run(statements.PROBE, {})
                self._is_refusing = False
            await self._look()
            await self._open_others()
        except StateSchemaError as error:
            self._why_away = str(error)
            self._told("state failed", str(error))
            self._unusable = error
        except AwayError:
            self._is_back.clear()
        else:
            if self.why_away is None:  # it may have failed for another script meanwhile
                self._is_back.set()
        finally:
            self._was_tried.set()

    async def _open_others(self) -> None:
        """Open what is missing; it works with fewer, and tries again after the next look."""
        for _ in range(self.connections - len(self._there)):
            with suppress(AwayError):
                await self._open()

    async def _open(self, *, is_first: bool = False) -> None:
        try:
            async with asyncio.timeout(2 * STATEMENT):
                connection = await _connected(self._address)
            try:
                if is_first:
                    with self._cut_after(connection, 2 * STATEMENT):
                        makes_tables = not self._observes
                        await checked_schema(connection, self._build, makes_tables=makes_tables)
            except BaseException:
                with suppress(Error, OSError):
                    await connection.close()
                raise
        except (Error, OSError, TimeoutError, UnicodeError) as error:
            self._note(error)
            if is_first:
                self._is_refusing = False
                await self._give_up()
            if is_first and _is_unusable(error):
                raise StateSchemaError(self._address, self._why_away) from error
            raise AwayError(AWAY, is_sure=True) from error
        self._there.add(connection)
        await self._put_back(connection)

    async def _look(self) -> None:
        """See what changed of all whose outboxes are open here, and extend what they hold."""
        sessions = dict(self.sessions)
        began = boot_time()
        if not sessions or self._observes:
            await self._run("SELECT 1", {})
            return
        values = {"sessions": list(sessions), "owners": sorted(set(sessions.values()))}
        *_, extended, found = await self._run(statements.LOOK, values)
        for session, entry_id in extended:
            if (session, entry_id) in self.claims:
                self.claims[session, entry_id] = began + self.held
        self.versions = dict(found)

    # Scripts

    def script(self, text: str, *, is_change: bool = False, **values: Any) -> list[Rows]:
        """Run a script, which is one transaction, and return the rows of each statement.

        Args:
            text: statements, with psycopg's named values; ``held`` is among them.
            is_change: it is not even tried while changes are refused.
            values: of the script.

        Raises:
            AwayError: there is no result.
        """
        if is_change and self._is_refusing:
            raise AwayError(REFUSED, is_sure=True)
        if not (self._there or self._is_refusing) or not self._thread.is_alive():
            raise AwayError(AWAY, is_sure=True)
        results: list[Rows] = self._submit(self._run(text, values)).result()
        return results

    def execute(self, statement: str, **values: Any) -> Rows:
        """Run one statement that reads, and return its rows. Raises AwayError."""
        return self.script(statement, **values)[-1]

    async def _run(self, script: str, values: dict[str, Any]) -> list[Rows]:
        text = f"{statements.FIRST}; {script}"
        connection = await self._taken()
        try:
            with self._cut_after(connection, STATEMENT):
                return await _results(connection, text, {**values, "held": self.held})
        except (Error, OSError) as error:
            raise await self._failure(connection, error) from error
        finally:
            await self._put_back(connection)

    async def _taken(self) -> AsyncConnection[Any]:
        async with self._changed:
            await self._changed.wait_for(
                lambda: self._free or not (self._there or self._is_refusing)
            )
            if not self._free:
                raise AwayError(AWAY, is_sure=True)
            return self._free.pop()

    async def _put_back(self, connection: AsyncConnection[Any]) -> None:
        async with self._changed:
            if connection in self._there:
                self._free.append(connection)
            self._changed.notify_all()

    async def _failure(self, connection: AsyncConnection[Any], error: Exception) -> AwayError:
        """Return what a failure is to its caller; what broke is given up."""
        state = getattr(error, "sqlstate", None) or ""
        is_broken = connection.closed or _is_fatal(error)
        if is_broken:
            connection.pgconn.finish()
            self._is_refusing = False
            await self._give_up()
        elif {state, state[:2]} & _REFUSING:
            self._is_refusing = True
        if self._is_refusing or is_broken:
            self._note(error)
            self._is_back.clear()
            self._to_do.set()
        if is_broken:
            return AwayError(AWAY, is_sure=False)
        return AwayError(REFUSED, is_sure=True)  # the server answered, and carried nothing out

    def _note(self, error: Exception) -> None:
        self._why_away, self._kind = postgres.reason_of(error), postgres.kind_of(error)

    async def _give_up(self) -> None:
        """Give up the connections at rest: if one broke, they did."""
        async with self._changed:
            for connection in self._free:
                connection.pgconn.finish()
            self._free.clear()
            self._there = {each for each in self._there if not each.closed}
            self._changed.notify_all()

    @contextmanager
    def _cut_after(self, connection: AsyncConnection[Any], seconds: float) -> Iterator[None]:
        """Cut a connection that does not answer: a server may stand still for minutes."""
        cutting = self._loop.call_later(seconds, _cut, connection)
        try:
            yield
        finally:
            cutting.cancel()


async def _connected(address: str) -> AsyncConnection[Any]:
    """Connect as a pooler in transaction mode allows: nothing is prepared."""
    return await AsyncConnection.connect(
        address, autocommit=True, prepare_threshold=None, cursor_factory=AsyncClientCursor
    )


async def _results(
    connection: AsyncConnection[Any], text: str, values: dict[str, Any]
) -> list[Rows]:
    cursor = await connection.execute(text, values)
    results = []
    while True:
        results.append(await cursor.fetchall() if cursor.description else [])
        if not cursor.nextset():
            return results


async def prepared(address: str, build: str, *, makes_tables: bool) -> str | None:
    """Make the tables where there are none, if asked to; return why the database can't be used now.

    Changes are tried, and taken back.

    Raises:
        StateSchemaError: it is there, and can't be used.
    """
    try:
        async with await _connected(address) as connection:
            await checked_schema(connection, build, makes_tables=makes_tables)
            script = f"BEGIN; {statements.FIRST}; {statements.PROBE}; ROLLBACK"
            await _results(connection, script, {"held": HELD})
    except NoTablesError:
        return None
    except (Error, OSError, UnicodeError) as error:
        reason = postgres.reason_of(error)
        if _is_unusable(error):
            raise StateSchemaError(address, reason) from error
        return reason
    return None


def _is_fatal(error: Exception) -> bool:
    """Whether the server ends the connection by this error, which may come after a commit."""
    diagnostics = getattr(error, "diag", None)
    return getattr(diagnostics, "severity_nonlocalized", None) in ("FATAL", "PANIC")


def _is_unusable(error: Exception) -> bool:
    """Whether a database was reached, and lacks rights or tables, which no waiting brings."""
    return (getattr(error, "sqlstate", None) or "").startswith("42")


def _cut(connection: AsyncConnection[Any]) -> None:
    with suppress(OSError, Error), socket.socket(fileno=os.dup(connection.fileno())) as duplicate:
        duplicate.shutdown(socket.SHUT_RDWR)
