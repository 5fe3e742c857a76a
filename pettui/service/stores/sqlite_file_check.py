"""Whether the files of an open SQLite database are still in place.

SQLite keeps its descriptors, and goes on reading and writing a file that was removed or replaced
as if nothing had happened: what is written then is lost.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pettui.service.stores.store import StoreUnavailableError

if TYPE_CHECKING:
    from pathlib import Path


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
