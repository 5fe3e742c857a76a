"""Opening a PostgreSQL database: its address is checked, its schema brought up to date."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from psycopg import AsyncConnection, Error, ProgrammingError, errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from pettui.service.stores.store import StoreError, row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pettui.models import NewPet

# A server that vanishes without closing its connections is noticed in seconds, not in two hours.
_SECONDS: Final = {"connect_timeout": 3, "keepalives_idle": 5, "keepalives_interval": 2}
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
# One step a version.
MIGRATIONS: Final = (
    """
    CREATE TABLE pets (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name bytea NOT NULL,
        category_id bigint NOT NULL,
        status text CHECK (status IN ('available', 'pending', 'sold'))
    )
    """,
    "CREATE INDEX pets_by_status ON pets (status, id)",
)
SHAPE: Final = (
    "the database's address must look like postgresql://USER:PASSWORD@HOST:PORT/NAME,"
    " with %-escapes in each part"
)
COPY: Final = "COPY pets (name, category_id, status) FROM STDIN"


def checked_address(address: str) -> str:
    """Return an address with time-outs added where it sets none.

    Raises:
        StoreError: it is malformed. libpq's own message is not shown: it may quote a password.
    """
    try:
        given = conninfo_to_dict(address)
        if " " in address or _is_password_cut(given):  # an older libpq accepts spaces
            raise StoreError(SHAPE)
        return make_conninfo("", **{"application_name": "pettui", **_SECONDS, **given})
    except (ProgrammingError, UnicodeError):
        raise StoreError(SHAPE) from None


def _is_password_cut(given: Mapping[str, Any]) -> bool:
    """Whether a part of an unescaped password became host, port or database name.

    libpq ends it at the first ``@`` or ``/``, and shows what follows in its messages.
    """
    host, port, name = (str(given.get(part, "")) for part in ("host", "port", "dbname"))
    return "@" in host + port + name or re.fullmatch(r"[0-9,]*", port, re.ASCII) is None


async def configure(connection: AsyncConnection[Any]) -> None:
    """Make commits wait for the disk, whatever the server's default is."""
    await connection.execute(
        "SELECT set_config('synchronous_commit', 'on', false)"
        " WHERE current_setting('synchronous_commit') = 'off'"
    )


async def prepare(address: str, samples: Iterable[NewPet]) -> None:
    """Bring the schema up to date and fill an empty database with samples, in one transaction.

    Raises:
        StoreError: the database can't be reached or used.
    """
    try:
        for _ in range(_TRIES):
            try:
                return await _prepare(address, samples)
            except CREATED_CONCURRENTLY:
                continue
    except (Error, UnicodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        if isinstance(error, UnicodeError):  # a part of the host name is empty or too long
            reason = "no such host"
        raise StoreError(f"database {_shown(address)} can't be used: {reason}") from error
    raise StoreError(
        f"database {_shown(address)} has another program's table pets; name another database"
    )


async def _prepare(address: str, samples: Iterable[NewPet]) -> None:
    async with await AsyncConnection.connect(address, autocommit=True) as connection:
        await configure(connection)
        await connection.execute(VERSION_TABLE)
        await connection.execute(
            "INSERT INTO pettui_schema (one, version) VALUES (1, 0) ON CONFLICT DO NOTHING"
        )
        async with connection.transaction():
            await _migrate(connection, address)
            await _fill(connection, samples)


async def _migrate(connection: AsyncConnection[Any], address: str) -> None:
    """Bring the schema up to date; the version's row stays locked until the transaction ends."""
    cursor = await connection.execute("SELECT version FROM pettui_schema WHERE one = 1 FOR UPDATE")
    [[version]] = await cursor.fetchall()
    if version > len(MIGRATIONS):
        raise StoreError(
            f"database {_shown(address)} has schema {version},"
            f" this pettui knows {len(MIGRATIONS)}; update pettui"
        )
    for migration in MIGRATIONS[version:]:
        await connection.execute(migration)
    if version < len(MIGRATIONS):
        await connection.execute("UPDATE pettui_schema SET version = %s", [len(MIGRATIONS)])


async def _fill(connection: AsyncConnection[Any], samples: Iterable[NewPet]) -> None:
    cursor = await connection.execute("SELECT 1 FROM pets LIMIT 1")
    if await cursor.fetchone() is not None:
        return
    async with connection.cursor() as writer, writer.copy(COPY) as copy:
        for new_pet in samples:
            await copy.write_row(row(new_pet))


def _shown(address: str) -> str:
    """Return the name and host of a database, without user and password."""
    parts = conninfo_to_dict(address)
    return f"{parts.get('dbname', '')} on {parts.get('host', 'this machine')}"
