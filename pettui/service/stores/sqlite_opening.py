"""Opening a SQLite file: whose it is, whether it is whole, and its schema moved forward.

A file that can't be used is refused before anything is written to it.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from pettui.service.stores.sqlite_file import REMEDIES, refuse_unusable, store_error
from pettui.service.stores.sqlite_schema import prepare
from pettui.service.stores.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pettui.models import NewPet

WAIT: Final = 5.0  # seconds for another process that writes
CHECKED_SIZE: Final = 16 * 1024 * 1024  # bytes; a larger file is not read whole at every start


def connect(path: Path, wait: float = WAIT) -> sqlite3.Connection:
    """Return a connection to a file that is there; SQLite would make a new one for everybody.

    It begins its transactions itself and commits to the disk. With WAL, ``synchronous=NORMAL``
    survives a kill but loses commits in a power cut; FULL does not. macOS flushes the disk's own
    cache only with ``fullfsync``.

    Args:
        path: an absolute path.
        wait: seconds to wait for another process.
    """
    return _connection(f"{path.as_uri()}?mode=rw", wait)


def connect_to_memory() -> sqlite3.Connection:
    """Return a connection to a new database in memory."""
    return _connection("file::memory:", 0.0)


def _connection(uri: str, wait: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri, timeout=wait, isolation_level=None, check_same_thread=False, uri=True
    )
    with closed_on_failure(connection):
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")
    return connection


@contextmanager
def closed_on_failure(connection: sqlite3.Connection) -> Iterator[None]:
    """Close a connection that could not be made ready for use."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def open_database(
    path: Path, samples: Iterable[NewPet] = (), wait: float = WAIT, *, only_new: bool = False
) -> sqlite3.Connection:
    """Give a connection to the database in a file, which is made where there is none.

    Args:
        path: an absolute path.
        samples: put in if there are no animals, in the transaction that makes the tables.
        wait: seconds to wait for another process.
        only_new: whether a database that has its tables stays without samples.

    Raises:
        StoreError: it can't be used; the file is as it was.
    """
    try:
        refuse_unusable(path)
        _make_private(path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StoreError(f"database {path} can't be used: {reason}; name another file") from error
    try:
        connection = connect(path, wait)
        with closed_on_failure(connection):
            if path.stat().st_size <= CHECKED_SIZE:
                _refuse_damaged(connection, path)
            prepare(connection, path, samples, only_new=only_new)
            _use_write_ahead_log(connection, path, wait)
            connection.execute("SELECT 1 FROM pets LIMIT 1")  # opens the log
    except sqlite3.Error as error:
        raise store_error(path, error) from error
    return connection


def _make_private(path: Path) -> None:
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    # SQLite gives its -wal and -shm files the permissions of the database.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _refuse_damaged(connection: sqlite3.Connection, path: Path) -> None:
    finding = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if finding != "ok":
        raise StoreError(f"database {path} {REMEDIES[sqlite3.SQLITE_CORRUPT]}")


def _use_write_ahead_log(connection: sqlite3.Connection, path: Path, wait: float) -> None:
    """Switch to WAL. SQLite does not wait by itself for others to let go of the file here."""
    deadline = time.monotonic() + wait
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
            continue
        if mode != "wal":
            raise StoreError(f"database {path} needs a local disk; this one cannot share memory")
        return
