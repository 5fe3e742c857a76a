"""What is typed into the line of an export → a file, or a format."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pettui.transfer.errors import TransferError
from pettui.transfer.formats import FileFormat, written_format

FORMATS: Final = ("csv", "json", "jsonl")


def export_target(text: str) -> tuple[Path, FileFormat]:
    """Return where a file is to be, and in which format; a TransferError says what is missing."""
    name = text.strip()
    file_format = written_format(name)
    if file_format is None:
        raise TransferError("name it .csv, .json or .jsonl")
    if not name.isprintable():
        raise TransferError("a name of a file holds no such characters")
    try:
        return Path(name).expanduser(), file_format
    except RuntimeError:
        raise TransferError("there is no such home") from None


def next_format(text: str) -> str:
    """Return the format behind one that may have been typed in part."""
    typed = text.strip().lower().removeprefix(".")
    if typed in FORMATS:
        return FORMATS[(FORMATS.index(typed) + 1) % len(FORMATS)]
    return next((each for each in FORMATS if each.startswith(typed)), FORMATS[0])
