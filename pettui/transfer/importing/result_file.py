"""The result file of an import: the outcome of each line, for people and for programs.

A CSV starts with the columns of an export, so that it can be imported like one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.transfer.errors import TargetExistsError, failure
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

BAD: Final = "bad"  # the outcome of a line that is not an animal
_HEADER: Final = (*EXPORT_HEADER, "position", "outcome", "error", "duplicateOf")
_STARTS: Final = (  # of every result file
    csv_record(_HEADER).encode(),
    b'{"position": "',
    b'[\n{"position": "',
    b"[]\n",
)


@dataclass(frozen=True, slots=True)
class ResultLine:
    """The outcome of a line of an import."""

    position: Position
    outcome: str  # one word
    pet: NewPet | None = None
    pet_id: int | None = None
    error: str = ""  # as the service sent it
    duplicate_of: str = ""  # "line 3" of the same file, or "id 7" of the service's list


def result_lines(
    outcomes: Iterable[LineOutcome],
    bad_lines: Iterable[BadLine],
    duplicates_of: Mapping[Position, str],
) -> list[ResultLine]:
    """Return the outcomes of all lines, in the file's order."""
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
    """Return which field of a line is bad, and why: "category: is missing"."""
    return bad.reason if bad.field == WHOLE else f"{bad.field}: {bad.reason}"


def result_file(lines: Iterable[ResultLine], file_format: FileFormat) -> Iterator[bytes]:
    """Return the content of a result file, in pieces."""
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
    """Return the default path of a result file: beside the imported file."""
    return file.with_name(f"{file.stem}.result.csv")


def check_result(path: Path) -> None:
    """Check that a result can be written to a path, replacing an earlier result.

    Raises:
        TransferError: it cannot, or the path has a file that is not a result.
    """
    try:
        check_writable(path)
    except TargetExistsError:
        check_writable(path, overwrite=True)
        with open_import(path) as file:
            start = file.read(max(map(len, _STARTS)))
        if start and not start.startswith(_STARTS):
            reason = "a file that is not the result of an import is already there"
            raise failure("write", path, reason) from None


def write_result(path: Path, lines: Iterable[ResultLine]) -> None:
    """Write a result in the format of its suffix, or else as CSV.

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
    return csv_record(cells).encode(errors="backslashreplace")  # lone surrogates in an error


def _json_object(line: ResultLine) -> bytes:
    fields = {
        "position": line.position.label,
        "outcome": line.outcome,
        "id": line.pet_id,
        **({} if line.pet is None else line.pet.body()),
        "error": line.error or None,
        "duplicateOf": line.duplicate_of or None,
    }
    present = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(present, ensure_ascii=False).encode(errors="backslashreplace")
