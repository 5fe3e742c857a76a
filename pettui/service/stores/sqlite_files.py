"""A store's SQLite file: whether it is the service's, its schema, and whether it is still there.

A file that can't be used is refused before anything is written to it. On a full disk a database
can still be read.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, contextmanager, nullcontext, suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

from pettui.service.stores.store import (
    STATUSES,
    Added,
    StoreError,
    StoreUnavailableError,
    new_row,
)
from pettui.system.files import has_locks, make_directory, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from pettui.models.pets import NewPet
    from pettui.service.stores.store import Add

Result = TypeVar("Result")

WAIT: Final = 5.0  # seconds for another process to finish writing
CHECKED_SIZE: Final = 16 * 1024 * 1024  # bytes; a larger file is not read whole at every start

APPLICATION_ID: Final = 0x70657474  # "pett", in the file's header

# One step a version. A name is a BLOB of UTF-8, since SQLite's text may end at a NUL. Every index
# ends with the rowid, so that this one is in the order (status, id).
MIGRATIONS: Final = (
    f"""
    CREATE TABLE pets (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name BLOB NOT NULL CHECK (typeof(name) = 'blob'),
        category_id INTEGER NOT NULL CHECK (typeof(category_id) = 'integer'),
        status TEXT CHECK (status IN {STATUSES})
    )
    """,
    "CREATE INDEX pets_by_status ON pets (status)",
    """
    CREATE TABLE pettui_idempotency_keys (
        key BLOB PRIMARY KEY CHECK (typeof(key) = 'blob'),
        digest BLOB NOT NULL CHECK (typeof(digest) = 'blob'),
        pet_id INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE TABLE pettui_store AS SELECT lower(hex(randomblob(16))) AS id",
)
INSERT: Final = "INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)"
INSERT_KEY: Final = "INSERT INTO pettui_idempotency_keys (key, digest, pet_id) VALUES (?, ?, ?)"
RECORD_SAMPLES: Final = (
    "CREATE TABLE pettui_samples AS SELECT id, name, category_id, status FROM pets"
)
"""No step of the schema: a store without samples of its own has no such table."""
SELECT_ADDED: Final = "SELECT pet_id, digest FROM pettui_idempotency_keys WHERE key = ?"

WITHOUT_LOCKS: Final = "is on a disk without file locks (NFS?); put it on a local disk"
_RESTORE: Final = "put a backup in its place"
REMEDIES: Final[Mapping[int, str]] = MappingProxyType(
    {
        sqlite3.SQLITE_BUSY: "is locked by another program; end that program, then start again",
        sqlite3.SQLITE_LOCKED: "is locked by another program; end that program, then start again",
        sqlite3.SQLITE_READONLY: "can't be written; make the file and its directory writable",
        sqlite3.SQLITE_CANTOPEN: "can't be opened; make the file and its directory writable",
        sqlite3.SQLITE_CORRUPT: f"is damaged; {_RESTORE}",
        sqlite3.SQLITE_NOTADB: "is not a SQLite database; name another file",
        sqlite3.SQLITE_FULL: "does not fit on the disk; make room, then start again",
    }
)


class NoRoomError(StoreError):
    """There is no room on the disk for the log of a database, without which nobody can write."""


def connect(path: Path, wait: float = WAIT, *, alone: bool = False) -> sqlite3.Connection:
    """Return a connection to an existing file; SQLite would create one that all users can read.

    Transactions are explicit, and a commit waits for the disk. With WAL, ``synchronous=NORMAL``
    survives a kill but loses commits in a power cut; FULL does not. macOS flushes the disk's own
    cache only with ``fullfsync``.

    Args:
        path: an absolute path.
        wait: seconds to wait for another process.
        alone: whether it can only be used while no other connection is open.
    """
    return _connection(f"{path.as_uri()}?mode=rw", wait, alone=alone)


def connect_to_write(path: Path) -> sqlite3.Connection:
    """Return a connection for writes, which fails where there is no room for the log."""
    connection = connect(path)
    with closed_on_failure(connection):
        connection.execute("SELECT 1 FROM pets LIMIT 1")  # opens the log
    return connection


def connect_without_log(path: Path) -> sqlite3.Connection:
    """Return a connection that reads a file as it is now, and writes nothing, not even a lock."""
    return _connection(f"{path.as_uri()}?mode=ro&immutable=1", 0.0)


