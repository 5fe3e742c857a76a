"""INSERT: new animals into the table, in one statement."""

from __future__ import annotations

import sqlite3
from itertools import chain
from typing import TYPE_CHECKING, Final

from pettui.service.stores.store import NotStoredError, Row, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence

INSERT: Final = "INSERT INTO pets (name, category_id, status) VALUES "


def insert(connection: sqlite3.Connection, rows: Sequence[Row]) -> range:
    """Store animals in one commit, and return their ids.

    One statement gives consecutive ids, and the thread needs the interpreter only once, which a
    busy event loop may hold.

    Raises:
        NotStoredError: nothing was stored.
        StoreUnavailableError: the disk failed; the animals may be in the log that is recovered
            when the file is next opened.
    """
    values = ", ".join(["(?, ?, ?)"] * len(rows))
    columns = list(chain.from_iterable(rows))
    try:
        last = connection.execute(INSERT + values, columns).lastrowid
    except sqlite3.Error as error:
        raise (NotStoredError if _is_surely_unwritten(error) else StoreUnavailableError)(
            str(error)
        ) from error
    assert last is not None  # noqa: S101 - an INSERT has one
    return range(last - len(rows) + 1, last + 1)


def _is_surely_unwritten(error: sqlite3.Error) -> bool:
    """Whether nothing can have reached the file: it is full, locked or read-only."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the extended part
    return isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_IOERR
