"""The store in PostgreSQL, so that several machines can serve one shop.

The SQL is plain enough for distributed databases that speak PostgreSQL's protocol. A name is a
bytea of UTF-8, since PostgreSQL's text can't hold NUL.
"""

from __future__ import annotations

import re
import time
from contextlib import contextmanager, nullcontext
from textwrap import dedent
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from psycopg import AsyncConnection, DataError, Error, IntegrityError, OperationalError, errors
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from pettui.build import build
from pettui.service.stores import store
from pettui.service.stores.batches import Batches, failure
from pettui.service.stores.store import (
    NAME_BYTES,
    STATUSES,
    Add,
    Added,
    ConstraintError,
    Row,
    Select,
    Store,
    StoreAwayError,
    StoredPage,
    StoreError,
    StoreUnavailableError,
    large_names,
    new_row,
    that_fit,
)
from pettui.system import postgres

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence

    from pettui.models.pets import NewPet

READING: Final = 2  # connections; a slow page delays only its batch
WRITING: Final = 1  # while one batch waits for the disk, the next one fills
BATCH_SECONDS: Final = 10.0  # for the requests of a batch, with their wait
LOCK_WAIT: Final = 5_000  # milliseconds that a change of the tables waits for who has them


Request = TypeVar("Request")
Result = TypeVar("Result")


def in_psycopg(sql: str) -> str:
    """Return SQL with psycopg's placeholders in place of SQLite's."""
    return re.sub(r":(\w+)", r"%(\1)s", sql)


SELECT_NAMES: Final = "SELECT id, substring(name FROM 1 FOR %s) FROM pets WHERE id = ANY(%s)"
SELECT_ADDED: Final = """
    SELECT key, pet_id, digest FROM pettui_idempotency_keys WHERE key = ANY(%b::bytea[])
"""

_TRIES: Final = 3  # when several machines create the tables at once, all but one retry
CREATED_CONCURRENTLY: Final = (
    errors.UniqueViolation,
    errors.DuplicateTable,
    errors.DuplicateObject,  # a table is also a type, which may be reported first
    errors.SerializationFailure,
)

VERSION_TABLE: Final = """
    CREATE TABLE IF NOT EXISTS pettui_schema (
        one integer PRIMARY KEY CHECK (one = 1),
        version integer NOT NULL
    )
"""
FIRST_VERSION: Final = """
    INSERT INTO pettui_schema (one, version) VALUES (1, 0) ON CONFLICT DO NOTHING
"""
# One step a version.
MIGRATIONS: Final = (
    f"""
    CREATE TABLE pets (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name bytea NOT NULL,
        category_id bigint NOT NULL,
        status text CHECK (status IN {STATUSES})
    )
    """,
    "CREATE INDEX pets_by_status ON pets (status, id)",
    """
    CREATE TABLE pettui_idempotency_keys (
        key bytea PRIMARY KEY,
        digest bytea NOT NULL,
        pet_id bigint NOT NULL
    )
    """,
    """
    ALTER TABLE pettui_schema
        ADD COLUMN store_id text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '')
    """,
    # An older pettui that runs beside this one looks at the schema no more, and would add animals
    # without their keys. It names no writer_schema, so that its INSERT is refused from now on. The
    # animals that are there have one, without being written again, so that they can be updated.
    "ALTER TABLE pets ADD COLUMN writer_schema smallint DEFAULT 2",
    """
    ALTER TABLE pets
        ALTER COLUMN writer_schema DROP DEFAULT,
        ADD CONSTRAINT not_of_an_older_pettui CHECK (writer_schema IS NOT NULL) NOT VALID
    """,
)
RIGHTS: Final = """
    -- The service needs no more than this; one that only reads, no INSERT:
    -- GRANT SELECT ON pettui_schema, pets, pettui_idempotency_keys TO service;
    -- GRANT INSERT ON pets, pettui_idempotency_keys TO service;
"""
# What was enough for older tables is not for these.
LACKS_RIGHTS: Final = """
    SELECT has_table_privilege('pets', 'INSERT')
        AND NOT (has_table_privilege('pettui_idempotency_keys', 'SELECT')
            AND has_table_privilege('pettui_idempotency_keys', 'INSERT'))
"""
COPY: Final = "COPY pets (name, category_id, status, writer_schema) FROM STDIN"

