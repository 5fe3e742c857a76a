"""The file to import, opened without ever blocking."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.transfer.errors import failure, transfer_errors

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

# A pipe opens at once even without a writer; a terminal does not become the controlling one.
_FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def open_import(path: Path) -> BinaryIO:
    """Open a regular file for reading; the caller closes it.

    Raises:
        TransferError: it cannot be read, or is not a regular file.
    """
    with transfer_errors("read", path):
        try:
            descriptor = os.open(path, _FLAGS)
        except ValueError:  # a NUL or a lone surrogate
            raise failure("read", path, "a file cannot have such a name") from None
        try:
            _check_kind(os.fstat(descriptor).st_mode, path)
            return os.fdopen(descriptor, "rb")
        except BaseException:
            with suppress(OSError):
                os.close(descriptor)
            raise


def _check_kind(mode: int, path: Path) -> None:
    if stat.S_ISDIR(mode):
        raise failure("read", path, "it is a directory")
    if not stat.S_ISREG(mode):
        raise failure("read", path, "it is not a regular file")
