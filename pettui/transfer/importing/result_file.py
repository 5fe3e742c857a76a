"""The result of an import: what became of each line, as a file for people and for programs.

A CSV begins with the columns of an export, so that an import reads it back like one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.transfer.errors import FileThereError, failure
from pettui.transfer.formats import EXPORT_HEADER, FileFormat, guarded, written_format
from pettui.transfer.pet_writers import csv_record
from pettui.transfer.reading.import_lines import WHOLE
from pettui.transfer.reading.import_source import open_import
from pettui.transfer.whole_files import check_writable, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pettui.models import NewPet
    from pettui.transfer.importing.line_states import LineOutcome
    from pettui.transfer.reading.import_lines import BadLine, Position

BAD: Final = "bad"  # the outcome of a line that is no animal
_HEADER: Final = (*EXPORT_HEADER, "position", "outcome", "error", "duplicateOf")
_BEGINNINGS: Final = (  # of every file that is written here
    csv_record(_HEADER).encode(),
    b'{"position": "',
    b'[\n{"position": "',
    b"[]\n",
)


@dataclass(frozen=True, slots=True)
class ResultLine:
    """What became of a line of an import."""

    position: Position
    outcome: str  # a word
    pet: NewPet | None = None
    pet_id: int | None = None
    error: str = ""  # word for word
    duplicate_of: str = ""  # "line 3" of the same file, or "id 7" of the service's list


def result_lines(
    outcomes: Iterable[LineOutcome],
    bad_lines: Iterable[BadLine],
    duplicates_of: Mapping[Position, str],
) -> list[ResultLine]:
    """Return what became of all lines, in the file's order."""
    lines = [
        ResultLine(
            outcome.line.position,
            outcome.kind.value,
            outcome.line.new_pet,
            outcome.pet_id,
            outcome.error,
            duplicates_of.get(outcome.line.position, ""),
        )
        for outcome in outcomes
    ]
    lines += [ResultLine(bad.position, BAD, error=bad_line_reason(bad)) for bad in bad_lines]
    return sorted(lines, key=lambda line: (line.position.line, line.position.element or 0))


def bad_line_reason(bad: BadLine) -> str:
    """Return which field of a line is wrong, and why: "category: is missing"."""
    return bad.reason if bad.field == WHOLE else f"{bad.field}: {bad.reason}"


def result_file(lines: Iterable[ResultLine], file_format: FileFormat) -> Iterator[bytes]:
    """Return the pieces of a file that holds these lines."""
    if file_format is FileFormat.CSV:
        yield _record(_HEADER)
        for line in lines:
            yield _record(_cells(line))
        return
    is_list = file_format is FileFormat.JSON
    before, between = (b"[\n", b",\n") if is_list else (b"", b"\n")
    for line in lines:
        yield before + _json_object(line)
        before = between
    if is_list:
        yield b"[]\n" if before == b"[\n" else b"\n]\n"
    elif before:
        yield b"\n"


def result_path(file: Path) -> Path:
    """Return where the result of a file stands unless somebody says otherwise: beside it."""
    return file.with_name(f"{file.stem}.result.csv")


def check_result(path: Path) -> None:
    """Check that a result can be written at a path, over one that is there.

    Raises:
        TransferError: it cannot, or something else than a result is there.
    """
    try:
        check_writable(path)
    except FileThereError:
        check_writable(path, overwrite=True)
        with open_import(path) as file:
            beginning = file.read(max(map(len, _BEGINNINGS)))
        if beginning and not beginning.startswith(_BEGINNINGS):
            reason = "a file that is not the result of an import is already there"
            raise failure("write", path, reason) from None


def write_result(path: Path, lines: Iterable[ResultLine]) -> None:
    """Write a result whole, in the format of its name, CSV where that is none.

    Raises:
        TransferError: it cannot be written.
    """
    file_format = written_format(path.name) or FileFormat.CSV
    write_whole(path, result_file(lines, file_format), overwrite=True)


def _cells(line: ResultLine) -> Iterator[str]:
    yield "" if line.pet_id is None else str(line.pet_id)
    yield "" if line.pet is None else guarded(line.pet.name)
    yield "" if line.pet is None else str(line.pet.category_id)
    yield "" if line.pet is None else line.pet.status or ""
    yield line.position.label
    yield line.outcome
    yield guarded(line.error)
    yield line.duplicate_of


def _record(cells: Iterable[str]) -> bytes:
    return csv_record(cells).encode(errors="backslashreplace")  # halves of characters, of an error


def _json_object(line: ResultLine) -> bytes:
    fields = {
        "position": line.position.label,
        "outcome": line.outcome,
        "id": line.pet_id,
        **({} if line.pet is None else line.pet.body()),
        "error": line.error or None,
        "duplicateOf": line.duplicate_of or None,
    }
    there = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(there, ensure_ascii=False).encode(errors="backslashreplace")
