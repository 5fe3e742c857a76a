"""The text of an export line → a path and a format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.transfer.errors import TransferError
from pettui.transfer.formats import FileFormat, written_format
from pettui.transfer.path_completion import typed_path

if TYPE_CHECKING:
    from pathlib import Path

FORMATS: Final = ("csv", "json", "jsonl")


def export_target(text: str) -> tuple[Path, FileFormat]:
    """Return the path and the format of a file.

    Raises:
        TransferError: the name does not end in a known format.
    """
    name = text.strip()
    file_format = written_format(name)
    if file_format is None:
        raise TransferError("end the name in .csv, .json or .jsonl")
    return typed_path(name), file_format


def next_format(text: str) -> str:
    """Return the next format after one that may be incomplete."""
    typed = text.strip().lower().removeprefix(".")
    if typed in FORMATS:
        return FORMATS[(FORMATS.index(typed) + 1) % len(FORMATS)]
    return next((each for each in FORMATS if each.startswith(typed)), FORMATS[0])
