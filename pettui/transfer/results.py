"""What became of the lines of an import: in numbers, in words, and in a file of results.

A CSV of results starts with the columns of an export, so that it can be imported like one. A bad
line stands there as it was: it can be corrected there and imported, and is bad until then.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.models.statuses import status_word
from pettui.text.amounts import counted
from pettui.text.json import json_value, written
from pettui.transfer.files import (
    Digest,
    TargetExistsError,
    check_writable,
    failure,
    open_file,
    write_whole,
)
from pettui.transfer.writing import (
    BAD,
    CHECKED_HEADER,
    RESULT_HEADER,
    WRITTEN_SUFFIXES,
    FileFormat,
    csv_record,
    guarded,
    written_format,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pettui.client import PetClientError
    from pettui.models.pets import NewPet, Pet
    from pettui.transfer.lines import BadLine, GoodLine, Position

FORBIDDEN: Final = 403
_STARTS: Final = (  # of every result file
    csv_record(RESULT_HEADER).rstrip("\r\n").encode(),  # of CHECKED_HEADER, too
    b'{"position": "',
    b'[\n{"position": "',
    b"[]\n",
)


class OutcomeKind(Enum):
    """What happened to a line; the values are those in a result file."""

    ADDED = "added"
    ADDED_EARLIER = "added earlier"  # by an earlier import, so that this one skipped it
    REFUSED = "refused"
    UNKNOWN = "unknown"  # it may have been added, in this import or in an earlier one
    NOT_SENT = "not sent"  # the import ended before
    DUPLICATE = "duplicate"  # skipped, as requested
    CHANGED = "changed?"  # skipped: the list has it with another status


NOT_ADDED: Final = (OutcomeKind.REFUSED, OutcomeKind.UNKNOWN)


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """The outcome of a line."""

    line: GoodLine
    kind: OutcomeKind
    pet_id: int | None = None  # of an added one
    error: str = ""  # raw, not yet safe to draw; of an added line: what is odd about it
    is_repeated: bool = False  # an unknown one: the next import sends it again, to be added once


# Numbers and words


class ImportSummary:
    """Numbers of lines: by outcome, and of bad ones."""

    def __init__(self, outcomes: Iterable[LineOutcome], bad: int = 0) -> None:
        outcomes = (*outcomes,)
        self.counts = Counter(outcome.kind for outcome in outcomes)
        self.repeated = sum(outcome.is_repeated for outcome in outcomes)  # unknown ones
        self.bad = bad

    @property
    def unknown(self) -> int:
        """How many lines may have been added."""
        return self.counts[OutcomeKind.UNKNOWN]

    @property
    def refused(self) -> int:
        """How many lines the service refused."""
        return self.counts[OutcomeKind.REFUSED]

    @property
    def not_sent(self) -> int:
        """How many lines the import did not come to."""
        return self.counts[OutcomeKind.NOT_SENT]

    def sentence(self, *, is_dry_run: bool = False) -> str:
        """Return all numbers in words: "2 lines added, 1 refused"."""
        duplicates = self.counts[OutcomeKind.DUPLICATE]
        counts = (
            (self.counts[OutcomeKind.ADDED_EARLIER], "added by an earlier import"),
            (duplicates, "left out as duplicate" + ("s" if duplicates > 1 else "")),
            (self.counts[OutcomeKind.CHANGED], "left out as changed?"),
            (self.refused, "refused"),
            (self.unknown, "unknown"),
            (self.bad, "bad"),
            (0 if is_dry_run else self.not_sent, "not sent"),
        )
        first = f"{counted(self.counts[OutcomeKind.ADDED], 'line')} added"
        if is_dry_run:
            first = f"{counted(self.not_sent, 'line')} to add"
        return ", ".join((first, *(f"{count:,} {word}" for count, word in counts if count)))


def stop_advice(error: PetClientError, summary: ImportSummary) -> str:
    """Return how to continue after a line's refusal that stopped an import; "" for no advice.

    A 403 is mostly about the API key, so that the lines after it would be refused too; but it can
    be about one animal, whose line would then stop each further import.
    """
    if error.status != FORBIDDEN or not (summary.refused and summary.not_sent):
        return ""
    return (
        "a 403 stops an import: use an API key that may add animals, "
        "or take the refused lines out of the file"
    )


# The file of results


@dataclass(frozen=True, slots=True)
class ResultLine:
    """The outcome of a line of an import."""

    position: Position
    outcome: str  # one word
    pet: NewPet | None = None
    pet_id: int | None = None
    error: str = ""  # as the service sent it
    duplicate_of: str = ""  # "line 3" of the same file, "id 7" of the list or of another import
    candidates: Sequence[Pet] | None = None  # that an unknown one could be; None: not looked for
    cells: tuple[str, ...] = ()  # of a bad line, as ``BadLine`` has them
    source: str = ""


def result_lines(
    outcomes: Iterable[LineOutcome],
    bad_lines: Iterable[BadLine],
    duplicates_of: Mapping[Position, str],
    candidates: Mapping[Position, Sequence[Pet]] = MappingProxyType({}),
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
            candidates.get(outcome.line.position),
        )
        for outcome in outcomes
    ]
    lines += [
        ResultLine(bad.position, BAD, error=bad.sentence, cells=bad.cells, source=bad.source)
        for bad in bad_lines
    ]
    return sorted(lines, key=lambda line: (line.position.line, line.position.element or 0))


def result_path(file: Path) -> Path:
    """Return the default path of a result: beside the imported file, and no other file's.

    It has the file's format, if that is one that is written: pets.jsonl, pets.result.jsonl.
    """
    if written_format(file.name) is None:
        return file.with_name(f"{file.name}-result.csv")
    return file.with_name(f"{file.stem}.result{file.suffix}")


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
        with open_file(path) as file:
            start = file.read(max(map(len, _STARTS)))
        if start and not start.startswith(_STARTS):
            reason = "a file that is not the result of an import is already there"
            raise failure("write", path, reason) from None
    _format_of(path)


def write_result(path: Path, lines: Iterable[ResultLine]) -> str:
    """Write a result in the format of its suffix, and return the digest of its bytes.

    Raises:
        TransferError: it cannot be written.
    """
    digest = Digest()
    write_whole(path, digest.passing(result_file(lines, _format_of(path))), overwrite=True)
    return digest.text


def result_file(lines: Iterable[ResultLine], file_format: FileFormat) -> Iterator[bytes]:
    """Return the content of a result file, in pieces."""
    match file_format:
        case FileFormat.CSV:
            lines = [*lines]
            is_checked = any(line.candidates is not None for line in lines)
            yield _record(CHECKED_HEADER if is_checked else RESULT_HEADER)
            yield from (_record(_cells(line, is_checked=is_checked)) for line in lines)
        case FileFormat.JSON:
            yield from _json_lines(lines, is_list=True)
        case FileFormat.JSON_LINES:
            yield from _json_lines(lines, is_list=False)


def _json_lines(lines: Iterable[ResultLine], *, is_list: bool) -> Iterator[bytes]:
    before, between = (b"[\n", b",\n") if is_list else (b"", b"\n")
    for line in lines:
        yield before + _json_object(line)
        before = between
    if is_list:
        yield b"[]\n" if before == b"[\n" else b"\n]\n"
    elif before:
        yield b"\n"


def _format_of(path: Path) -> FileFormat:
    if (file_format := written_format(path.name)) is None:
        suffixes = ", ".join(WRITTEN_SUFFIXES)
        raise failure("write", path, f"its name must end in {suffixes}, which chooses the format")
    return file_format


def candidates_text(pets: Iterable[Pet]) -> str:
    """Return the listed animals that a line could be: "id 40 sold, id 12 not set"; raw."""
    return ", ".join(f"id {pet.id} {status_word(pet.status)}" for pet in pets)


def _cells(line: ResultLine, *, is_checked: bool) -> Iterator[str]:
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
    if is_checked:
        yield guarded(candidates_text(line.candidates or ()))
    yield from map(guarded, line.cells[3:])  # too many, as they were: the line is still bad


def _record(cells: Iterable[str]) -> bytes:
    return csv_record(cells).encode(errors="backslashreplace")  # lone surrogates in an error


def _json_object(line: ResultLine) -> bytes:
    head = {"position": line.position.label, "outcome": line.outcome}
    present: dict[str, object] = dict(head)
    if line.pet_id is not None:
        present["id"] = line.pet_id
    present |= _was(line) if line.pet is None else line.pet.body()
    present |= head  # a line of an earlier result has them, too
    if line.error:
        present["error"] = line.error
    if line.duplicate_of:
        present["duplicateOf"] = line.duplicate_of
    if line.candidates is not None:
        present["candidates"] = [
            {"id": pet.id, "name": pet.name, "categoryId": pet.category_id, "status": pet.status}
            for pet in line.candidates
        ]
    return written(present).encode(errors="backslashreplace")


def _was(line: ResultLine) -> dict[str, object]:
    """Return a bad line as members; what is missing stays missing."""
    if line.source:
        value: dict[str, object] = json_value(line.source)
        return value
    names, more = line.cells[:3], line.cells[3:]
    if more:  # the whole line, or too many for their columns
        is_whole = len(more) == 1 and not any(names)
        return {"line": more[0]} if is_whole else {"cells": list(line.cells)}
    members = zip(RESULT_HEADER[1:4], names, strict=False)
    return {name: cell for name, cell in members if cell.strip()}
