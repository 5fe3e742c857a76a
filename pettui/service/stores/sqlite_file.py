"""A SQLite file before it is opened: whether it is the service's, and what is wrong with it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.service.stores.sqlite_schema import APPLICATION_ID, refuse_newer_schema
from pettui.service.stores.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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
    remedy = REMEDIES.get(code, f"can't be used: {error}")
    return StoreError(f"database {path} {remedy}")