# Ids are assigned in the order of position; the database may return them in any order.
INSERT: Final = f"""
    INSERT INTO pets (name, category_id, status, writer_schema)
    SELECT name, category_id, status, {len(MIGRATIONS)}
    FROM unnest(%b::bytea[], %b::bigint[], %b::text[])
        WITH ORDINALITY AS new_pets (name, category_id, status, position)
    WHERE {postgres.COMMITS_TO_DISK}
    ORDER BY position
    RETURNING id
"""  # noqa: S608 - all ours
# A key that is there fails the whole statement. Two services that repeat the same keys in another
# order would wait for each other: all insert keys in their own order.
INSERT_WITH_KEYS: Final = f"""
    WITH adds AS (
        SELECT *
        FROM unnest(%b::bytea[], %b::bigint[], %b::text[], %b::bytea[], %b::bytea[])
            WITH ORDINALITY AS adds (name, category_id, status, key, digest, position)
    ), added AS (
        INSERT INTO pets (name, category_id, status, writer_schema)
        SELECT name, category_id, status, {len(MIGRATIONS)} FROM adds
        WHERE {postgres.COMMITS_TO_DISK}
        ORDER BY position
        RETURNING id
    ), keyed AS (
        INSERT INTO pettui_idempotency_keys (key, digest, pet_id)
        SELECT key, digest, id
        FROM adds JOIN (SELECT id, row_number() OVER (ORDER BY id) FROM added)
            AS numbered (id, position) USING (position)
        WHERE key IS NOT NULL
        ORDER BY key
    )
    SELECT id FROM added
"""  # noqa: S608 - all ours


class PostgresStore(Store):
    """A ``Store`` on a pool of connections; until it is prepared every use of it fails."""

    # Every query is a range of the primary key or of pets_by_status, however large the store is.
    # With "status = :status ORDER BY id" the planner may scan the primary key for the status: the
    # whole of a large store if only its oldest animals have it. Ordering by (status, id) leaves it
    # one index.
    SELECT_PAGE = in_psycopg(store.SELECT_PAGE)
    SELECT_PAGE_OF_STATUS = in_psycopg(
        f"{store.SELECT} WHERE status >= :status AND (status, id) <= (:status, :last)"
        " ORDER BY status DESC, id DESC LIMIT :limit + 1"
    )
    SELECT_PET = in_psycopg(store.SELECT_PET)

    def __init__(self, address: str, samples: Iterable[NewPet] = ()) -> None:
        """Begin without a connection.

        Args:
            address: ``postgresql://…``; it may hold a password, and is never shown.
            samples: stored if there are no animals.

        Raises:
            StoreError: the address is malformed.
        """
        self._address = checked_address(address)
        self._samples = samples
        self._why_away = "it was not asked yet"
        self._connections = Connections(self._address)
        self._pages = self._batches(read_pages, READING, is_read=True)
        self._keys = self._batches(find_added, READING, is_read=True)
        self._inserts = self._batches(insert, WRITING)

    @classmethod
    async def open(cls, address: str, samples: Iterable[NewPet] = ()) -> PostgresStore:
        """Open the store in a database, whose tables are created if missing.

        Raises:
            StoreError: it can't be reached or used.
        """
        opened = cls(address, samples)
        await opened.prepare()
        return opened

    @property
    def is_ready(self) -> bool:
        return self.store_id is not None

    async def prepare(self) -> None:
        """Make the tables if they are missing, and begin to connect."""
        try:
            store_id = await prepare(self._address, self._samples)
        except StoreAwayError as error:
            self._why_away = str(error)
            raise
        await self._connections.open()
        self.store_id = store_id

    async def find_added(self, key: bytes) -> Added | None:
        """Return what was stored with an idempotency key, or None if nothing was."""
        return await self._there(self._keys, is_read=True).submit(key)

    async def close(self) -> None:
        """Finish pending requests, and close the connections."""
        for batches in (self._inserts, self._pages, self._keys):
            await batches.close()
        await self._connections.close()

    async def _page(self, select: Select) -> StoredPage:
        return await self._there(self._pages, is_read=True).submit(select)

    async def _add(self, add: Add) -> int | Added:
        return await self._there(self._inserts, is_read=False).submit(add, len(add.row[0]))

    def _there(
        self, batches: Batches[Request, Result], *, is_read: bool
    ) -> Batches[Request, Result]:
        if not self.is_ready:
            raise failure(self._why_away, is_read=is_read)
        return batches

    def _batches(
        self,
        run: Callable[[TimedConnection, list[Request]], Awaitable[Sequence[Result]]],
        at_once: int,
        *,
        is_read: bool = False,
    ) -> Batches[Request, Result]:
        return Batches(
            lambda take: self._connections.run(lambda each: run(each, take()), is_read=is_read),
            seconds=BATCH_SECONDS,
            at_once=at_once,
            is_read=is_read,
        )


