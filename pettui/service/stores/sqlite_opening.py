"""Opening a SQLite file: it is checked, and its schema brought up to date.

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

WAIT: Final = 5.0  # seconds for another process to finish writing
CHECKED_SIZE: Final = 16 * 1024 * 1024  # bytes; a larger file is not read whole at every start


def connect(path: Path, wait: float = WAIT) -> sqlite3.Connection:
    """Return a connection to an existing file; SQLite would create one that all users can read.

    Transactions are explicit, and a commit waits for the disk. With WAL, ``synchronous=NORMAL``
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
    """Close a connection if the block fails."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def open_database(
    path: Path, samples: Iterable[NewPet] = (), wait: float = WAIT, *, only_new: bool = False
) -> sqlite3.Connection:
    """Return a connection to the database in a file, which is created if missing.

    Args:
        path: an absolute path.
        samples: stored if there are no animals, in the transaction that creates the tables.
        wait: seconds to wait for another process.
        only_new: whether a database that already has its tables gets no samples.

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
    """Switch to WAL. Here SQLite does not wait by itself for a lock of another process."""
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
