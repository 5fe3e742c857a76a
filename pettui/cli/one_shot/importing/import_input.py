"""The input of an import: a file, or standard input, which is copied to a file first."""

from __future__ import annotations

import os
import select
import sys
import tempfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from pettui.configuration import ConfigurationError
from pettui.transfer.errors import TransferError, transfer_errors
from pettui.transfer.reading.import_lines import ImportLimits
from pettui.transfer.reading.import_source import open_import

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from pettui.cli.one_shot.standard_error import StandardError

STANDARD_INPUT: Final = "standard input"
_PIECE: Final = 65_536  # bytes


@contextmanager
def opened_input(path: Path | None, stderr: StandardError) -> Iterator[BinaryIO]:
    """Open the input; the block's end closes it.

    Args:
        path: of a file; None is standard input.
        stderr: for a notice if the input is a terminal.

    Raises:
        ConfigurationError: it cannot be read, or the block raises TransferError.
    """
    try:
        with _spooled(stderr) if path is None else open_import(path) as source:
            yield source
    except TransferError as error:
        raise ConfigurationError("FILE", str(error)) from None
    finally:
        stderr.clear_progress()


def _spooled(stderr: StandardError) -> BinaryIO:
    """Return a copy of standard input in an unnamed file, which disappears when it is closed.

    At most one byte more than the maximum is copied, which shows that it is too large.
    """
    if sys.stdin is None:
        raise ConfigurationError(STANDARD_INPUT, "is closed")
    if sys.stdin.isatty():
        stderr.notice("reading animals from this terminal; end with ctrl+d")
    with transfer_errors("keep", STANDARD_INPUT):
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        try:
            room = ImportLimits().content + 1
            while room and (piece := _read(sys.stdin.fileno(), min(room, _PIECE))):
                file.write(piece)
                room -= len(piece)
            file.seek(0)
        except BaseException:
            with suppress(OSError):  # its buffer may not fit on the disk
                file.close()
            raise
    return file


def _read(descriptor: int, count: int) -> bytes:
    with transfer_errors("read", STANDARD_INPUT):
        while True:
            try:
                return os.read(descriptor, count)
            except BlockingIOError:
                select.select([descriptor], [], [])
