"""The result file of an import: the outcome of each line, for people and for programs.

A CSV starts with the columns of an export, so that it can be imported like one. A bad line has its
cells as they were: it can be corrected there and imported, and is still bad until then.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.transfer.errors import TargetExistsError, failure
from pettui.transfer.formats import (
    BAD,
    RESULT_HEADER,
    WRITTEN_SUFFIXES,
    FileFormat,
    guarded,
    written_format,
)
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

_STARTS: Final = (  # of every result file
    csv_record(RESULT_HEADER).encode(),
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
    cells: tuple[str, ...] = ()  # of a bad line: name, category, status, and cells too many


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
    lines += [
        ResultLine(bad.position, BAD, error=bad_line_reason(bad), cells=bad.cells)
        for bad in bad_lines
    ]
    return sorted(lines, key=lambda line: (line.position.line, line.position.element or 0))


def bad_line_reason(bad: BadLine) -> str:
    """Return which field of a line is bad, and why: "category: is missing"."""
    return bad.reason if bad.field == WHOLE else f"{bad.field}: {bad.reason}"


def result_file(lines: Iterable[ResultLine], file_format: FileFormat) -> Iterator[bytes]:
    """Return the content of a result file, in pieces."""
    if file_format is FileFormat.CSV:
        yield _record(RESULT_HEADER)
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
        TransferError: it cannot, its suffix is that of no format, or the path has a file that is
            not a result.
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
    _format_of(path)


def write_result(path: Path, lines: Iterable[ResultLine]) -> None:
    """Write a result in the format of its suffix.

    Raises:
        TransferError: it cannot be written.
    """
    write_whole(path, result_file(lines, _format_of(path)), overwrite=True)


def _format_of(path: Path) -> FileFormat:
    if (file_format := written_format(path.name)) is None:
        suffixes = ", ".join(WRITTEN_SUFFIXES)
        raise failure("write", path, f"its name must end in {suffixes}, which chooses the format")
    return file_format


def _cells(line: ResultLine) -> Iterator[str]:
    yield "" if line.pet_id is None else str(line.pet_id)
    if line.pet is not None:
        yield guarded(line.pet.name)
        yield str(line.pet.category_id)
        yield line.pet.status or ""
    else:
        yield from map(guarded, line.cells[:3] or ("", "", ""))
    yield line.position.label
    yield line.outcome
    yield guarded(line.error)
    yield line.duplicate_of
    yield from map(guarded, line.cells[3:])  # too many, as they were: the line is still bad


def _record(cells: Iterable[str]) -> bytes:
    return csv_record(cells).encode(errors="backslashreplace")  # lone surrogates in an error


def _json_object(line: ResultLine) -> bytes:
    fields = {
        "position": line.position.label,
        "outcome": line.outcome,
        "id": line.pet_id,
        **(_values(line.cells) if line.pet is None else line.pet.body()),
        "error": line.error or None,
        "duplicateOf": line.duplicate_of or None,
    }
    present = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(present, ensure_ascii=False).encode(errors="backslashreplace")


def _values(cells: tuple[str, ...]) -> dict[str, object]:
    """Return the cells of a bad line as members; what is missing stays missing."""
    if len(cells) > 3:  # too many for their columns
        return {"cells": list(cells)}
    members = zip(RESULT_HEADER[1:4], cells, strict=False)
    return {name: cell for name, cell in members if cell.strip()}
