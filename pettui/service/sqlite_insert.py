"""INSERT: new animals into the table, in one statement."""

from __future__ import annotations

import sqlite3
from itertools import chain
from typing import TYPE_CHECKING

from pettui.service.sqlite_schema import INSERT
from pettui.service.store import Row, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence


def insert(connection: sqlite3.Connection, rows: Sequence[Row]) -> range:
    """Keep animals in one commit, and give their ids.

    It is one statement: the ids of one are consecutive, and between two statements this thread
    would have to win the interpreter back from a busy event loop.

    Raises:
        StoreUnavailableError: nothing was kept.
    """
    values = ", ".join(["(?, ?, ?)"] * len(rows))
    columns = list(chain.from_iterable(rows))
    try:
        last = connection.execute(INSERT + values, columns).lastrowid
    except sqlite3.Error as error:
        raise StoreUnavailableError(str(error)) from error
    assert last is not None  # noqa: S101 - an INSERT has one
    return range(last - len(rows) + 1, last + 1)
