"""Pasted lines → animals to add, and the lines that cannot be read as one.

Each line is a name, unless the lines have columns: cells of a spreadsheet, separated by tabs, or
CSV with categories in its second column. The form supplies what a line leaves out. What columns
are whose first line is neither a header of ours nor an animal, only the clerk can say.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from pettui.transfer.lines import BadLine, ImportLine, line_of, survey_text
from pettui.transfer.mapping import CATEGORY, ReadingOptions
from pettui.transfer.meaning import (
    WITHOUT_HEADER,
    CategoryNames,
    Columns,
    HeaderError,
    Meanings,
    columns_of,
    columns_without_header,
    is_header,
)
from pettui.transfer.reading import Line, Record, csv_records, first_cells, lines_of
from pettui.transfer.survey import UnmappedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


LINES_MAXIMUM: Final = 5_000
_PASTE: Final = "what was pasted"
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


def pasted_pets(
    text: str,
    values: FormValues,
    categories: Mapping[int, str],
    options: ReadingOptions | None = None,
) -> list[ImportLine]:
    """Return an animal or a bad line for each line that is not blank, in order.

    Args:
        text: what was pasted; its lines end in CRLF, CR or LF.
        values: of the form.
        categories: the profile's names by number.
        options: what the clerk says of columns; their lines can be left out, too.

    Raises:
        TooManyLinesError: there are more than can be pasted at once.
        UnmappedError: there are columns, and only the clerk can say what they are.
        MappingError: what the clerk said cannot be so.
    """
    names = CategoryNames(categories)
    lines = list(islice(_lines(text), LINES_MAXIMUM + 1))
    if len(lines) > LINES_MAXIMUM:
        raise TooManyLinesError(f"more than {LINES_MAXIMUM:,} lines at once are too many")
    reading = options or ReadingOptions()
    delimiter = reading.delimiter or _delimiter([line.text for line in lines[:_SAMPLE]], names)
    meanings = Meanings(names, reading.mapping)
    if delimiter is None:
        named = (_named(line, values, meanings) for line in lines)
        return [line for line in named if line is not None]
    first = reading.header_line or 1
    lines = [line for line in lines if line.number >= first]
    records = list(csv_records(lines, delimiter, len(text)))
    columns = _chosen_columns(records, reading) if options is not None else _columns(records, names)
    if columns.width is not None:
        records = records[1:]
    read = [_read(record, columns, values, meanings) for record in records]
    if options is None and columns.width is None and read and _is_unknown(read[0]):
        survey = survey_text(text, categories, ReadingOptions(delimiter=delimiter))
        raise UnmappedError(
            _PASTE, "line 1 is neither a header that pettui knows, nor an animal", survey
        )
    return [line for line in read if line is not None]


def _is_unknown(line: ImportLine | None) -> bool:
    """Whether a line is no animal since its category or its status is none that is known."""
    return isinstance(line, BadLine) and line.unknown is not None


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


def _columns(records: Sequence[Record], names: CategoryNames) -> Columns:
    """Return the columns that the first record names; those without a header if it is an animal."""
    first = records[0].cells if records else ()
    if not is_header(first, names):
        return WITHOUT_HEADER
    try:
        return columns_of(first)
    except HeaderError:
        pass
    try:  # without a column of categories: they come from the form
        return columns_of((*first, CATEGORY))
    except HeaderError:
        return WITHOUT_HEADER


def _chosen_columns(records: Sequence[Record], reading: ReadingOptions) -> Columns:
    """Return the columns as the clerk says them; what is left unsaid is the form's."""
    first = records[0].cells if records else ()
    if not reading.has_header:
        return columns_without_header(len(first), reading.mapping)
    try:
        return columns_of(first, reading.mapping)
    except HeaderError:
        return columns_of((*first, CATEGORY), reading.mapping)


def _named(line: Line, values: FormValues, meanings: Meanings) -> ImportLine | None:
    """Return the animal that a line is the name of."""
    category = "" if values.category is None else str(values.category)
    record = Record(line.number, (line.text.strip(), category, values.status))
    return line_of(record, replace(WITHOUT_HEADER, is_guarded=False), meanings, Counter())


def _read(
    record: Record, columns: Columns, values: FormValues, meanings: Meanings
) -> ImportLine | None:
    """Return what a row is, in which the form's values stand in for what it has not.

    None where it is left out.
    """
    cells = record.cells
    if columns.width is not None and any(cells[columns.width :]):
        return line_of(record, columns, meanings, Counter())  # too many, which is a fault
    indexes = (*columns.names, columns.category, columns.status, columns.name_from)
    width = max(index for index in indexes if index is not None) + 1
    row = [*cells, *[""] * (width - len(cells))]
    if columns.category is not None and not row[columns.category].strip():
        row[columns.category] = "" if values.category is None else str(values.category)
    if columns.status is None:
        columns = replace(columns, status=len(row))
        row.append(values.status)
    elif columns.status >= len(cells):
        row[columns.status] = values.status
    filled = replace(record, cells=row, text="")  # of a fault, it is quoted from the paste
    return line_of(filled, replace(columns, width=None), meanings, Counter())
