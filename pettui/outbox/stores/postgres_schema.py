"""The tables of people's outboxes in PostgreSQL, and whether a database has them.

==================  ===============================================================================
pettui_processes    who is alive: a row for each process, with its epoch and its lease
pettui_owners       people, what was recorded of each, and a version that every change of what
                    belongs to them raises
pettui_entries      animals on their way; process, epoch and session say whose each is
pettui_drafts       what stands in forms, or was put aside there; likewise
pettui_turns        which process sends what people left
pettui_state        the version of these tables, and which pettui made them
==================  ===============================================================================

``own_key_…`` of an owner is of earlier versions, and may be set by a server that still runs one:
entries that such a server leaves are for an API key that only the user knows.

What people type is a bytea: a text can hold neither NUL nor a lone surrogate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from psycopg import errors

from pettui.system import postgres

if TYPE_CHECKING:
    from psycopg import AsyncConnection

VERSION: Final = 1
_TRIES: Final = 3  # when several servers make the tables at once, all but one try again
_AT_ONCE: Final = (errors.UniqueViolation, errors.DuplicateTable, errors.DuplicateObject)

TABLES: Final = """
    CREATE TABLE pettui_state (
        one integer PRIMARY KEY CHECK (one = 1),
        version integer NOT NULL,
        build text NOT NULL
    );
    CREATE TABLE pettui_processes (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        epoch bigint NOT NULL,
        lease timestamptz NOT NULL,
        is_alive boolean NOT NULL,
        host text NOT NULL,
        pid bigint NOT NULL,
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
        own_key_process bigint,
        own_key_epoch bigint,
        own_key_session bigint,
        version bigint NOT NULL DEFAULT 0,
        UNIQUE (people, owner)
    );
    CREATE TABLE pettui_entries (
        owner bigint NOT NULL,
        entry_id text NOT NULL,
        process bigint NOT NULL,
        epoch bigint NOT NULL,
        session bigint NOT NULL,
        state text NOT NULL
            CHECK (state IN ('waiting', 'sending', 'added', 'refused', 'unknown')),
        content bytea NOT NULL,
        PRIMARY KEY (owner, entry_id)
    );
    CREATE INDEX pettui_entries_left ON pettui_entries (owner)
        WHERE state IN ('waiting', 'sending');
    CREATE INDEX pettui_entries_of ON pettui_entries (process);
    CREATE TABLE pettui_drafts (
        owner bigint NOT NULL,
        session bigint NOT NULL,
        number bigint NOT NULL,
        process bigint NOT NULL,
        epoch bigint NOT NULL,
        content bytea NOT NULL,
        written timestamptz NOT NULL,
        PRIMARY KEY (owner, session, number)
    );
    CREATE INDEX pettui_drafts_of ON pettui_drafts (process);
    CREATE TABLE pettui_turns (
        people text PRIMARY KEY,
        process bigint NOT NULL,
        epoch bigint NOT NULL
    )
"""
_RIGHTS: Final = {  # that a server needs on finished tables
    "pettui_state": "SELECT",
    "pettui_processes": "SELECT, INSERT, UPDATE, DELETE",
    "pettui_owners": "SELECT, INSERT, UPDATE",
    "pettui_entries": "SELECT, INSERT, UPDATE, DELETE",
    "pettui_drafts": "SELECT, INSERT, UPDATE, DELETE",
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
            WHERE NOT has_table_privilege(needed.table, needed.right)
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
    """Make the tables where there are none, if asked to; raises psycopg's errors.

    Raises:
        StateSchemaError: a later version made them.
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
    if version > VERSION:
        later = f"its outboxes have version {version}, of pettui {made_by}"
        raise StateSchemaError(
            connection.info.dsn, f"{later}; this one knows {VERSION}; update pettui"
        )
