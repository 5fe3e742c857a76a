"""ImportFile: the animals of a file and its bad lines, one by one.

Only one line of the file is in memory at a time. Whatever a file contains, only TransferError is
raised, and only for the file as a whole.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from pettui.transfer.errors import TransferError, failure
from pettui.transfer.formats import FileFormat, named_format
from pettui.transfer.reading.category_names import CategoryNames
from pettui.transfer.reading.csv_pets import csv_pets
from pettui.transfer.reading.csv_records import TOO_LONG
from pettui.transfer.reading.import_columns import HeaderError
from pettui.transfer.reading.import_lines import (
    IGNORED_MAXIMUM,
    WHOLE,
    BadLine,
    ImportLimits,
    ImportLine,
    Position,
    import_line,
)
from pettui.transfer.reading.json_elements import (
    BLANK,
    Element,
    list_elements,
    listless_values,
)
from pettui.transfer.reading.json_pets import pet_of_json
from pettui.transfer.reading.physical_lines import physical_lines
from pettui.transfer.reading.text_pieces import text_pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import BinaryIO

    from pettui.transfer.reading.physical_lines import PhysicalLine

_LINES_A_RECORD: Final = 10  # on average, with blank lines and names of several lines


class ImportFile:
    """A file of animals to add; read once, from its current position to its end."""

    def __init__(
        self,
        source: BinaryIO,
        name: str,
        categories: Mapping[int, str],
        limits: ImportLimits | None = None,
    ) -> None:
        """Create a reader; nothing is read yet.

        Args:
            source: buffered, so that a read returns as many bytes as requested, if there are.
            name: for errors; its suffix and the content determine the format.
            categories: the profile's names by number.
            limits: on what is read.
        """
        self._source = source
        self._name = name
        self._categories = CategoryNames(categories)
        self._limits = limits or ImportLimits()
        self._ignored: dict[str, None] = {}

    @property
    def ignored(self) -> tuple[str, ...]:
        """Names of columns seen so far that createPet does not have; at most a hundred."""
        return tuple(self._ignored)[:IGNORED_MAXIMUM]

    def lines(self) -> Iterator[ImportLine]:
        """Return the file's animals and bad lines, in order.

        Raises:
            TransferError: it is not text, has no usable header, exceeds the limits, or cannot be
                read.
        """
        for count, line in enumerate(self._lines(), start=1):
            if count > self._limits.lines:
                raise self._failure(f"it has more than {self._limits.lines:,} lines")
            yield line

    def _lines(self) -> Iterator[ImportLine]:
        pieces = text_pieces(self._source, self._name, self._limits.content)
        start, pieces = _start_of(pieces)
        named, first = named_format(self._name), start[:1]
        if named is FileFormat.CSV or not (named or (first and first in "[{")):
            return self._csv(pieces)
        if first == "[":
            return self._elements(list_elements(pieces, self._limits.line), is_list=True)
        lines = self._physical_lines(pieces)
        if named is not FileFormat.JSON:
            return self._json_lines(lines)
        if first not in ("", "{"):
            raise self._failure(f"it is not JSON: it starts with {start[:20]!r}")
        return self._json_values(lines)

    def _failure(self, reason: str) -> TransferError:
        return failure("read", self._name, reason)

    def _csv(self, pieces: Iterable[str]) -> Iterator[ImportLine]:
        try:
            lines = self._physical_lines(pieces)
            yield from csv_pets(lines, self._categories, self._limits.line, self._ignored)
        except HeaderError as error:
            raise self._failure(str(error)) from None

    def _physical_lines(self, pieces: Iterable[str]) -> Iterator[PhysicalLine]:
        maximum = self._limits.lines * _LINES_A_RECORD
        for line in physical_lines(pieces, self._limits.line):
            if line.number > maximum:
                raise self._failure(f"it has more than {maximum:,} lines")
            yield line

    def _json_lines(self, lines: Iterable[PhysicalLine]) -> Iterator[ImportLine]:
        elements = (
            Element(line.number, line.text)
            for line in lines
            if line.text is None or line.text.strip(BLANK)
        )
        return self._elements(elements, is_list=False)

    def _json_values(self, lines: Iterable[PhysicalLine]) -> Iterator[ImportLine]:
        """Read objects, one on each line, or over several lines if the first one is."""
        first, rest = [], iter(lines)
        for line in rest:
            first.append(line)
            if line.text is None or line.text.strip(BLANK):
                break
        lines = chain(first, rest)
        if first and (first[-1].text or "}").rstrip(BLANK).endswith("}"):
            return self._json_lines(lines)
        pieces = (line.text or "\n" for line in lines)
        return self._elements(listless_values(pieces, self._limits.line), is_list=False)

    def _elements(self, elements: Iterable[Element], *, is_list: bool) -> Iterator[ImportLine]:
        for number, element in enumerate(elements, start=1):
            position = Position(element.line, number if is_list else None)
            yield self._json_line(position, element)

    def _json_line(self, position: Position, element: Element) -> ImportLine:
        text = element.text
        if text is None or element.fault is not None:
            return BadLine(position, WHOLE, element.fault or TOO_LONG)
        ignored: dict[str, None] = {}
        line = import_line(position, lambda: pet_of_json(text, self._categories, ignored))
        if len(self._ignored) < IGNORED_MAXIMUM:
            self._ignored.update(ignored)
        return line


def _start_of(pieces: Iterator[str]) -> tuple[str, Iterator[str]]:
    """Return the start of a text after white space, and the whole text in pieces."""
    read = []
    for piece in pieces:
        read.append(piece)
        if start := piece.lstrip(BLANK)[:100]:
            return start, chain(["".join(read)], pieces)
    return "", iter(["".join(read)])
