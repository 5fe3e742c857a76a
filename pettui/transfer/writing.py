"""Animals → the bytes of a file: CSV (RFC 4180), JSON (RFC 8259) or JSON Lines, in UTF-8.

Values are written as the service sent them: numbers of any size, to the last digit.
"""

from __future__ import annotations

import re
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.json_text import written
from pettui.transfer.files import TransferError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from pettui.models import Pet

EXPORT_HEADER: Final = ("id", "name", "categoryId", "status")
"""The first columns of an exported CSV."""
RESULT_HEADER: Final = (*EXPORT_HEADER, "position", "outcome", "error", "duplicateOf")
"""The columns of an import's result as CSV."""
BAD: Final = "bad"
"""The outcome, in a result, of a line that is not an animal."""
GUARD: Final = "'"
_QUOTED: Final = re.compile(r'[,"\r\n]')
_NUMBER: Final = re.compile(r"-?[0-9]")  # JSON numbers start like this, JSON strings do not
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


def pet_file(pets: Sequence[Pet], file_format: FileFormat) -> Iterator[bytes]:
    """Return the pieces of a file with these animals, in their order.

    Raises:
        TransferError: one contains a lone surrogate, which UTF-8 cannot encode.
    """
    match file_format:
        case FileFormat.CSV:
            return _csv_lines(pets)
        case FileFormat.JSON:
            return _json_list(pets)
        case FileFormat.JSON_LINES:
            return _json_lines(pets)


def exact_csv(pets: Sequence[Pet]) -> Iterator[bytes]:
    """Return the records of a CSV for programs, without the guard for spreadsheets.

    Raises:
        TransferError: as ``pet_file``.
    """
    return _csv_lines(pets, str)


def _csv_lines(pets: Sequence[Pet], guard: Callable[[str], str] = guarded) -> Iterator[bytes]:
    others = tuple(dict.fromkeys(name for pet in pets for name in pet.others))
    yield _encoded(csv_record((*EXPORT_HEADER, *map(guard, others))), "the header")
    for pet in pets:
        cells = (str(pet.id), guard(pet.name), str(pet.category_id), guard(pet.status or ""))
        yield _encoded(csv_record((*cells, *_other_cells(pet, others, guard))), _label(pet))


def _other_cells(pet: Pet, names: Sequence[str], guard: Callable[[str], str]) -> Iterator[str]:
    """Return the unknown fields as JSON; a cell is empty where an animal has no such field."""
    others = pet.others
    cells = (written(others[name]) if name in others else "" for name in names)
    return (cell if _NUMBER.match(cell) else guard(cell) for cell in cells)


def csv_record(cells: Iterable[str]) -> str:
    """Return the line of a CSV (RFC 4180)."""
    return ",".join(map(_cell, cells)) + "\r\n"


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def _json_lines(pets: Iterable[Pet]) -> Iterator[bytes]:
    for pet in pets:
        yield _body(pet) + b"\n"


def _json_list(pets: Iterable[Pet]) -> Iterator[bytes]:
    before = b"[\n"
    for pet in pets:
        yield before + _body(pet)
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def _body(pet: Pet) -> bytes:
    return _encoded(pet.as_json, _label(pet))


def _label(pet: Pet) -> str:
    return f"animal {pet.id}"


def _encoded(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        reason = f"{what} contains an incomplete character, which cannot be written to a file"
        raise TransferError(reason) from None
