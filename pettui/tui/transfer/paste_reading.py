"""Pasted lines → animals to add, and the lines that cannot be read as one.

Each line is a name, unless the lines have columns: cells of a spreadsheet, separated by tabs, or
CSV with categories in its second column. The form supplies what a line leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from pettui.transfer.lines import BadLine, GoodLine, Position
from pettui.transfer.mapping import CATEGORY
from pettui.transfer.meaning import (
    WHOLE,
    WITHOUT_HEADER,
    CategoryNames,
    Columns,
    HeaderError,
    LineError,
    Meanings,
    columns_of,
    is_header,
    pet_of_cells,
)
from pettui.transfer.reading import Record, csv_records, first_cells, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pettui.models.pets import NewPet
    from pettui.transfer.lines import ImportLine
    from pettui.transfer.reading import Line

LINES_MAXIMUM: Final = 5_000
_TAB: Final = "\t"
_SAMPLE: Final = 100  # first lines, from which the columns are detected


class TooManyLinesError(ValueError):
    """More lines than can be pasted at once."""


@dataclass(frozen=True, slots=True)
class FormValues:
    """The form's values, for lines without their own."""

    category: int | None  # None where none is typed yet, or no valid one
    status: str  # "" is not set


def is_several(text: str, categories: Mapping[int, str]) -> bool:
    """Whether a paste is more than a name: several lines, or a row of a spreadsheet.

    Args:
        text: what was pasted.
        categories: the profile's names by number.
    """
    lines = [line.text for line in islice(_lines(text), 2)]
    if len(lines) != 1:
        return len(lines) > 1
    cells = lines[0].rstrip("\r\n").split(_TAB)
    return len(cells) > 1 and CategoryNames(categories).has(cells[1])


def pasted_pets(text: str, values: FormValues, categories: Mapping[int, str]) -> list[ImportLine]:
    """Return an animal or a bad line for each line that is not blank, in order.

    Args:
        text: what was pasted; its lines end in CRLF, CR or LF.
        values: of the form.
        categories: the profile's names by number.

    Raises:
        TooManyLinesError: there are more than can be pasted at once.
    """
    names = CategoryNames(categories)
    lines = list(islice(_lines(text), LINES_MAXIMUM + 1))
    if len(lines) > LINES_MAXIMUM:
        raise TooManyLinesError(f"more than {LINES_MAXIMUM:,} lines at once are too many")
    delimiter = _delimiter([line.text for line in lines[:_SAMPLE]], names)
    if delimiter is None:
        return [_named(line, values, names) for line in lines]
    records = list(csv_records(lines, delimiter, len(text)))
    columns = _columns(records[0].cells, names) if records else None
    if columns is not None:
        return [_read(record, columns, values, names) for record in records[1:]]
    return [_read(record, WITHOUT_HEADER, values, names) for record in records]


def texts_of(text: str, lines: Sequence[BadLine]) -> dict[int, str]:
    """Return the pasted text of these lines, by line number."""
    numbers = {line.position.line for line in lines}
    return {each.number: each.text for each in _lines(text) if each.number in numbers}


def _lines(text: str) -> Iterator[Line]:
    return (line for line in lines_of(text) if line.text.strip())


def _delimiter(lines: Sequence[str], names: CategoryNames) -> str | None:
    """Return the separator of the columns; None where each line is a name."""
    if any(_TAB in line.strip() for line in lines):
        return _TAB
    for delimiter in (";", ","):
        rows = [first_cells([line], delimiter) for line in lines if delimiter in line]
        # A name may contain a comma: only if half of these lines have a category after it, these
        # are columns.
        if rows and is_header(rows[0], names) and delimiter in lines[0]:
            return delimiter
        if rows and 2 * sum(len(row) > 1 and names.has(row[1]) for row in rows) >= len(rows):
            return delimiter
    return None


def _columns(first: Sequence[str], names: CategoryNames) -> Columns | None:
    """Return the columns that the first record names; None where it is an animal."""
    if not is_header(first, names):
        return None
    try:
        return columns_of(first)
    except HeaderError:
        pass
    try:  # without a column of categories: they come from the form
        return columns_of((*first, CATEGORY))
    except HeaderError:
        return None


def _named(line: Line, values: FormValues, names: CategoryNames) -> ImportLine:
    record = Record(line.number, (line.text.strip(),))
    return _read(record, replace(WITHOUT_HEADER, is_guarded=False), values, names)


def _read(record: Record, columns: Columns, values: FormValues, names: CategoryNames) -> ImportLine:
    position = Position(record.line)
    if record.fault is not None:
        return BadLine(position, WHOLE, record.fault)
    try:
        return GoodLine(position, _pet(record.cells, columns, values, names))
    except LineError as error:
        return BadLine.of(position, error)


def _pet(
    cells: Sequence[str], columns: Columns, values: FormValues, names: CategoryNames
) -> NewPet:
    if columns.width is not None and any(cells[columns.width :]):
        reason = f"it has {len(cells)} cells, but the header has {columns.width}"
        raise LineError(WHOLE, reason)
    name = _cell(cells, columns.names[0]) or ""
    category = _cell(cells, columns.category) or ""
    if not category.strip() and values.category is not None:
        category = str(values.category)
    status = _cell(cells, columns.status)
    row = (name, category, values.status if status is None else status)
    return pet_of_cells(
        row, replace(WITHOUT_HEADER, is_guarded=columns.is_guarded), Meanings(names)
    )


def _cell(cells: Sequence[str], index: int | None) -> str | None:
    """Return a cell; None where the record is too short."""
    return cells[index] if index is not None and index < len(cells) else None
