"""The samples that a store of one's own began with: counted and taken out while it has no more.

Nothing can be deleted from a store, and samples among a shop's animals stay for ever. So what went
in is recorded with it, row by row: whether a store still is as it began is looked up, and never
guessed from names or numbers. A store without a record, of an older pettui or of ``pettui serve
--samples``, is not known to have any.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Final

from pettui.service.stores.sqlite_files import connect, refuse_unusable, store_error, transaction
from pettui.service.stores.store import StoreError
from pettui.system.files import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_IS_RECORDED: Final = "SELECT 1 FROM sqlite_master WHERE name = 'pettui_samples'"
# Ids are never reused: if the newest is a sample's, nothing else was ever added.
_IS_NEWEST: Final = (
    "SELECT (SELECT max(id) FROM pettui_samples)"
    " = (SELECT seq FROM sqlite_sequence WHERE name = 'pets')"
)
_ROWS: Final = "SELECT id, name, category_id, status FROM"
_CHANGED: Final = (
    f"SELECT 1 FROM ({_ROWS} pets EXCEPT {_ROWS} pettui_samples)"  # noqa: S608 - all ours
    f" UNION ALL SELECT 1 FROM ({_ROWS} pettui_samples EXCEPT {_ROWS} pets) LIMIT 1"
)


def count_samples(path: Path) -> int:
    """Return how many samples a store has while it has nothing else; 0 otherwise.

    Raises:
        StoreError: the file can't be read.
    """
    return _with_connection(path, _untouched) if path.exists() else 0


def remove_samples(path: Path) -> int:
    """Take the samples out, unless the store has something else by now; return how many went.

    Raises:
        StoreError: the file can't be written; it is as it was.
    """
    return _with_connection(path, _removed) if path.exists() else 0


def _with_connection(path: Path, count: Callable[[sqlite3.Connection], int]) -> int:
    try:
        refuse_unusable(path)
        with closing(connect(path)) as connection:
            return count(connection)
    except OSError as error:
        raise StoreError(f"database {path} can't be read: {reason_of(error)}") from error
    except sqlite3.Error as error:
        raise store_error(path, error) from error


def _untouched(connection: sqlite3.Connection) -> int:
    if connection.execute(_IS_RECORDED).fetchone() is None:
        return 0
    if not connection.execute(_IS_NEWEST).fetchone()[0]:
        return 0
    if connection.execute(_CHANGED).fetchone() is not None:
        return 0
    count: int = connection.execute("SELECT count(*) FROM pettui_samples").fetchone()[0]
    return count


def _removed(connection: sqlite3.Connection) -> int:
    with transaction(connection):  # whoever writes has the database alone
        if count := _untouched(connection):
            connection.execute("DELETE FROM pets")
            connection.execute("DROP TABLE pettui_samples")
    return count
