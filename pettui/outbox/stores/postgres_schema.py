"""The tables of users' outboxes in PostgreSQL, and whether a database has them.

==================  ===============================================================================
pettui_owners       owners, what was recorded of each, and a version that every change of their
                    entries raises
pettui_sessions     who has an outbox open, and until when it surely has, unless that is extended
pettui_entries      animals on their way, and the session that typed or sends each
pettui_drafts       what stands in forms, or was put aside there; likewise
pettui_receipts     what was added, by day
pettui_turns        which process sends what users left
pettui_state        the version of these tables, and which pettui made them
==================  ===============================================================================

What users type is a bytea: a text can hold neither NUL nor a lone surrogate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from psycopg import errors

from pettui.system import postgres

if TYPE_CHECKING:
    from psycopg import AsyncConnection

VERSION: Final = 2
_TRIES: Final = 3  # when several servers make the tables at once, all but one try again
_AT_ONCE: Final = (errors.UniqueViolation, errors.DuplicateTable, errors.DuplicateObject)

TABLES: Final = """
    CREATE TABLE pettui_state (
        one integer PRIMARY KEY CHECK (one = 1),
        version integer NOT NULL,
        build text NOT NULL
    );
    CREATE TABLE pettui_owners (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        people text NOT NULL,
        owner bytea NOT NULL,
        profile bytea NOT NULL,
        name bytea NOT NULL,
        fingerprint bytea NOT NULL,
        added bigint NOT NULL DEFAULT 0,
        version bigint NOT NULL DEFAULT 0,
        UNIQUE (people, owner)
    );
    CREATE TABLE pettui_entries (
        owner bigint NOT NULL,
        entry_id text NOT NULL,
        session bigint NOT NULL,
        state text NOT NULL
            CHECK (state IN ('waiting', 'sending', 'added', 'refused', 'unknown')),
        content bytea NOT NULL,
        form bigint,
        version bigint NOT NULL,
        until timestamptz NOT NULL DEFAULT '-infinity',
        PRIMARY KEY (owner, entry_id),
        UNIQUE (owner, form)
    );
    CREATE INDEX pettui_entries_left ON pettui_entries (owner)
        WHERE state IN ('waiting', 'sending');
    CREATE TABLE pettui_drafts (
        owner bigint NOT NULL,
        form bigint NOT NULL,
        session bigint NOT NULL,
        content bytea NOT NULL,
        written timestamptz NOT NULL,
        PRIMARY KEY (owner, form)
    );
    CREATE TABLE pettui_sessions (
        session bigint PRIMARY KEY,
        owner bigint NOT NULL,
        fence bigint NOT NULL,
        until timestamptz NOT NULL
    );
    CREATE INDEX pettui_sessions_of ON pettui_sessions (owner);
    CREATE TABLE pettui_turns (
        people text PRIMARY KEY,
        holder bigint NOT NULL,
        until timestamptz NOT NULL
    );
    CREATE TABLE pettui_receipts (
        owner bigint NOT NULL,
        key text NOT NULL,
        day date NOT NULL,
        content bytea NOT NULL,
        PRIMARY KEY (owner, key)
    );
    CREATE INDEX pettui_receipts_by_day ON pettui_receipts (owner, day)
"""
_RIGHTS: Final = {  # that a server needs on finished tables
    "pettui_state": "SELECT",
    "pettui_sessions": "SELECT, INSERT, UPDATE, DELETE",
    "pettui_owners": "SELECT, INSERT, UPDATE",
    "pettui_entries": "SELECT, INSERT, UPDATE, DELETE",
    "pettui_drafts": "SELECT, INSERT, UPDATE, DELETE",
    "pettui_receipts": "SELECT, INSERT, DELETE",
    "pettui_turns": "SELECT, INSERT, UPDATE",
}
_FIRST: Final = "INSERT INTO pettui_state (one, version, build) VALUES (1, %s, %s)"


class StateSchemaError(Exception):
    """A database that answers, and cannot be used: rights, or tables of a later version."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"database {postgres.shown(address)} can't be used: {reason}")


class NoTablesError(StateSchemaError):
    """A database without tables, where none are made."""


async def checked_rights(connection: AsyncConnection[Any]) -> None:
    """Raise StateSchemaError if a server lacks rights on the tables, or may not make them."""
    needed = [(table, right) for table, rights in _RIGHTS.items() for right in rights.split(", ")]
    cursor = await connection.execute(
        """
        SELECT CASE WHEN to_regclass('pettui_state') IS NULL THEN
            CASE WHEN has_schema_privilege(current_schema(), 'CREATE') THEN NULL
                ELSE 'CREATE on the schema' END
        ELSE (
            SELECT string_agg(needed.right || ' on ' || needed.table, ', ')
            FROM unnest(%s::text[], %s::text[]) AS needed ("table", "right")
            WHERE CASE WHEN to_regclass(needed.table) IS NOT NULL
                THEN NOT has_table_privilege(needed.table, needed.right) END
        ) END
        """,
        [[table for table, _ in needed], [right for _, right in needed]],
    )
    [[missing]] = await cursor.fetchall()
    if missing:
        raise StateSchemaError(connection.info.dsn, f"its user lacks {missing}")


async def checked_schema(
    connection: AsyncConnection[Any], build: str, *, makes_tables: bool = True
) -> None:
    """Make the tables where there are none, if asked to.

    Raises:
        StateSchemaError: another version made them.
        Error: of psycopg.
    """
    for _ in range(_TRIES):
        cursor = await connection.execute("SELECT to_regclass('pettui_state') IS NOT NULL")
        [[is_there]] = await cursor.fetchall()
        if is_there:
            break
        if not makes_tables:
            raise NoTablesError(connection.info.dsn, "no server has kept outboxes there yet")
        try:
            async with connection.transaction():
                await connection.execute(TABLES)
                await connection.execute(_FIRST, [VERSION, build])
        except _AT_ONCE:
            continue
    cursor = await connection.execute("SELECT version, build FROM pettui_state")
    [[version, made_by]] = await cursor.fetchall()
    if version != VERSION:
        other = f"its outboxes have version {version}, of pettui {made_by}"
        what_to_do = "update pettui" if version > VERSION else "name another database"
        reason = f"{other}; this one knows {VERSION}; {what_to_do}"
        raise StateSchemaError(connection.info.dsn, reason)