def copy_database(path: Path, copy: Path) -> None:
    """Write what a database holds now to a new file, while others use it; raises StoreError."""
    try:
        refuse_unusable(path)
        with closing(connect(path)) as connection:
            connection.execute("VACUUM INTO ?", (str(copy),))
    except sqlite3.Error as error:
        raise store_error(path, error) from error


def check_copy(path: Path) -> int:
    """Read a copy whole, and return how many animals it has; raises StoreError if it is damaged."""
    refuse_unusable(path)
    try:
        with closing(connect_without_log(path)) as connection:
            _refuse_other_objects(connection, path)
            if connection.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
                raise StoreError(f"database {path} {REMEDIES[sqlite3.SQLITE_CORRUPT]}")
            count: int = connection.execute("SELECT count(*) FROM pets").fetchone()[0]
            return count
    except sqlite3.Error as error:
        raise store_error(path, error) from error


def connect_to_memory() -> sqlite3.Connection:
    """Return a connection to a new database in memory."""
    return _connection("file::memory:", 0.0)


def _connection(uri: str, wait: float, *, alone: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri, timeout=wait, isolation_level=None, check_same_thread=False, uri=True
    )
    with closed_on_failure(connection):
        if alone:  # before all else: a log that was opened with others stays open with others
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
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
        raise _unusable_file(path, error) from error
    try:
        with _removed_on_failure(path) if is_made else nullcontext():
            return _prepared(path, samples, wait, only_new=only_new)
    except sqlite3.Error as error:
        if not _needs_room(error, path):
            raise store_error(path, error) from error
        is_readable = not is_made and path.stat().st_size > 0 and not has_log(path)
        reason = f"database {path} {REMEDIES[sqlite3.SQLITE_FULL]}"
        raise (NoRoomError if is_readable else StoreError)(reason) from error


def check_database(path: Path) -> None:
    """Check that a database can be opened; it is neither made nor changed.

    Raises:
        StoreError: it can't be used.
    """
    path = path.absolute()
    try:
        refuse_unusable(path)
        if not path.exists() and not _can_be_made(path):
            raise StoreError(f"database {path} {REMEDIES[sqlite3.SQLITE_CANTOPEN]}")
        if path.exists() and path.stat().st_size:
            with closing(connect(path)) as connection:
                _refuse_other_objects(connection, path)
                connection.execute("SELECT 1 FROM pets LIMIT 1")
                if path.stat().st_size <= CHECKED_SIZE:
                    _refuse_damaged(connection, path)
    except OSError as error:
        raise _unusable_file(path, error) from error
    except sqlite3.Error as error:
        raise store_error(path, error) from error


def _unusable_file(path: Path, error: OSError) -> StoreError:
    return StoreError(f"database {path} can't be used: {reason_of(error)}; name another file")


def _can_be_made(path: Path) -> bool:
    existing = next(parent for parent in path.parents if parent.exists())
    return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)


def _prepared(
    path: Path, samples: Iterable[NewPet], wait: float, *, only_new: bool
) -> sqlite3.Connection:
    """Return a connection to a database with its tables."""
    connection = connect(path, wait)
    with closed_on_failure(connection):
        _refuse_other_objects(connection, path)
        if path.stat().st_size <= CHECKED_SIZE:
            _refuse_damaged(connection, path)
        version = _version(connection)
    if 0 < version < len(MIGRATIONS):
        connection.close()
        _bring_up_to_date(path, version, wait)
        connection = connect(path, wait)
    with closed_on_failure(connection):
        prepare(connection, path, samples, only_new=only_new)
        _use_write_ahead_log(connection, path, wait)
        connection.execute("SELECT 1 FROM pets LIMIT 1")  # opens the log
    return connection


def _make_private(path: Path) -> bool:
    """Make a file that only its owner can use, and say whether there was none."""
    make_directory(path.parent)
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
    if code & 0xFF != sqlite3.SQLITE_CANTOPEN:
        return False
    disk = os.statvfs(path.parent)
    return disk.f_bavail == 0 or (disk.f_files > 0 and disk.f_favail == 0)


def _refuse_damaged(connection: sqlite3.Connection, path: Path) -> None:
    finding = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if finding != "ok":
        raise StoreError(f"database {path} {REMEDIES[sqlite3.SQLITE_CORRUPT]}")


