"""FileFormat: the formats of files of animals, known by their names; formulas in CSV."""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

EXPORT_HEADER: Final = ("id", "name", "categoryId", "status")
"""The first columns of an exported CSV."""
RESULT_HEADER: Final = (*EXPORT_HEADER, "position", "outcome", "error", "duplicateOf")
"""The columns of an import's result as CSV."""
BAD: Final = "bad"
"""The outcome, in a result, of a line that is not an animal."""
GUARD: Final = "'"
_GUARDED: Final = ("=", "+", "-", "@", "\t", "\r", GUARD)


class FileFormat(Enum):
    """A format that animals are written in and read from."""

    CSV = "CSV"
    JSON = "JSON"
    JSON_LINES = "JSON Lines"


WRITTEN_SUFFIXES: Final[Mapping[str, FileFormat]] = MappingProxyType(
    {
        ".csv": FileFormat.CSV,
        ".json": FileFormat.JSON,
        ".jsonl": FileFormat.JSON_LINES,
        ".ndjson": FileFormat.JSON_LINES,
    }
)
_READ_SUFFIXES: Final[Mapping[str, FileFormat]] = MappingProxyType(
    {**WRITTEN_SUFFIXES, ".tsv": FileFormat.CSV, ".tab": FileFormat.CSV}
)


def written_format(name: str) -> FileFormat | None:
    """Return the format of a file to write, by its suffix; None for an unknown suffix."""
    return WRITTEN_SUFFIXES.get(_suffix(name))


def named_format(name: str) -> FileFormat | None:
    """Return the format of a file to read, by its suffix; None for an unknown suffix."""
    return _READ_SUFFIXES.get(_suffix(name))


def export_name(which: str | None, day: date, file_format: FileFormat) -> str:
    """Return the default name of an export: "pets-available-2026-11-21.csv"; None is all."""
    suffix = next(suffix for suffix, each in WRITTEN_SUFFIXES.items() if each is file_format)
    part = "" if which is None else f"-{which}"
    return f"pets{part}-{day.isoformat()}{suffix}"


def _suffix(name: str) -> str:
    stem, point, suffix = name.rpartition(".")
    return f".{suffix.lower()}" if point and stem else ""


def guarded(text: str) -> str:
    """Return a text as a cell of an exported CSV that no spreadsheet takes for a formula.

    Such a text gets a leading apostrophe. So does one that begins with an apostrophe, so that an
    import can remove the guard without a doubt.
    """
    return GUARD + text if text.startswith(_GUARDED) else text


def unguarded(cell: str) -> str:
    """Return the text in a cell of an export; a cell without a guard is returned as it is."""
    return cell[1:] if cell.startswith(GUARD) and cell[1:].startswith(_GUARDED) else cell
