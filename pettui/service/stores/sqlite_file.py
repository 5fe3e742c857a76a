"""A SQLite file before it is opened: whose it is, and what is wrong with it, in one line."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.service.stores.sqlite_schema import APPLICATION_ID, MIGRATIONS
from pettui.service.stores.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

REMEDIES: Final[Mapping[int, str]] = MappingProxyType(
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
    log = path.with_name(path.name + "-wal")
    has_log = log.exists() and log.stat().st_size > 0
    size = path.stat().st_size
    if not size and has_log:  # SQLite would throw the log away, and begin anew
        raise StoreError(f"database {path} is damaged, it was emptied; put a backup in its place")
    if not size:
        return
    with path.open("rb") as file:
        header = _Header(file.read(100))
    if not header.is_sqlite:
        raise StoreError(f"database {path} {REMEDIES[sqlite3.SQLITE_NOTADB]}")
    if header.application_id != APPLICATION_ID:
        raise StoreError(f"database {path} is another program's; name another file")
    if header.version > len(MIGRATIONS):
        raise newer_schema(path, header.version)
    if size < header.size and not has_log:
        raise StoreError(f"database {path} is damaged, its end is missing; put a backup in place")


def _refuse_read_only(path: Path) -> None:
    # The superuser may write anything; a file without any write permission says it is not meant.
    writable = os.access(path, os.W_OK) and path.stat().st_mode & 0o222
    if not writable or not os.access(path.parent, os.W_OK | os.X_OK):
        raise StoreError(f"database {path} {REMEDIES[sqlite3.SQLITE_READONLY]}")


def newer_schema(name: Path | str, version: int) -> StoreError:
    """Give the refusal of a schema that this version does not know."""
    return StoreError(
        f"database {name} has schema {version}, this pettui knows {len(MIGRATIONS)}; update pettui"
    )


def store_error(path: Path, error: sqlite3.Error) -> StoreError:
    """Give what SQLite found as one line that says what to do."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    remedy = REMEDIES.get(code, f"can't be used: {error}")
    return StoreError(f"database {path} {remedy}")
