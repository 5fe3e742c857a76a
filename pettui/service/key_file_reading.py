"""Reading the key file: its text, and the version of the file that the text was read from."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.files import FileVersion, read_regular_file
from pettui.service import SetupError

if TYPE_CHECKING:
    from pathlib import Path

FILE_MAXIMUM: Final = 1024 * 1024  # bytes; some eight thousand keys


class KeyFileError(SetupError):
    """A key file that can't be used, or a name that is taken, unknown or malformed."""


class VersionedText(NamedTuple):
    """The text of a file, and the version that it is of."""

    text: str
    version: FileVersion


def read_text_file(path: Path) -> VersionedText | None:
    """Return the text of the file, with its version; None if there is no file.

    Both are of the same file, even if it is replaced meanwhile. The version is taken before the
    text is read, so that a change in between counts as a newer version.

    Raises:
        KeyFileError: others can read it, or it can't be read.
    """
    try:
        file = read_regular_file(path, FILE_MAXIMUM)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KeyFileError(f"key file {path} can't be read: {error.strerror}") from error
    if file.status.st_mode & 0o077 and sys.platform != "win32":
        raise KeyFileError(f"key file {path} can be read by others; run: chmod 600 {path}")
    try:
        return VersionedText(file.content.decode(), FileVersion.of(file.status))
    except UnicodeDecodeError as error:
        raise KeyFileError(f"key file {path} is not UTF-8 text; name another file") from error
