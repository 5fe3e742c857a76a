"""LastListsFile: the last lists of one base address, from one start to the next."""

from __future__ import annotations

import copy
import hashlib
import os
import re
import stat
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.private_directories import make_directory
from pettui.service_addresses import same_address
from pettui.transfer.errors import told_as
from pettui.transfer.last_lists import (
    CONTENT_MAXIMUM,
    LastLists,
    NotUnderstoodError,
    decoded,
    encoded,
)
from pettui.transfer.whole_files import TEMPORARY_FILES, write_whole

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from pettui.api_key import ApiKey

_FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_NAME: Final = re.compile(r"[0-9a-f]{32}\.json")
_ABANDONED: Final = 60.0  # seconds after which nobody writes a temporary file any more


class LastListsFile:
    """Keeps what was shown of one base address in a file of mode 0600.

    Every call does I/O, and belongs in a thread, one after the other; of two apps that keep the
    same address's lists the last counts.
    """

    def __init__(self, directory: Path, address: str, api_key: ApiKey) -> None:
        """Take a place; nothing is read or made yet.

        Args:
            directory: of the last lists of all addresses; made, 0700, when there is one to keep.
            address: the service's base address, in any of its spellings.
            api_key: what must never stand in the file, whatever the service said.
        """
        self._address = same_address(address)
        self._api_key = api_key
        digest = hashlib.sha256(self._address.encode("utf-8", "surrogatepass")).hexdigest()
        self._path = directory / f"{digest[:32]}.json"

    def with_key(self, api_key: ApiKey) -> Self:
        """Return the same file, in which another key must never stand."""
        other = copy.copy(self)
        other._api_key = api_key  # noqa: SLF001 - one of its own
        return other

    @property
    def path(self) -> Path:
        """Where the file is, if it is."""
        return self._path

    def read(self) -> LastLists:
        """Return what is kept; nothing where it cannot be read or is not wholly understood."""
        with suppress(OSError, NotUnderstoodError):
            return decoded(self._content(), self._address)
        return LastLists()

    def keep(self, last: LastLists) -> None:
        """Keep this in place of whatever is there.

        Raises:
            TransferError: it cannot be written; what was there is there still.
        """
        content = encoded(last, self._address)
        if self._api_key.is_long_enough:
            content = self._api_key.mask_bytes(content)
        with told_as("keep", self._path):
            make_directory(self._path.parent)
            self._clear_away_what_is_no_file()
            write_whole(self._path, [content], overwrite=True, mode=0o600)
            _remove_abandoned(self._path.parent)

    def forget(self) -> None:
        """Remove the file, and what an app that was killed left of one.

        Raises:
            TransferError: it cannot be removed.
        """
        with told_as("remove", self._path), suppress(FileNotFoundError):
            _remove_abandoned(self._path.parent)
            self._path.unlink()

    def _content(self) -> bytes:
        """Read a file that nobody else could have written, and never a pipe or a link."""
        descriptor = os.open(self._path, _FLAGS)
        try:
            status = os.fstat(descriptor)
            is_file = stat.S_ISREG(status.st_mode)
            if not is_file or status.st_uid != os.geteuid() or status.st_mode & 0o022:
                raise NotUnderstoodError("it is not a file of your own")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(CONTENT_MAXIMUM + 1)
        finally:
            os.close(descriptor)

    def _clear_away_what_is_no_file(self) -> None:
        """Remove a link, a pipe or an empty directory; the rename replaces files alone."""
        with suppress(FileNotFoundError):
            mode = self._path.lstat().st_mode
            if stat.S_ISDIR(mode):
                self._path.rmdir()
            elif not stat.S_ISREG(mode):
                self._path.unlink()


def forget_all(directory: Path) -> None:
    """Remove the last lists of every address, and their directory where nothing else is in it.

    Raises:
        TransferError: one cannot be removed.
    """
    with told_as("remove", directory), suppress(FileNotFoundError):
        for path in directory.iterdir():
            if _NAME.fullmatch(path.name):
                path.unlink(missing_ok=True)
        _remove_abandoned(directory)
        with suppress(OSError):  # another window keeps a list, or something else is there
            directory.rmdir()


def _remove_abandoned(directory: Path) -> None:
    for path in directory.glob(TEMPORARY_FILES):
        with suppress(OSError):
            if path.lstat().st_mtime < time.time() - _ABANDONED:
                path.unlink()