def _refuse_other_objects(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file in which something else than a table or an index is called like one of ours.

    It would run in place of what it is called like, or with it.
    """
    found = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index')"
        " AND (lower(name) IN ('pets', 'pets_by_status') OR lower(name) GLOB 'pettui_*')"
    ).fetchone()
    if found is not None:
        kind, name = found
        raise StoreError(
            f"database {path} has a {kind} that is called like a table of pettui's, {name!a};"
            " name another file"
        )


def _use_write_ahead_log(connection: sqlite3.Connection, path: Path, wait: float) -> None:
    """Switch to WAL. Here SQLite does not wait by itself for a lock of another process."""
    switch = "PRAGMA journal_mode = WAL"
    mode = _tried_again(wait, lambda: connection.execute(switch).fetchone()[0])
    if mode != "wal":
        raise StoreError(f"database {path} needs a local disk; this one cannot share memory")


def _tried_again(wait: float, attempt: Callable[[], Result]) -> Result:
    """Return what an attempt does, once nobody else has a lock; the last one raises."""
    deadline = time.monotonic() + wait
    while True:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            is_locked = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not is_locked or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


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
        only_new: whether a database that already has its tables gets no samples; that they went
            in is recorded with them (see ``own_samples``).

    Raises:
        StoreError: the schema is newer than this version of pettui.
    """
    with transaction(connection):
        is_new = _migrate(connection, name) == 0
        is_empty = connection.execute("SELECT 1 FROM pets LIMIT 1").fetchone() is None
        if is_empty and (is_new or not only_new):
            connection.executemany(INSERT, map(new_row, samples))
            if only_new:
                connection.execute(RECORD_SAMPLES)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do what is in the block in one transaction that writes, or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # a full disk may have ended it
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def store_id_of(connection: sqlite3.Connection) -> str | None:
    """Return a database's id; None for an older schema, which there was no room to change."""
    if _version(connection) < len(MIGRATIONS):
        return None
    store_id: str = connection.execute("SELECT id FROM pettui_store").fetchone()[0]
    return store_id


def _migrate(connection: sqlite3.Connection, name: Path | str) -> int:
    """Make the tables of a new file, and return the version that the schema had; 0 for none."""
    version = _version(connection)
    refuse_newer_schema(name, version)
    if 0 < version < len(MIGRATIONS):  # an older pettui made them right now
        raise _open_elsewhere(name, version)
    _run_migrations(connection, version)
    return version


def _bring_up_to_date(path: Path, version: int, wait: float) -> None:
    """Bring the schema of an older pettui up to date, while nobody else has the file open.

    An older one that has it open looks at the schema no more. It would go on to add animals without
    their keys, so that one may be there twice.
    """

    def migrate() -> None:
        with closing(connect(path, 0.0, alone=True)) as connection, transaction(connection):
            _run_migrations(connection, _version(connection))

    try:
        _tried_again(wait, migrate)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        raise _open_elsewhere(path, version) from None


def _run_migrations(connection: sqlite3.Connection, version: int) -> None:
    for migration in MIGRATIONS[version:]:
        connection.execute(migration)
    if version < len(MIGRATIONS):
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _open_elsewhere(name: Path | str, version: int) -> StoreError:
    return StoreError(
        f"database {name} has the older schema {version}, and is open elsewhere: end whatever has"
        " it open, such as an older pettui, then start again"
    )


def refuse_newer_schema(name: Path | str, version: int) -> None:
    """Raise StoreError for a schema that this version of pettui does not know."""
    if version > len(MIGRATIONS):
        raise StoreError(
            f"database {name} has schema {version}, this pettui knows {len(MIGRATIONS)};"
            " update pettui"
        )


def refuse_unusable(path: Path) -> None:
    """Refuse a file that is not the service's or can't be used, before anything is written to it.

    The transaction that makes the tables also writes the application id, so that a file without
    it was never the service's.

    Raises:
        StoreError: it is another program's, damaged, read-only, or of a newer schema.
        OSError: it can't be read.
    """
    if not path.exists():
        return
    if not path.is_file():
        raise StoreError(f"database {path} is not a file; name another one")
    _refuse_read_only(path)
    is_logged = has_log(path)
    size = path.stat().st_size
    if size == 0:
        if is_logged:  # SQLite would delete the log, and start with an empty database
            raise StoreError(f"database {path} is damaged, it was emptied; {_RESTORE}")
        return
    try:
        application_id, version, page_size = _header(path, has_log=is_logged)
    except sqlite3.Error as error:
        raise store_error(path, error) from error
    if application_id != APPLICATION_ID:
        raise StoreError(f"database {path} is another program's; name another file")
    refuse_newer_schema(path, version)
    if size % page_size and not is_logged:
        raise StoreError(f"database {path} {REMEDIES[sqlite3.SQLITE_CORRUPT]}")


def has_log(path: Path) -> bool:
    """Whether the newest animals of a database may be in its log."""
    log = path.with_name(path.name + "-wal")
    return log.exists() and log.stat().st_size > 0


def _header(path: Path, *, has_log: bool) -> list[int]:
    """Return application id, schema version and page size; a log is neither read nor changed."""
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        # After a checkpoint that was interrupted the end of the file may be in the log alone: with
        # this setting SQLite does not call such a file damaged.
        connection.execute(f"PRAGMA writable_schema = {has_log:d}")
        pragmas = ("application_id", "user_version", "page_size")
        return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas]


