"""LastListsFile: the last lists of one base address, on disk."""

from __future__ import annotations

import copy
import hashlib
import re
import stat
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.files import TEMPORARY_FILES, make_directory, read_regular_file
from pettui.service_addresses import same_address
from pettui.transfer.errors import transfer_errors
from pettui.transfer.last_lists import (
    CONTENT_MAXIMUM,
    LastLists,
    NotUnderstoodError,
    decoded,
    encoded,
)
from pettui.transfer.whole_files import write_whole

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from pettui.api_key import ApiKey

_NAME: Final = re.compile(r"[0-9a-f]{32}\.json")
_ABANDONED: Final = 60.0  # seconds; an older temporary file was left by a killed process


class LastListsFile:
    """Stores the last lists of one base address in a file of mode 0600.

    Every call blocks, and belongs in a thread, one at a time. Of two apps that store lists of the
    same address the last one wins.
    """

    def __init__(self, directory: Path, address: str, api_key: ApiKey) -> None:
        """Locate the file; nothing is read or created yet.

        Args:
            directory: of the last lists of all addresses; created, 0700, with the first file.
            address: the service's base address, in any spelling.
            api_key: masked in the file, whatever the service sent.
        """
        self._address = same_address(address)
        self._api_key = api_key
        digest = hashlib.sha256(self._address.encode("utf-8", "surrogatepass")).hexdigest()
        self._path = directory / f"{digest[:32]}.json"

    def with_key(self, api_key: ApiKey) -> Self:
        """Return the same file, with another key to mask."""
        other = copy.copy(self)
        other._api_key = api_key  # noqa: SLF001 - of the same class
        return other

    @property
    def path(self) -> Path:
        """The path of the file, which may not exist."""
        return self._path

    def read(self) -> LastLists:
        """Return the stored lists; empty if the file cannot be read or understood."""
        # A key that was masked in it may have been a part of a number or of a field's name.
        with suppress(OSError, ValueError, KeyError):
            return decoded(self._content(), self._address)
        return LastLists()

    def keep(self, last: LastLists) -> None:
        """Store the lists, replacing the file.

        Raises:
            TransferError: it cannot be written; the previous file is unchanged.
        """
        is_masked = self._api_key.is_long_enough
        content = encoded(last, self._address, self._api_key.mask_bytes if is_masked else bytes)
        with transfer_errors("keep", self._path):
            make_directory(self._path.parent)
            self._remove_other_kinds()
            write_whole(self._path, [content], overwrite=True, mode=0o600)
            _remove_abandoned(self._path.parent)

    def forget(self) -> None:
        """Remove the file, and temporary files of killed apps.

        Raises:
            TransferError: it cannot be removed.
        """
        with transfer_errors("remove", self._path), suppress(FileNotFoundError):
            _remove_abandoned(self._path.parent)
            self._path.unlink()

    def _content(self) -> bytes:
        """Read the file, if it is a regular file that only the user can write."""
        file = read_regular_file(self._path, 2 * CONTENT_MAXIMUM, follow_links=False)
        if not file.is_own:
            raise NotUnderstoodError("it is not a file of your own")
        return file.content

    def _remove_other_kinds(self) -> None:
        """Remove a link, a pipe or an empty directory at the path; a rename replaces only files."""
        with suppress(FileNotFoundError):
            mode = self._path.lstat().st_mode
            if stat.S_ISDIR(mode):
                self._path.rmdir()
            elif not stat.S_ISREG(mode):
                self._path.unlink()


def forget_all(directory: Path) -> None:
    """Remove the last lists of all addresses, and their directory if it is empty then.

    Raises:
        TransferError: one cannot be removed.
    """
    with transfer_errors("remove", directory), suppress(FileNotFoundError):
        for path in directory.iterdir():
            if _NAME.fullmatch(path.name):
                path.unlink(missing_ok=True)
        _remove_abandoned(directory)
        with suppress(OSError):  # another window stores a list, or there are other files
            directory.rmdir()


def _remove_abandoned(directory: Path) -> None:
    for path in directory.glob(TEMPORARY_FILES):
        with suppress(OSError):
            if path.lstat().st_mtime < time.time() - _ABANDONED:
                path.unlink()
