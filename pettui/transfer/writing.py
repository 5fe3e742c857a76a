"""Animals → the bytes of a file: CSV (RFC 4180), JSON (RFC 8259) or JSON Lines, in UTF-8.

Values are written as the service sent them: numbers of any size, to the last digit.
"""

from __future__ import annotations

import codecs
import pickle
import re
from dataclasses import dataclass, field
from enum import Enum
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.settings.settings import DELIMITER_WORDS
from pettui.text.json import written
from pettui.transfer.files import TransferError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from pettui.models.pets import Pet

DELIMITERS: Final = (",", ";", "\t", "|")
"""What separates the cells of a CSV."""
_DELIMITER_WORDS: Final = MappingProxyType({"tab": "\t", "\\t": "\t"})
EXPORT_HEADER: Final = ("id", "name", "categoryId", "status")
"""The first columns of an exported CSV."""
RESULT_HEADER: Final = (*EXPORT_HEADER, "position", "outcome", "error", "duplicateOf")
"""The columns of an import's result as CSV."""
CHECKED_HEADER: Final = (*RESULT_HEADER, "candidates")
"""The same where unknown lines were looked for in the list."""
BAD: Final = "bad"
"""The outcome, in a result, of a line that is not an animal."""
GUARD: Final = "'"
_CSV_END: Final = b"\r\n"
_QUOTED: Final = MappingProxyType(
    {delimiter: re.compile(rf'["\r\n{re.escape(delimiter)}]') for delimiter in DELIMITERS}
)
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


def delimiter_named(text: str) -> str:
    """Return the delimiter that a user writes. Raises ValueError, which says the rule."""
    delimiter = _DELIMITER_WORDS.get(text.casefold(), text)
    if delimiter not in DELIMITERS:
        raise ValueError(f"must be {DELIMITER_WORDS}")
    return delimiter


