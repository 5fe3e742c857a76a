"""The lines of a CSV → animals to be added, and the records that are none."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from pettui.transfer.reading.csv_records import csv_records
from pettui.transfer.reading.import_columns import (
    WITHOUT_HEADER,
    columns_of,
    is_header,
    likely_delimiter,
    said_delimiter,
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

_LOOKED_AT = 100  # lines of the first record
_TAKEN = 3  # cells of a record without a header


def csv_pets(
    lines: Iterator[PhysicalLine],
    categories: CategoryNames,
    maximum: int,
    ignored: dict[str, None],
) -> Iterator[ImportLine]:
    """Return what each record is.

    Args:
        lines: of the file.
        categories: the profile's.
        maximum: characters of a record.
        ignored: names of columns that createPet does not take; those of this file are added.

    Raises:
        HeaderError: there is a header, and it does not say where a field is.
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
            _name_further_cells(record, ignored)
        yield _line(record, columns, categories)


def _delimited(
    lines: Iterator[PhysicalLine], categories: CategoryNames
) -> tuple[Iterator[PhysicalLine], str]:
    """Return the lines from the first that is not blank, and what separates their cells."""
    first = next((line for line in lines if line.text is None or line.text.strip()), None)
    if first is None:
        return lines, ","
    if (said := said_delimiter(first.text or "")) is not None:
        return lines, said
    beginning = _first_record(first, lines)
    text = "".join(line.text or "" for line in beginning)
    return chain(beginning, lines), likely_delimiter(text, categories)


def _first_record(first: PhysicalLine, lines: Iterator[PhysicalLine]) -> list[PhysicalLine]:
    """Return the first line, and those that follow while a quotation mark may be open."""
    beginning = [first]
    quotes = (first.text or "").count('"')
    while quotes % 2 and len(beginning) < _LOOKED_AT:
        line = next(lines, None)
        if line is None:
            break
        beginning.append(line)
        quotes += (line.text or "").count('"')
    return beginning


def _name_further_cells(record: Record, ignored: dict[str, None]) -> None:
    for index in range(_TAKEN, min(len(record.cells), IGNORED_MAXIMUM)):
        if record.cells[index]:
            ignored[f"column {index + 1}"] = None


def _line(record: Record, columns: Columns, categories: CategoryNames) -> ImportLine:
    position = Position(record.line)
    if record.fault is not None:
        return BadLine(position, WHOLE, record.fault)
    return import_line(position, lambda: pet_of_cells(record.cells, columns, categories))
