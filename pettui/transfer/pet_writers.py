"""Animals → the bytes of a file: CSV (RFC 4180), JSON (RFC 8259) or JSON Lines, in UTF-8.

Values are written as the service sent them: numbers of any size, to the last digit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pettui.json_text import written
from pettui.transfer.errors import TransferError
from pettui.transfer.formats import EXPORT_HEADER, FileFormat, guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pettui.models import Pet

_QUOTED: Final = re.compile(r'[,"\r\n]')
_NUMBER: Final = re.compile(r"-?[0-9]")  # JSON numbers start like this, JSON strings do not


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
