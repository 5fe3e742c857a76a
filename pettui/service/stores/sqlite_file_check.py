"""Whether the files of an open SQLite database are still in their place.

SQLite keeps its descriptors, so that it reads and writes a file that was removed or replaced as
if nothing had happened: what is written then is on no disk that anybody will read.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pettui.service.stores.store import StoreUnavailableError

if TYPE_CHECKING:
    from pathlib import Path


class DatabaseFiles:
    """The files of a database as they are when this is made, which is after its first read."""

    def __init__(self, path: Path) -> None:
        # SQLite puts its log beside the file that a symbolic link leads to.
        beside = (f"{os.path.realpath(path)}{end}" for end in ("-wal", "-shm"))
        self._database = (str(path), _identity(path, 1))
        self._beside = [(name, found) for name in beside if (found := _identity(name))]

    def check_database(self) -> None:
        """Look for the database itself, at the cost of one ``stat``: before a read.

        Raises:
            StoreUnavailableError: it is not there, or another file is, or an empty one, whose log
                SQLite would throw away at the next start.
        """
        path, identity = self._database
        if identity is None or _identity(path, 1) != identity:
            raise _gone(path)

    def check_all(self) -> None:
        """Look for the database, its log and the log's index: before and after a write.

        Raises:
            StoreUnavailableError: one of them is not there, or another file is.
        """
        self.check_database()
        for name, identity in self._beside:
            if _identity(name) != identity:
                raise _gone(name)


def _identity(path: Path | str, least: int = 0) -> tuple[int, int] | None:
    """Return which file is there; None for none, or one of fewer bytes than the least."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a path as text is what most reads have
    except OSError:
        return None
    return None if found.st_size < least else (found.st_dev, found.st_ino)


def _gone(path: str) -> StoreUnavailableError:
    reason = "was removed or replaced; put it back, or restart the service"
    return StoreUnavailableError(f"database file {path} {reason}")