async def read_pages(connection: TimedConnection, selects: list[Select]) -> list[StoredPage]:
    """Return the page of each query, in one round trip.

    Most clients look at the same few pages: equal queries run once.
    """
    different = list(dict.fromkeys(selects))
    async with connection.pipeline() if len(different) > 1 else nullcontext():
        cursors = [
            await connection.cursor(binary=True).execute(select.text, select.arguments())
            for select in different
        ]
    pages = {
        select: await _page(connection, await cursor.fetchall(), select.limit)
        for select, cursor in zip(different, cursors, strict=True)
    }
    return [pages[select] for select in selects]


async def _page(connection: TimedConnection, found: list[Row], limit: int) -> StoredPage:
    """Return the animals of the first rows, as many as fit into a response."""
    shown, names = that_fit(found[:limit]), dict[int, bytes]()
    if large := large_names(shown):
        cursor = connection.cursor(binary=True)
        names = dict(await (await cursor.execute(SELECT_NAMES, (NAME_BYTES, large))).fetchall())
        if len(names) < len(large):
            raise StoreUnavailableError("an animal was deleted while it was read")
    return StoredPage.of(found, shown, names)


async def insert(connection: TimedConnection, adds: list[Add]) -> list[int | Added]:
    """Store animals and their keys in one statement and one commit, and return their ids.

    For a key that was stored before, also by one of these, return what was stored with it.
    """
    if all(add.key is None for add in adds):
        return [*await _insert(connection, INSERT, [add.row for add in adds])]
    known: dict[bytes | None, Added] = {}
    ids: dict[int, int] = {}  # by position in the batch
    new = _without_repetitions(adds)
    while new and not ids:
        rows = [(*adds[index].row, adds[index].key, adds[index].digest) for index in new]
        try:
            ids = dict(zip(new, await _insert(connection, INSERT_WITH_KEYS, rows), strict=True))
        except errors.UniqueViolation:  # nothing of the statement was stored
            keys = [add.key for add in adds if add.key is not None]
            found = zip(keys, await find_added(connection, keys), strict=True)
            known = {key: added for key, added in found if added is not None}
            if not any(adds[index].key in known for index in new):
                raise  # it was no key
            new = [index for index in new if adds[index].key not in known]
    for index, pet_id in ids.items():
        if (digest := adds[index].digest) is not None:
            known[adds[index].key] = Added(pet_id, digest)
    return [ids.get(index) or known[add.key] for index, add in enumerate(adds)]


def _without_repetitions(adds: list[Add]) -> list[int]:
    """Return the positions of all adds but those with the key of one before them."""
    first = {add.key: index for index, add in reversed([*enumerate(adds)])}
    return [index for index, add in enumerate(adds) if add.key is None or first[add.key] == index]


async def _insert(
    connection: TimedConnection, statement: str, rows: Sequence[tuple[Any, ...]]
) -> list[int]:
    columns = [list(column) for column in zip(*rows, strict=True)]
    cursor = await connection.cursor(binary=True).execute(statement, columns)
    return sorted([pet_id for (pet_id,) in await cursor.fetchall()])


async def find_added(connection: TimedConnection, keys: list[bytes]) -> list[Added | None]:
    """Return what was stored with each key, or None, in one round trip."""
    cursor = await connection.cursor(binary=True).execute(SELECT_ADDED, [keys])
    found = {key: Added(*added) for key, *added in await cursor.fetchall()}
    return [found.get(key) for key in keys]


def checked_address(address: str) -> str:
    """Return an address with time-outs added where it sets none; raises StoreError."""
    try:
        return postgres.checked_address(address)
    except ValueError as error:
        raise StoreError(str(error)) from None


def schema_sql() -> str:
    """Return what makes the tables of a new database, as SQL to be run by their owner."""
    latest = f"UPDATE pettui_schema SET version = {len(MIGRATIONS)}"  # noqa: S608 - all ours
    parts = ("BEGIN", VERSION_TABLE, FIRST_VERSION, *MIGRATIONS, latest, _made_by(), "COMMIT")
    statements = "".join(f"{dedent(part).strip()};\n" for part in parts)
    return f"{statements}{dedent(RIGHTS).strip()}\n"


def _made_by() -> str:
    """Return what notes, for whoever looks at the tables, which pettui made them as they are."""
    return f"COMMENT ON TABLE pettui_schema IS 'made by pettui {build()}'"


async def prepare(address: str, samples: Iterable[NewPet]) -> str:
    """Bring the schema up to date and fill an empty database with samples, in one transaction.

    Returns the store's id.

    Raises:
        StoreError: the database can't be reached or used.
    """
    with _explained(address):
        for _ in range(_TRIES):
            try:
                return await _prepare(address, samples)
            except CREATED_CONCURRENTLY:
                continue
    raise _of_another_program(address)


