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

Version 1 had a lease for each process of each server. Its servers must have stopped before its
tables are converted: they would not know what is claimed.
"""

from __future__ import annotations

from typing import Any, Final

from psycopg import AsyncConnection, errors

from pettui.outbox.stores.postgres_statements import CONVERT_ENTRIES
from pettui.system import postgres

VERSION: Final = 2
_TRIES: Final = 3  # when several servers make the tables at once, all but one try again
_AT_ONCE: Final = (errors.UniqueViolation, errors.DuplicateTable, errors.DuplicateObject)

_NEW: Final = """
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
TABLES: Final = f"""
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
    {_NEW}
"""
_CONVERT: Final = f"""
    {CONVERT_ENTRIES};
    ALTER TABLE pettui_owners DROP COLUMN own_key_process, DROP COLUMN own_key_epoch,
        DROP COLUMN own_key_session;
    ALTER TABLE pettui_entries DROP COLUMN process, DROP COLUMN epoch, ADD COLUMN form bigint,
        ADD COLUMN version bigint NOT NULL DEFAULT 0,
        ADD COLUMN until timestamptz NOT NULL DEFAULT '-infinity', ADD UNIQUE (owner, form);
    ALTER TABLE pettui_drafts DROP CONSTRAINT pettui_drafts_pkey, ADD COLUMN form bigint;
    UPDATE pettui_drafts AS d SET form = numbered.form FROM (
        SELECT owner, session, number, row_number() OVER (ORDER BY written, number) AS form
        FROM pettui_drafts
    ) AS numbered WHERE (d.owner, d.session, d.number) =
        (numbered.owner, numbered.session, numbered.number);
    ALTER TABLE pettui_drafts DROP COLUMN process, DROP COLUMN epoch, DROP COLUMN number,
        ADD PRIMARY KEY (owner, form);
    DROP TABLE pettui_processes, pettui_turns;
    {_NEW};
    UPDATE pettui_state SET version = {VERSION}, build = %(build)s
"""
_FIRST: Final = "INSERT INTO pettui_state (one, version, build) VALUES (1, %s, %s)"
_RUNNING: Final = """
    SELECT host, pid FROM pettui_processes WHERE is_alive AND lease > clock_timestamp()
    ORDER BY host, pid
"""


class StateSchemaError(Exception):
    """A database that answers, and cannot be used: rights, or tables of a later version."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"database {postgres.shown(address)} can't be used: {reason}")


class NoTablesError(StateSchemaError):
    """A database without tables, where none are made."""


async def checked_schema(
    connection: AsyncConnection[Any], build: str, *, makes_tables: bool = True
) -> None:
    """Make the tables where there are none, or convert old ones, if asked to.

    Raises:
        StateSchemaError: a later version made them, or servers of an earlier one still run.
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
    version, made_by = await _version(connection)
    if version > VERSION:
        later = f"its outboxes have version {version}, of pettui {made_by}"
        raise StateSchemaError(
            connection.info.dsn, f"{later}; this one knows {VERSION}; update pettui"
        )
    if version < VERSION and not makes_tables:
        await _refuse_running_servers(connection)
        earlier = f"its outboxes are of an earlier pettui, {made_by}"
        raise NoTablesError(connection.info.dsn, f"{earlier}; a server that starts converts them")
    if version < VERSION:
        async with connection.transaction():
            await connection.execute("LOCK TABLE pettui_state")
            version, _ = await _version(connection)
            if version < VERSION:  # no other server was faster
                await connection.execute("LOCK TABLE pettui_processes")
                await _refuse_running_servers(connection)
                await connection.execute(_CONVERT, {"build": build})


async def _version(connection: AsyncConnection[Any]) -> tuple[int, str]:
    cursor = await connection.execute("SELECT version, build FROM pettui_state")
    [[version, made_by]] = await cursor.fetchall()
    return version, made_by


async def _refuse_running_servers(connection: AsyncConnection[Any]) -> None:
    """Raise StateSchemaError while a server of version 1 holds its lease."""
    cursor = await connection.execute(_RUNNING)
    if running := await cursor.fetchall():
        where = ", ".join(f"{host} (process {pid})" for host, pid in running)
        raise StateSchemaError(
            connection.info.dsn,
            f"servers of an earlier pettui still use its outboxes, on {where}: stop all of them,"
            " and then start this one, which converts the tables",
        )
