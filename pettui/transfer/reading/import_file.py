"""ImportFile: the animals of a file, line after line, and the lines that are none.

It holds one line of the file at a time. Nothing in a file makes it raise anything but
TransferError, and that is about the file as a whole.
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

_LINES_A_RECORD: Final = 10  # on an average, of blank lines and names of several


class ImportFile:
    """A file of animals to be added; read once, from where it stands to its end."""

    def __init__(
        self,
        source: BinaryIO,
        name: str,
        categories: Mapping[int, str],
        limits: ImportLimits | None = None,
    ) -> None:
        """Take a file; nothing is read yet.

        Args:
            source: buffered, so that it returns as many bytes as it is asked for, if it has them.
            name: what errors call it; its suffix says what it holds, together with its content.
            categories: the profile's names by number.
            limits: how much is read of it.
        """
        self._source = source
        self._name = name
        self._categories = CategoryNames(categories)
        self._limits = limits or ImportLimits()
        self._ignored: dict[str, None] = {}

    @property
    def ignored(self) -> tuple[str, ...]:
        """Columns that createPet does not take, as far as they were seen: at most a hundred."""
        return tuple(self._ignored)[:IGNORED_MAXIMUM]

    def lines(self) -> Iterator[ImportLine]:
        """Return the file's animals, and what is none, in their order.

        Raises:
            TransferError: it is not text, has no usable header, or is larger than the limits; or it
                cannot be read.
        """
        for count, line in enumerate(self._lines(), start=1):
            if count > self._limits.lines:
                raise self._failure(f"it has more than {self._limits.lines:,} lines")
            yield line

    def _lines(self) -> Iterator[ImportLine]:
        pieces = text_pieces(self._source, self._name, self._limits.content)
        beginning, pieces = _beginning(pieces)
        named, first = named_format(self._name), beginning[:1]
        if named is FileFormat.CSV or not (named or (first and first in "[{")):
            return self._csv(pieces)
        if first == "[":
            return self._elements(list_elements(pieces, self._limits.line), is_list=True)
        lines = self._physical_lines(pieces)
        if named is not FileFormat.JSON:
            return self._json_lines(lines)
        if first not in ("", "{"):
            raise self._failure(f"it is not JSON: it begins with {beginning[:20]!r}")
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
        """Read objects, each on a line or, where the first is not, each over several."""
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


def _beginning(pieces: Iterator[str]) -> tuple[str, Iterator[str]]:
    """Return how a text begins behind its blanks, and the text; its first piece is not blank."""
    read = []
    for piece in pieces:
        read.append(piece)
        if beginning := piece.lstrip(BLANK)[:100]:
            return beginning, chain(["".join(read)], pieces)
    return "", iter(["".join(read)])
