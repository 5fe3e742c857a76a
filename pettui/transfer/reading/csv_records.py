"""Lines → the records of a CSV (RFC 4180), however long their cells are.

Python's csv module limits the length of a cell for the whole process, and stops at the first
fault; here a fault costs only its record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pettui.transfer.reading.physical_lines import PhysicalLine

TOO_LONG: Final = "it is too long"
NEVER_CLOSED: Final = "a quotation mark opens here and is never closed"
AFTER_QUOTE: Final = "something follows a closing quotation mark"
_ENDS: Final = "\r\n"
_QUOTE: Final = '"'
_BLANKS: Final = re.compile(" *")


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a CSV."""

    line: int  # its first, from 1
    cells: tuple[str, ...]
    fault: str | None = None  # why it cannot be read


def csv_records(lines: Iterable[PhysicalLine], delimiter: str, maximum: int) -> Iterator[Record]:
    """Return each record that is not blank.

    Args:
        lines: of the file.
        delimiter: between cells, one character.
        maximum: characters of a record.
    """
    growing: _GrowingRecord | None = None
    for line in lines:
        if growing is None:
            growing = _GrowingRecord(line.number, delimiter, maximum)
        if not growing.is_complete_with(line.text):
            continue
        record, growing = growing.record, None
        if record.fault or any(cell and not cell.isspace() for cell in record.cells):
            yield record
    if growing is not None:
        yield Record(growing.line, (), NEVER_CLOSED)


def cells_of(line: str, delimiter: str) -> tuple[str, ...]:
    """Return the cells of one line."""
    record = _GrowingRecord(1, delimiter, len(line))
    record.is_complete_with(line)
    return record.record.cells


class _GrowingRecord:
    """A record as its lines are read."""

    def __init__(self, line: int, delimiter: str, maximum: int) -> None:
        self.line = line
        self._delimiter = delimiter
        self._room = maximum
        self._cells: list[str] = []
        self._quoted: list[str] | None = None  # parts of a cell that a quotation mark opened
        self._fault: str | None = None

    @property
    def record(self) -> Record:
        """The record so far."""
        return Record(self.line, tuple(self._cells), self._fault)

    def is_complete_with(self, text: str | None) -> bool:
        """Add the next line, and return whether the record ends with it.

        Of a record that is too long only the state of its quotation marks is kept.
        """
        if text is None:
            self._fault = TOO_LONG
            return True
        if self._quoted is None and _QUOTE not in text:
            self._cells += text.rstrip(_ENDS).split(self._delimiter)
        else:
            self._add(text)
        self._room -= len(text)
        if self._room < 0:
            self._fault = TOO_LONG
            self._cells.clear()
            if self._quoted:
                self._quoted.clear()
        return self._quoted is None

    def _add(self, text: str) -> None:
        position: int | None = 0
        while position is not None:
            if self._quoted is not None:
                position = self._add_quoted(text, position)
            elif text.startswith(_QUOTE, position):
                self._quoted = []
                position = self._add_quoted(text, position + 1)
            else:
                end, following = self._end_of_cell(text, position)
                self._cells.append(text[position:end])
                position = following

    def _add_quoted(self, text: str, position: int) -> int | None:
        """Add the rest of a quoted cell; return the next one's start, or None at the line's end."""
        parts = self._quoted if self._quoted is not None else []
        while (end := text.find(_QUOTE, position)) >= 0:
            parts.append(text[position:end])
            position = end + 1
            if not text.startswith(_QUOTE, position):
                self._quoted = None
                self._cells.append("".join(parts))
                return self._after_quote(text, position)
            parts.append(_QUOTE)
            position += 1
        parts.append(text[position:])
        return None

    def _after_quote(self, text: str, position: int) -> int | None:
        blanks = _BLANKS.match(text, position)
        position = blanks.end() if blanks else position
        end, following = self._end_of_cell(text, position)
        if end != position:
            self._fault = AFTER_QUOTE
        return following

    def _end_of_cell(self, text: str, position: int) -> tuple[int, int | None]:
        """Return where a cell ends, and where the next starts, or None at the line's end."""
        end = text.find(self._delimiter, position)
        if end >= 0:
            return end, end + 1
        return max(len(text.rstrip(_ENDS)), position), None
