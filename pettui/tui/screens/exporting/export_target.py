"""What is typed into the line of an export → a file, or a format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.transfer.errors import TransferError
from pettui.transfer.formats import FileFormat, written_format
from pettui.transfer.path_completion import typed_path

if TYPE_CHECKING:
    from pathlib import Path

FORMATS: Final = ("csv", "json", "jsonl")


def export_target(text: str) -> tuple[Path, FileFormat]:
    """Return where a file is to be, and in which format; a TransferError says what is missing."""
    name = text.strip()
    file_format = written_format(name)
    if file_format is None:
        raise TransferError("name it .csv, .json or .jsonl")
    return typed_path(name), file_format


def next_format(text: str) -> str:
    """Return the format behind one that may have been typed in part."""
    typed = text.strip().lower().removeprefix(".")
    if typed in FORMATS:
        return FORMATS[(FORMATS.index(typed) + 1) % len(FORMATS)]
    return next((each for each in FORMATS if each.startswith(typed)), FORMATS[0])