async def check(address: str) -> None:
    """Check that a store can be opened; neither tables nor their schema are changed.

    Raises:
        StoreError: the database can't be reached or used.
    """
    with _explained(address):
        async with await _connection(address) as connection:
            if await _version(connection, address) == len(MIGRATIONS):
                await _check_rights(connection, address)


async def _check_rights(connection: AsyncConnection[Any], address: str) -> None:
    """Refuse to start without rights on the keys, where there are rights to add animals.

    Clients would be promised that their adds are stored once, and every one would fail.
    """
    cursor = await connection.execute(LACKS_RIGHTS)
    if await cursor.fetchone() == (True,):
        raise StoreError(
            f"database {postgres.shown(address)} can't be used: its owner has yet to GRANT SELECT,"
            " INSERT ON pettui_idempotency_keys to this user"
        )


async def _version(connection: AsyncConnection[Any], address: str) -> int:
    """Return the version of the schema, 0 for none; SELECT is enough.

    Raises:
        StoreError: it is another program's, or newer.
    """
    # In this order: another machine may be making them.
    cursor = await connection.execute(
        "SELECT to_regclass('pets') IS NOT NULL, to_regclass('pettui_schema') IS NOT NULL"
    )
    [[has_pets, is_ours]] = await cursor.fetchall()
    if has_pets and not is_ours:
        raise _of_another_program(address)
    if not is_ours:
        return 0
    cursor = await connection.execute("SELECT version FROM pettui_schema")
    [[version]] = await cursor.fetchall() or [[0]]
    _refuse_newer_schema(address, version)
    return int(version)


@contextmanager
def _explained(address: str) -> Iterator[None]:
    try:
        yield
    except (Error, UnicodeError) as error:
        reason = postgres.reason_of(error)
        if isinstance(error, errors.InsufficientPrivilege):
            reason += "; pettui serve --init, as the tables' owner, makes them"
        elif isinstance(error, errors.LockNotAvailable):
            reason += "; a backup or another program has its tables: start again after it"
        kind = StoreAwayError if postgres.is_away(error) else StoreError
        raise kind(f"database {postgres.shown(address)} can't be used: {reason}") from error


def _of_another_program(address: str) -> StoreError:
    reason = "has another program's table pets; name another database"
    return StoreError(f"database {postgres.shown(address)} {reason}")


def _refuse_newer_schema(address: str, version: int) -> None:
    if version > len(MIGRATIONS):
        raise StoreError(
            f"database {postgres.shown(address)} has schema {version},"
            f" this pettui knows {len(MIGRATIONS)}; update pettui"
        )


async def _connection(address: str) -> AsyncConnection[Any]:
    return await AsyncConnection.connect(address, autocommit=True, prepare_threshold=None)


async def _prepare(address: str, samples: Iterable[NewPet]) -> str:
    async with await _connection(address) as connection:
        version = await _version(connection, address)
        # Finished tables are not written to: it may have no right to that, or read a standby.
        if samples or version < len(MIGRATIONS):
            await connection.execute(VERSION_TABLE)
            await connection.execute(FIRST_VERSION)
            async with connection.transaction():
                # Reads of an older pettui would wait behind a change of the table that waits.
                await connection.execute(f"SET LOCAL lock_timeout = {LOCK_WAIT}")
                await connection.execute(f"SELECT {postgres.COMMITS_TO_DISK}")
                await _migrate(connection, address)
                await _fill(connection, samples)
        await _check_rights(connection, address)
        cursor = await connection.execute("SELECT store_id FROM pettui_schema")
        [[store_id]] = await cursor.fetchall()
        return str(store_id)


async def _migrate(connection: AsyncConnection[Any], address: str) -> None:
    """Bring the schema up to date; the version stays locked until the transaction ends.

    A lock of its row alone would become one of the table, while others wait for the row.
    """
    await connection.execute("LOCK TABLE pettui_schema")
    cursor = await connection.execute("SELECT version FROM pettui_schema WHERE one = 1")
    [[version]] = await cursor.fetchall()
    _refuse_newer_schema(address, version)
    for migration in MIGRATIONS[version:]:
        await connection.execute(migration)
    if version < len(MIGRATIONS):
        await connection.execute("UPDATE pettui_schema SET version = %s", [len(MIGRATIONS)])
        await connection.execute(_made_by())


async def _fill(connection: AsyncConnection[Any], samples: Iterable[NewPet]) -> None:
    cursor = await connection.execute("SELECT 1 FROM pets LIMIT 1")
    if await cursor.fetchone() is not None:
        return
    async with connection.cursor() as writer, writer.copy(COPY) as copy:
        for new_pet in samples:
            await copy.write_row((*new_row(new_pet), len(MIGRATIONS)))


# Connections to PostgreSQL, on which functions run.

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
