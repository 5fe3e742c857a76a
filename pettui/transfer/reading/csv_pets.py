"""The lines of a CSV → animals to add, and bad lines."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from pettui.transfer.reading.csv_records import csv_records
from pettui.transfer.reading.import_columns import (
    WITHOUT_HEADER,
    columns_of,
    declared_delimiter,
    is_header,
    likely_delimiter,
)
from pettui.transfer.reading.import_lines import (
    IGNORED_MAXIMUM,
    WHOLE,
    BadLine,
    Position,
    import_line,
)
from pettui.transfer.reading.new_pets import pet_of_cells

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.transfer.reading.category_names import CategoryNames
    from pettui.transfer.reading.csv_records import Record
    from pettui.transfer.reading.import_columns import Columns
    from pettui.transfer.reading.import_lines import ImportLine
    from pettui.transfer.reading.physical_lines import PhysicalLine

_FIRST_RECORD_MAXIMUM = 100  # lines
_COLUMNS = 3  # that are read without a header


def csv_pets(
    lines: Iterator[PhysicalLine],
    categories: CategoryNames,
    maximum: int,
    ignored: dict[str, None],
) -> Iterator[ImportLine]:
    """Return each record as an animal or a bad line.

    Args:
        lines: of the file.
        categories: the profile's.
        maximum: characters of a record.
        ignored: names of columns that createPet does not have; those of this file are added.

    Raises:
        HeaderError: the header lacks a field, or has it twice.
    """
    records = csv_records(*_delimited(lines, categories), maximum)
    first = next(records, None)
    if first is None:
        return
    columns = WITHOUT_HEADER
    if first.fault is None and is_header(first.cells, categories):
        columns = columns_of(first.cells)
        ignored.update(dict.fromkeys(columns.ignored[:IGNORED_MAXIMUM]))
    else:
        records = chain([first], records)
    for record in records:
        if columns.width is None:
            _note_extra_cells(record, ignored)
        yield _line(record, columns, categories)


def _delimited(
    lines: Iterator[PhysicalLine], categories: CategoryNames
) -> tuple[Iterator[PhysicalLine], str]:
    """Return the lines from the first that is not blank, and their delimiter."""
    first = next((line for line in lines if line.text is None or line.text.strip()), None)
    if first is None:
        return lines, ","
    if (declared := declared_delimiter(first.text or "")) is not None:
        return lines, declared
    record = _first_record(first, lines)
    text = "".join(line.text or "" for line in record)
    return chain(record, lines), likely_delimiter(text, categories)


def _first_record(first: PhysicalLine, lines: Iterator[PhysicalLine]) -> list[PhysicalLine]:
    """Return the first line, and the following ones while a quotation mark is open."""
    record = [first]
    quotes = (first.text or "").count('"')
    while quotes % 2 and len(record) < _FIRST_RECORD_MAXIMUM:
        line = next(lines, None)
        if line is None:
            break
        record.append(line)
        quotes += (line.text or "").count('"')
    return record


def _note_extra_cells(record: Record, ignored: dict[str, None]) -> None:
    for index in range(_COLUMNS, min(len(record.cells), IGNORED_MAXIMUM)):
        if record.cells[index]:
            ignored[f"column {index + 1}"] = None


def _line(record: Record, columns: Columns, categories: CategoryNames) -> ImportLine:
    position = Position(record.line)
    if record.fault is not None:
        return BadLine(position, WHOLE, record.fault)
    return import_line(position, lambda: pet_of_cells(record.cells, columns, categories))
