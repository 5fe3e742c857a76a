"""The welcome text of a demo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.configuration import ConfigurationError
from pettui.files import read_regular_file
from pettui.transfer.errors import reason_of

if TYPE_CHECKING:
    from pathlib import Path

LINES_MAXIMUM: Final = 20
LINE_MAXIMUM: Final = 200  # characters
_BYTES_MAXIMUM: Final = 32_768
_TAB: Final = 4  # cells


def read_welcome(path: Path) -> tuple[str, ...]:
    """Return the raw lines of a text, without blank lines at either end.

    Raises:
        ConfigurationError: it cannot be read, is not text, or is too long.
    """
    try:
        content = read_regular_file(path, _BYTES_MAXIMUM).content.decode("utf-8-sig")
    except OSError as error:
        raise _unusable(path, reason_of(error)) from error
    except UnicodeDecodeError as error:
        raise _unusable(path, "it is not text; save it as UTF-8") from error
    if "\0" in content:
        raise _unusable(path, "it is not text")
    lines = [line.rstrip("\r").expandtabs(_TAB).rstrip(" ") for line in content.split("\n")]
    while lines and not lines[-1]:
        del lines[-1]
    while lines and not lines[0]:
        del lines[0]
    if not lines:
        raise _unusable(path, "it is empty")
    if len(lines) > LINES_MAXIMUM:
        raise _unusable(path, f"it has {len(lines)} lines; at most {LINES_MAXIMUM} are allowed")
    if max(map(len, lines)) > LINE_MAXIMUM:
        raise _unusable(path, f"it has a line of more than {LINE_MAXIMUM} characters")
    return tuple(lines)


def _unusable(path: Path, reason: str) -> ConfigurationError:
    return ConfigurationError("--welcome", reason, value=str(path))
