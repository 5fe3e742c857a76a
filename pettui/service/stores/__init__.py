"""Where animals are stored: SQLite, PostgreSQL or memory, as a database address says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pettui.service.stores.store import Store, StoreAwayError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.models.pets import NewPet

_ADDRESS = re.compile(r"[^/]*[:=]")  # such as sqlite:x.db, host=x, MySQL://x
MEMORY: Final = ":memory:"  # as SQLite calls it; ./:memory: is a file


def is_file(database: str) -> bool:
    """Whether this is the path of a file."""
    return database != MEMORY and not is_postgres(database)


def is_postgres(database: str) -> bool:
    """Whether this is a PostgreSQL address."""
    return database.startswith(("postgresql://", "postgres://"))


def described(database: str) -> dict[str, str]:
    """Return what the log says of a database: where it is, and never its password."""
    if not is_postgres(database):
        return {"database": database}
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 - an extra

    parts = conninfo_to_dict(database)
    return {"host": str(parts.get("host", "localhost")), "database": str(parts.get("dbname", ""))}


def refuse_unknown_kind(database: str) -> None:
    """Refuse what looks like an address of another database; as a path it would become a file.

    It is not shown, since it may hold a password.

    Raises:
        StoreError: it is neither a path nor a PostgreSQL address.
    """
    if database != MEMORY and not is_postgres(database) and _ADDRESS.match(database):
        raise StoreError(
            "the database must be the path of a SQLite file, or postgresql://…;"
            " put ./ before a path with : or = in its first part"
        )


async def check_store(database: str) -> None:
    """Check that a store can be opened; neither is one made, nor its schema changed.

    Raises:
        StoreError: it can't be opened, or its kind is unknown.
    """
    from pettui.service.stores.sqlite_files import check_database  # noqa: PLC0415 - as below

    refuse_unknown_kind(database)
    if is_file(database):
        check_database(Path(database))
    elif is_postgres(database):
        from pettui.service.stores import postgres  # noqa: PLC0415 - an extra

        await postgres.check(postgres.checked_address(database))


async def open_store(
    database: str, samples: Iterable[NewPet] = (), *, may_be_away: bool = False
) -> Store:
    """Return a store in a SQLite file, in memory or in PostgreSQL.

    Args:
        database: a path, ``:memory:`` or ``postgresql://…``.
        samples: stored if there are no animals.
        may_be_away: a store whose database is not there yet is returned, too: it is not ready.

    Raises:
        StoreError: it can't be opened, or its kind is unknown.
    """
    from pettui.service.stores.sqlite import SqliteStore  # noqa: PLC0415 - it needs this package

    refuse_unknown_kind(database)
    if database == MEMORY:
        return SqliteStore.open_in_memory(samples)
    if is_file(database):
        return SqliteStore.open(database, samples)
    try:
        from pettui.service.stores.postgres import PostgresStore  # noqa: PLC0415 - an extra
    except ImportError as error:
        reason = "PostgreSQL needs psycopg and psycopg-pool, the extra postgres"
        raise StoreError(reason) from error
    store = PostgresStore(database, samples)
    try:
        await store.prepare()
    except StoreAwayError:
        if not may_be_away:
            raise
    return store
