"""Opening a SQLite file: it is checked, and its schema brought up to date.

A file that can't be used is refused before anything is written to it. On a full disk a database
can still be read.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Final

from pettui.service.stores.sqlite_file import REMEDIES, has_log, refuse_unusable, store_error
from pettui.service.stores.sqlite_schema import prepare
from pettui.service.stores.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pettui.models import NewPet

WAIT: Final = 5.0  # seconds for another process to finish writing
CHECKED_SIZE: Final = 16 * 1024 * 1024  # bytes; a larger file is not read whole at every start


class NoRoomError(StoreError):
    """There is no room on the disk for the log of a database, without which nobody can write."""


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


def connect_to_write(path: Path) -> sqlite3.Connection:
    """Return a connection for writes, which fails where there is no room for the log."""
    connection = connect(path)
    with closed_on_failure(connection):
        connection.execute("SELECT 1 FROM pets LIMIT 1")  # opens the log
    return connection


def connect_without_log(path: Path) -> sqlite3.Connection:
    """Return a connection that reads a file as it is now, and writes nothing, not even a lock."""
    return _connection(f"{path.as_uri()}?mode=ro&immutable=1", 0.0)


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
        NoRoomError: there is no room for its log, but it can be read without one.
        StoreError: it can't be used; the file is as it was.
    """
    try:
        refuse_unusable(path)
        is_made = _make_private(path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StoreError(f"database {path} can't be used: {reason}; name another file") from error
    try:
        with _removed_on_failure(path) if is_made else nullcontext():
            return _prepared(path, samples, wait, only_new=only_new)
    except sqlite3.Error as error:
        if not _needs_room(error, path):
            raise store_error(path, error) from error
        is_readable = not is_made and path.stat().st_size > 0 and not has_log(path)
        reason = f"database {path} {REMEDIES[sqlite3.SQLITE_FULL]}"
        raise (NoRoomError if is_readable else StoreError)(reason) from error


def _prepared(
    path: Path, samples: Iterable[NewPet], wait: float, *, only_new: bool
) -> sqlite3.Connection:
    """Return a connection to a database with its tables."""
    connection = connect(path, wait)
    with closed_on_failure(connection):
        if path.stat().st_size <= CHECKED_SIZE:
            _refuse_damaged(connection, path)
        prepare(connection, path, samples, only_new=only_new)
        _use_write_ahead_log(connection, path, wait)
        connection.execute("SELECT 1 FROM pets LIMIT 1")  # opens the log
    return connection


def _make_private(path: Path) -> bool:
    """Make a file that only its owner can use, and say whether there was none."""
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    is_missing = not path.exists()
    # SQLite gives its -wal and -shm files the permissions of the database.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    return is_missing


@contextmanager
def _removed_on_failure(path: Path) -> Iterator[None]:
    """Remove a new file if the block fails; one that another process has filled stays."""
    try:
        yield
    except BaseException:
        with suppress(OSError):
            if path.stat().st_size == 0:
                path.unlink()
        raise


def _needs_room(error: sqlite3.Error, path: Path) -> bool:
    """Whether there was no room for a database's log and its index, in bytes or in files."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE):
        return True
    if code & 0xFF != sqlite3.SQLITE_CANTOPEN or not hasattr(os, "statvfs"):
        return False
    disk = os.statvfs(path.parent)
    return disk.f_bavail == 0 or (disk.f_files > 0 and disk.f_favail == 0)


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
