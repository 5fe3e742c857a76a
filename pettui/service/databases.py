"""Which store an address of a database means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.service.sqlite_store import SqliteStore
from pettui.service.store import Store, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.models import NewPet


def is_postgres(database: str) -> bool:
    """Tell an address of PostgreSQL from a path."""
    return database.startswith(("postgresql://", "postgres://"))


async def open_store(database: str, samples: Iterable[NewPet] = ()) -> Store:
    """Give the store in a SQLite file, or in PostgreSQL.

    Args:
        database: a path, or ``postgresql://…``.
        samples: put in if there are no animals.

    Raises:
        StoreError: it can't be opened.
    """
    if not is_postgres(database):
        return SqliteStore.open(database, samples)
    try:
        from pettui.service.postgres_store import PostgresStore  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise StoreError("PostgreSQL needs psycopg; install pettui[postgres]") from error
    return await PostgresStore.open(database, samples)