_NO_NAMES: Final[Mapping[int, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CsvStyle:
    """How a CSV is written, where more than what RFC 4180 says is wanted."""

    delimiter: str = ","  # one of DELIMITERS
    has_mark: bool = False  # a byte order mark, without which Excel takes UTF-8 for another code
    categories: Mapping[int, str] = field(default_factory=lambda: _NO_NAMES)  # for a last column

    @property
    def names_column(self) -> tuple[str, ...]:
        """The name of the last column."""
        return ("category",) if self.categories else ()

    def names_cell(self, category_id: int) -> tuple[str, ...]:
        """Return the last cell of an animal of this category."""
        return (guarded(self.categories.get(category_id, "")),) if self.categories else ()


PLAIN: Final = CsvStyle()


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


# What ends lines and fields, and what steers a terminal, where a pipe often ends.
_CONTROLS: Final = (
    *range(0x20),
    *range(0x7F, 0xA0),
    *(0x061C, 0x200E, 0x200F),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
_ESCAPES: Final = MappingProxyType(
    {chr(each): f"\\u{each:04x}" for each in _CONTROLS} | {"\\": "\\\\", "\t": "\\t", "\n": "\\n"}
)
_QUOTE: Final = '"'
_UNESCAPED: Final = MappingProxyType(
    {escape: each for each, escape in _ESCAPES.items()} | {f"\\{_QUOTE}": _QUOTE}
)
_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-f]{4}|.)?")


def field_record(fields: Iterable[str]) -> str:
    """Return a line of fields, which tabs separate; control characters in them are escaped.

    So is a quotation mark at the beginning of one: what reads tab-separated text would take it for
    the opening of a cell, and the lines behind it for a part of that.
    """
    return "\t".join(
        ("\\" if text.startswith(_QUOTE) else "") + text.translate(_TRANSLATED) for text in fields
    )


_TRANSLATED: Final = MappingProxyType(str.maketrans(dict(_ESCAPES)))


def fields_in(record: str) -> list[str]:
    """Return the fields of such a line.

    Raises:
        ValueError: it has a backslash that stands for nothing.
    """
    return [_ESCAPE.sub(_unescaped, text) for text in record.split("\t")]


def _unescaped(found: re.Match[str]) -> str:
    if found[0] not in _UNESCAPED:
        raise ValueError(f"{found[0]} stands for nothing; a backslash is written as \\\\")
    return _UNESCAPED[found[0]]


def pet_file(
    pets: Iterable[Pet],
    file_format: FileFormat,
    style: CsvStyle = PLAIN,
    others: Sequence[str] | None = None,
) -> Iterator[bytes]:
    """Return the pieces of a file with these animals, in their order; the style is a CSV's.

    Args:
        pets: the animals.
        file_format: of the file.
        style: of a CSV.
        others: the unknown fields of all of them; None where they can be looked through for these.

    Raises:
        TransferError: one contains a lone surrogate, which UTF-8 cannot encode.
    """
    match file_format:
        case FileFormat.CSV:
            if others is None:
                pets = [*pets]
                others = tuple(dict.fromkeys(name for pet in pets for name in pet.others))
            yield csv_header(others, style=style)
            for pet in pets:
                yield csv_line(pet, others, style=style)
        case FileFormat.JSON:
            before = b"[\n"
            for pet in pets:
                yield before + _body(pet)
                before = b",\n"
            yield b"[]\n" if before == b"[\n" else b"\n]\n"
        case FileFormat.JSON_LINES:
            for pet in pets:
                yield _body(pet) + b"\n"


class PetSpool:
    """Animals of a file that come page by page: they wait on the disk, in a file without a name.

    The header of a CSV has the fields of all animals, so it is known when the last one has come.
    """

    def __init__(self, directory: Path) -> None:
        """Open the file, which the caller closes.

        Raises:
            OSError: there can be none in this directory.
        """
        self.count = 0
        self.others: dict[str, None] = {}  # the unknown fields so far, in order
        self._file = TemporaryFile(dir=directory)  # noqa: SIM115 - closed by its opener

    def close(self) -> None:
        """Close the file, which is gone then."""
        self._file.close()

    def add(self, pets: Sequence[Pet]) -> None:
        """Add animals at the end. Raises OSError where they cannot be written."""
        for pet in pets:
            self.others.update(dict.fromkeys(pet.others))
        pickle.dump(pets, self._file)
        self.count += len(pets)

    def __iter__(self) -> Iterator[Pet]:
        """Return the animals, in their order."""
        self._file.seek(0)
        left = self.count
        while left:
            pets: Sequence[Pet] = pickle.load(self._file)  # noqa: S301 - nobody else can write it
            left -= len(pets)
            yield from pets


def csv_header(
    others: Sequence[str], fields: Sequence[str] = EXPORT_HEADER, style: CsvStyle = PLAIN
) -> bytes:
    """Return the header of a CSV with these fields, and these unknown ones."""
    cells = (*fields, *map(guarded, others), *style.names_column)
    header = _encoded(csv_record(cells, style.delimiter), "the header")
    return codecs.BOM_UTF8 + header if style.has_mark else header


def csv_line(
    pet: Pet,
    others: Sequence[str],
    fields: Sequence[str] = EXPORT_HEADER,
    style: CsvStyle = PLAIN,
) -> bytes:
    """Return the record of an animal.

    Raises:
        TransferError: as ``pet_file``.
    """
    cells: Sequence[str] = _cells(pet)
    if fields is not EXPORT_HEADER:
        cells = [cells[EXPORT_HEADER.index(name)] for name in fields]
    cells = (*cells, *_other_cells(pet, others), *style.names_cell(pet.category_id))
    return _encoded(csv_record(cells, style.delimiter), _label(pet))


def _cells(pet: Pet) -> tuple[str, str, str, str]:
    return str(pet.id), guarded(pet.name), str(pet.category_id), guarded(pet.status or "")


def _other_cells(pet: Pet, names: Sequence[str]) -> Iterator[str]:
    """Return the unknown fields as JSON; a cell is empty where an animal has no such field."""
    others = pet.others
    cells = (written(others[name]) if name in others else "" for name in names)
    return (cell if _NUMBER.match(cell) else guarded(cell) for cell in cells)


def csv_record(cells: Iterable[str], delimiter: str = ",") -> str:
    """Return the line of a CSV (RFC 4180)."""
    quoted = _QUOTED[delimiter]
    return delimiter.join(_cell(cell, quoted) for cell in cells) + _CSV_END.decode()


def _cell(text: str, quoted: re.Pattern[str]) -> str:
    return '"' + text.replace('"', '""') + '"' if quoted.search(text) else text


def _body(pet: Pet) -> bytes:
    return _encoded(pet.to_json(), _label(pet))


def _label(pet: Pet) -> str:
    return f"animal {pet.id}"


def _encoded(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        reason = f"{what} contains an incomplete character, which cannot be written to a file"
        raise TransferError(reason) from None
