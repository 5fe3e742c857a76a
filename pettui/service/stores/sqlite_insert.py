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
    """Keep animals in one commit, and give their ids.

    It is one statement: the ids of one are consecutive, and between two statements this thread
    would have to win the interpreter back from a busy event loop.

    Raises:
        NotStoredError: nothing was kept.
        StoreUnavailableError: the disk failed, so that the next one who opens the file may find
            them in its log.
    """
    values = ", ".join(["(?, ?, ?)"] * len(rows))
    columns = list(chain.from_iterable(rows))
    try:
        last = connection.execute(INSERT + values, columns).lastrowid
    except sqlite3.Error as error:
        raise (NotStoredError if _is_sure(error) else StoreUnavailableError)(str(error)) from error
    assert last is not None  # noqa: S101 - an INSERT has one
    return range(last - len(rows) + 1, last + 1)


def _is_sure(error: sqlite3.Error) -> bool:
    """Whether nothing can have reached the file: it is full, locked or read-only."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without what is more exact
    return isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_IOERR
