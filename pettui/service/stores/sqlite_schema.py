"""The schema of a SQLite file, and how it is brought up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.service.stores.sqlite_insert import INSERT
from pettui.service.stores.store import StoreError, row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from pathlib import Path

    from pettui.models import NewPet

APPLICATION_ID: Final = 0x70657474  # "pett", in the file's header

# One step a version. A name is a BLOB of UTF-8, since SQLite's text may end at a NUL. Every index
# ends with the rowid, so that this one is in the order (status, id).
MIGRATIONS: Final = (
    """
    CREATE TABLE pets (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name BLOB NOT NULL CHECK (typeof(name) = 'blob'),
        category_id INTEGER NOT NULL CHECK (typeof(category_id) = 'integer'),
        status TEXT CHECK (status IN ('available', 'pending', 'sold'))
    )
    """,
    "CREATE INDEX pets_by_status ON pets (status)",
)


def prepare(
    connection: sqlite3.Connection,
    name: Path | str,
    samples: Iterable[NewPet],
    *,
    only_new: bool = False,
) -> None:
    """Bring the schema up to date and fill an empty database with samples, in one transaction.

    Args:
        connection: to the database.
        name: of the database, for errors.
        samples: stored if there are no animals.
        only_new: whether a database that already has its tables gets no samples.

    Raises:
        StoreError: the schema is newer than this version of pettui.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        is_new = _migrate(connection, name) == 0
        is_empty = connection.execute("SELECT 1 FROM pets LIMIT 1").fetchone() is None
        if is_empty and (is_new or not only_new):
            connection.executemany(f"{INSERT} (?, ?, ?)", map(row, samples))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _migrate(connection: sqlite3.Connection, name: Path | str) -> int:
    """Bring the schema up to date, and return the version that it had; 0 for a new file."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    refuse_newer_schema(name, version)
    for migration in MIGRATIONS[version:]:
        connection.execute(migration)
    if version < len(MIGRATIONS):
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    return version


def refuse_newer_schema(name: Path | str, version: int) -> None:
    """Raise StoreError for a schema that this version of pettui does not know."""
    if version > len(MIGRATIONS):
        raise StoreError(
            f"database {name} has schema {version}, this pettui knows {len(MIGRATIONS)};"
            " update pettui"
        )
