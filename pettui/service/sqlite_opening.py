"""Opening a SQLite file: whose it is, whether it is whole, and its schema moved forward.

A file that can't be used is refused before anything is written to it.
"""

from __future__ import annotations

import os
import sqlite3
import time
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.service.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pettui.models import NewPet

APPLICATION_ID: Final = 0x70657474  # "pett", in the file's header
WAIT: Final = 5.0  # seconds for another process that writes
CHECKED_SIZE: Final = 16 * 1024 * 1024  # bytes; a larger file is not read whole at every start

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
Row = tuple[bytes, int, str | None]
INSERT: Final = "INSERT INTO pets (name, category_id, status) VALUES "

_REMEDIES: Final[Mapping[int, str]] = MappingProxyType(
    {
        sqlite3.SQLITE_BUSY: "is locked by another program; end that program, then start again",
        sqlite3.SQLITE_LOCKED: "is locked by another program; end that program, then start again",
        sqlite3.SQLITE_READONLY: "can't be written; make the file and its directory writable",
        sqlite3.SQLITE_CANTOPEN: "can't be opened; make the file and its directory writable",
        sqlite3.SQLITE_CORRUPT: "is damaged; put a backup in its place",
        sqlite3.SQLITE_NOTADB: "is no SQLite database; name another file",
        sqlite3.SQLITE_FULL: "does not fit on the disk; make room, then start again",
    }
)


def row(new_pet: NewPet) -> Row:
    """Give the columns of an animal, without its id."""
    status = None if new_pet.status is None else new_pet.status.value
    return new_pet.name.encode(), new_pet.category_id, status


def connect(database: Path | str, wait: float = WAIT) -> sqlite3.Connection:
    """Give a connection that begins its transactions itself and commits to the disk.

    With WAL, ``synchronous=NORMAL`` survives a kill but loses commits in a power cut; FULL
    does not. macOS flushes the disk's own cache only with ``fullfsync``.
    """
    connection = sqlite3.connect(
        database, timeout=wait, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")
    return connection


def open_database(
    path: Path, samples: Iterable[NewPet] = (), wait: float = WAIT
) -> sqlite3.Connection:
    """Give a connection to the database in a file, which is made where there is none.

    Args:
        path: an absolute path.
        samples: put in if there are no animals, in the transaction that makes the tables.
        wait: seconds to wait for another process.

    Raises:
        StoreError: it can't be used; the file is as it was.
    """
    try:
        refuse_unusable(path)
        _make_private(path)
        connection = connect(path, wait)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StoreError(f"database {path} can't be used: {reason}; name another file") from error
    try:
        if path.stat().st_size <= CHECKED_SIZE:
            _refuse_damaged(connection, path)
        prepare(connection, path, samples)
        _use_write_ahead_log(connection, path, wait)
    except sqlite3.Error as error:
        connection.close()
        raise _store_error(path, error) from error
    except StoreError:
        connection.close()
        raise
    return connection


def prepare(connection: sqlite3.Connection, name: Path | str, samples: Iterable[NewPet]) -> None:
    """Bring the schema to this version and put samples into an empty database, at once or not."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        _migrate(connection, name)
        if connection.execute("SELECT 1 FROM pets LIMIT 1").fetchone() is None:
            connection.executemany(f"{INSERT} (?, ?, ?)", map(row, samples))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _migrate(connection: sqlite3.Connection, name: Path | str) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise _newer(name, version)
    for migration in MIGRATIONS[version:]:
        connection.execute(migration)
    if version < len(MIGRATIONS):
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


@dataclass(frozen=True, slots=True)
class _Header:
    """The first 100 bytes of a SQLite file (sqlite.org/fileformat2.html, section 1.3)."""

    data: bytes

    @property
    def is_sqlite(self) -> bool:
        return len(self.data) == 100 and self.data.startswith(b"SQLite format 3\0")

    @property
    def size(self) -> int:
        """Bytes that the file has, where the header says so; else 0."""
        if self.data[24:28] != self.data[92:96]:
            return 0
        page = int.from_bytes(self.data[16:18])
        return (65536 if page == 1 else page) * int.from_bytes(self.data[28:32])

    @property
    def version(self) -> int:
        return int.from_bytes(self.data[60:64], signed=True)

    @property
    def application_id(self) -> int:
        return int.from_bytes(self.data[68:72])


def refuse_unusable(path: Path) -> None:
    """Look at a file without SQLite, which might write to it.

    The transaction that makes our tables writes the application id as well, so that a file
    without it was never ours.

    Raises:
        StoreError: it is another program's, damaged, read-only, or of a newer schema.
        OSError: it can't be read.
    """
    if not path.exists():
        return
    if not path.is_file():
        raise StoreError(f"database {path} is no file; name another one")
    _refuse_read_only(path)
    size = path.stat().st_size
    if not size:
        return
    with path.open("rb") as file:
        header = _Header(file.read(100))
    if not header.is_sqlite:
        raise StoreError(f"database {path} {_REMEDIES[sqlite3.SQLITE_NOTADB]}")
    if header.application_id != APPLICATION_ID:
        raise StoreError(f"database {path} is another program's; name another file")
    if header.version > len(MIGRATIONS):
        raise _newer(path, header.version)
    log = path.with_name(path.name + "-wal")
    if size < header.size and not (log.exists() and log.stat().st_size):
        raise StoreError(f"database {path} is damaged, its end is missing; put a backup in place")


def _refuse_read_only(path: Path) -> None:
    # The superuser may write anything; a file without any write permission says it is not meant.
    writable = os.access(path, os.W_OK) and path.stat().st_mode & 0o222
    if not writable or not os.access(path.parent, os.W_OK | os.X_OK):
        raise StoreError(f"database {path} {_REMEDIES[sqlite3.SQLITE_READONLY]}")


def _make_private(path: Path) -> None:
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    # SQLite gives its -wal and -shm files the permissions of the database.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _refuse_damaged(connection: sqlite3.Connection, path: Path) -> None:
    finding = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if finding != "ok":
        raise StoreError(f"database {path} {_REMEDIES[sqlite3.SQLITE_CORRUPT]}")


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
            raise StoreError(f"database {path} needs a local disk; this one can't share memory")
        return


def _newer(name: Path | str, version: int) -> StoreError:
    return StoreError(
        f"database {name} has schema {version}, this pettui knows {len(MIGRATIONS)}; update pettui"
    )


def _store_error(path: Path, error: sqlite3.Error) -> StoreError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return StoreError(f"database {path} {_REMEDIES.get(code, f'can not be used: {error}')}")