def _refuse_read_only(path: Path) -> None:
    # root may write anything, but a file without write permissions is meant to stay as it is.
    writable = os.access(path, os.W_OK) and path.stat().st_mode & 0o222
    if not writable or not os.access(path.parent, os.W_OK | os.X_OK):
        raise StoreError(f"database {path} {REMEDIES[sqlite3.SQLITE_READONLY]}")


def store_error(path: Path, error: sqlite3.Error) -> StoreError:
    """Return SQLite's error as one line that says what to do."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR):
        # SQLite says that of ENOLCK, too. Its own file is not tried: to close that loses its locks.
        with suppress(OSError):
            if not has_locks(path.parent):
                return StoreError(f"database {path} {WITHOUT_LOCKS}")
    remedy = REMEDIES.get(code, f"can't be used: {error}")
    return StoreError(f"database {path} {remedy}")


class DatabaseFiles:
    """The identities of a database's files: of its log only once that is open."""

    def __init__(self, path: Path) -> None:
        self._database = (str(path), _identity(path, 1))
        self._others: list[tuple[str, tuple[int, int]]] = []

    def add_log(self) -> None:
        """Check the log and its index too, after the first read."""
        # SQLite puts its log beside the target of a symbolic link.
        real = os.path.realpath(self._database[0])
        others = (f"{real}{end}" for end in ("-wal", "-shm"))
        self._others = [(name, found) for name in others if (found := _identity(name))]

    def check_database(self) -> None:
        """Check the database file itself, before a read; this costs one ``stat``.

        Raises:
            StoreUnavailableError: it is missing, replaced, or empty, so that SQLite would delete
                its log at the next start.
        """
        path, identity = self._database
        if identity is None or _identity(path, 1) != identity:
            raise _missing(path)

    def check_all(self) -> None:
        """Check the database, its log and the log's index, before and after a write.

        Raises:
            StoreUnavailableError: one of them is missing or replaced.
        """
        self.check_database()
        for name, identity in self._others:
            if _identity(name) != identity:
                raise _missing(name)


def _identity(path: Path | str, minimum: int = 0) -> tuple[int, int] | None:
    """Return a file's device and inode; None if it is missing or smaller than ``minimum``."""
    try:
        found = os.stat(path)  # noqa: PTH116 - faster than a Path, and every read checks
    except OSError:
        return None
    return None if found.st_size < minimum else (found.st_dev, found.st_ino)


def _missing(path: str) -> StoreUnavailableError:
    reason = "was removed or replaced; put it back, or restart the service"
    return StoreUnavailableError(f"database file {path} {reason}")


def insert(connection: sqlite3.Connection, add: Add) -> int | Added:
    """Store an animal and its key, and return its id; or return what was stored with the key.

    Nothing comes between the two statements: whoever writes has the database alone.
    """
    if add.key is not None and (added := added_with(connection, add.key)) is not None:
        return added
    pet_id = connection.execute(INSERT, add.row).lastrowid
    assert pet_id is not None  # noqa: S101 - an INSERT has one
    if add.key is not None:
        connection.execute(INSERT_KEY, (add.key, add.digest, pet_id))
    return pet_id


def added_with(connection: sqlite3.Connection, key: bytes) -> Added | None:
    """Return what was stored with an idempotency key, or None if nothing was."""
    found = connection.execute(SELECT_ADDED, (key,)).fetchone()
    return None if found is None else Added(*found)
