"""The schema of a SQLite file: one step a version, and how a file says whose it is."""

from __future__ import annotations

from typing import Final

APPLICATION_ID: Final = 0x70657474  # "pett", in the file's header

# One step a version. A name is a BLOB of UTF-8, since SQLite's text may end at a NUL. A rowid
# stands at the end of every index, so that this one is in the order (status, id).
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
INSERT: Final = "INSERT INTO pets (name, category_id, status) VALUES "
