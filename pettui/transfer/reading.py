"""The content of a file to import: its text, and the lines, records and JSON values in that.

A file is read whole, within a limit. A byte that is not UTF-8 becomes a lone surrogate (PEP 383),
so that it costs only its line.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import deque
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, Final, Self, TypeVar

from pettui.models.pets import is_encodable
from pettui.text.amounts import size_text
from pettui.text.json import BLANK
from pettui.transfer.files import TransferError, failure, transfer_errors
from pettui.transfer.writing import EXPORT_HEADER, fields_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Item = TypeVar("Item")

ENCODINGS: Final = ("cp1252", "cp1250", "cp1253", "cp1251", "mac-roman")
"""Of files that are not UTF-8: Western, Central European, Greek, Cyrillic, an old Macintosh."""
TOO_LONG: Final = "it is too long"
_NEVER_CLOSED: Final = "a quotation mark opens here and is never closed"
_AFTER_QUOTE: Final = (
    "something follows a closing quotation mark; one within a cell is written twice"
)

_EXAMINED: Final = 8_192  # bytes, to recognize what is not text
_START: Final = 20  # characters
_UTF_8: Final = "utf-8"
_MARKS: Final[Mapping[bytes, str]] = MappingProxyType(
    {codecs.BOM_UTF8: _UTF_8, codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
)
_EXPORT: Final = ",".join(EXPORT_HEADER).encode()
_CONTROL: Final = re.compile(rb"[\x01-\x08\x0e-\x19\x1c-\x1f]")
_MARKUP: Final = re.compile(rb"\s*<(?:!doctype|html|table|meta|\?xml)\b", re.IGNORECASE)
_BINARY: Final = re.compile("[\x00-\x08\x0e-\x19\x1c-\x1f]")
_BYTE: Final = re.compile("[\udc80-\udcff]")
_CELL_END: Final = re.compile(r'[,;|"\t\r\n]')
_NAMES: Final = 5  # in an encoding, to be compared with others
_NAME: Final = 30  # characters of one, before and behind the first that is not ASCII
_LINE: Final = re.compile(r"[^\r\n]*+(?:\r\n|\n|\r)|[^\r\n]++")
_FIELDS: Final = re.compile(r"[^\n]*+\n|[^\n]++")
_HEADER: Final = 1_000  # characters
_NOT_BLANK: Final = re.compile(rf"[^{BLANK}]")

# The module's limit on a cell is one for the whole process; records are limited here instead.
csv.field_size_limit(2**31 - 1)


# Text


_SPREADSHEETS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")


def is_spreadsheet(source: BinaryIO) -> bool:
    """Whether a file begins like one: as a ZIP, or a compound file of Microsoft's."""
    begin = source.tell()
    head = source.read(len(_SPREADSHEETS[1]))
    source.seek(begin)
    return head.startswith(_SPREADSHEETS)


class UnusableError(ValueError):
    """Why a whole file cannot be used."""


def bounded(items: Iterable[Item], maximum: int) -> Iterator[Item]:
    """Return the items; raises UnusableError behind the last that there may be."""
    for number, item in enumerate(items, start=1):
        if number > maximum:
            raise UnusableError(f"it has more than {maximum:,} lines")
        yield item


class EncodingError(TransferError):
    """Most of what is not ASCII is no UTF-8, and only the user can say what it is."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        """Keep what the first names would be in each of the likely encodings."""
        reason = "it is neither UTF-8 nor UTF-16"
        super().__init__(str(failure("read", name, reason)), reason)
        read = {each: tuple(_in_encoding(text, each) for text in names) for each in ENCODINGS}
        self.names: Mapping[str, Sequence[str]] = MappingProxyType(read)


def read_text(source: BinaryIO, name: str, maximum: int, encoding: str | None = None) -> str:
    """Return a file's text, without its byte order mark: UTF-8, or UTF-16 as Excel writes it.

    Args:
        source: read from its current position to its end.
        name: for errors.
        maximum: bytes.
        encoding: that the user chose, if any.

    Raises:
        EncodingError: it is in none of the two, and no other was chosen.
        TransferError: it is not text, is larger, or cannot be read.
    """
    with transfer_errors("read", name):
        content = source.read(maximum + 1)
    if (reason := _why_binary(content[:_EXAMINED])) is not None:
        raise failure("read", name, reason)
    if len(content) > maximum:
        raise failure("read", name, f"it is larger than {size_text(maximum)}")
    if encoding is not None:
        try:
            return content.decode(encoding, "surrogateescape").removeprefix("\ufeff")
        except UnicodeError as error:
            raise failure("read", name, f"it is not {encoding}: {error}") from None
    mark, encoding = _encoding(content)
    content = content.removeprefix(mark)
    if encoding == _UTF_8:
        text = content.decode(encoding, "surrogateescape")
        if _is_mostly_another(text):
            raise EncodingError(name, _broken_names(text))
        return text
    is_cut_off = len(content) % 2 > 0
    text = content[: len(content) - is_cut_off].decode(encoding, "surrogatepass")
    return f"{text}\udfff" if is_cut_off else text


def _is_mostly_another(text: str) -> bool:
    """Whether most characters that are not ASCII are bytes that are no UTF-8."""
    if text.isascii() or not _BYTE.search(text):
        return False
    broken = sum(1 for _ in _BYTE.finditer(text))
    return 2 * broken > len(text) - len(text.encode("ascii", "ignore"))


def _broken_names(text: str) -> Sequence[str]:
    """Return the first cells with bytes that are no UTF-8."""
    found: dict[str, None] = {}
    position = 0
    while len(found) < _NAMES and (byte := _BYTE.search(text, position)):
        before = _CELL_END.split(text[max(position, byte.start() - _NAME) : byte.start()])[-1]
        behind = _CELL_END.split(text[byte.start() : byte.start() + _NAME], maxsplit=1)[0]
        found[(before + behind).strip()] = None
        position = byte.start() + len(behind)
    return tuple(found)


def _in_encoding(text: str, encoding: str) -> str:
    return text.encode(_UTF_8, "surrogateescape").decode(encoding, "replace")


def start_of(text: str) -> str:
    """Return the first characters of a text after white space."""
    found = _NOT_BLANK.search(text)
    return "" if found is None else text[found.start() : found.start() + _START]


def why_not_text(text: str) -> str | None:
    """Return why a text cannot be sent as UTF-8; None if it can."""
    if text.isascii():
        return None
    if byte := _BYTE.search(text):
        number = ord(byte[0]) - 0xDC00
        return f"it is not UTF-8 (byte 0x{number:02X}); save the file as UTF-8"
    return None if is_encodable(text) else "it contains an incomplete character"


def _encoding(head: bytes) -> tuple[bytes, str]:
    """Return the byte order mark and the encoding."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return mark, encoding
    # Without a mark: the first character of any real import is ASCII.
    if len(head) > 1 and (head[0] == 0) != (head[1] == 0):
        return b"", "utf-16-be" if head[0] == 0 else "utf-16-le"
    return b"", _UTF_8


def _why_binary(head: bytes) -> str | None:
    mark, encoding = _encoding(head)
    content = head.removeprefix(mark)
    if encoding != _UTF_8:  # without a mark that was a guess
        text = content.decode(encoding, "replace")
        return "it is not text" if "\0" in text or (not mark and _BINARY.search(text)) else None
    if content.startswith(_EXPORT):
        return None
    if _MARKUP.match(content):
        return "it is a page or XML, whatever its name; open it in a spreadsheet, save it as CSV"
    is_binary = b"\0" in content or (_CONTROL.search(content) and _is_broken(content))
    return "it is not text" if is_binary else None


def _is_broken(content: bytes) -> bool:
    try:
        codecs.getincrementaldecoder(_UTF_8)().decode(content)  # the end may be incomplete
    except UnicodeDecodeError:
        return True
    return False


# Lines and the records of a CSV


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text, as an editor counts them."""

    number: int  # from 1
    text: str  # with its line end


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a CSV."""

    line: int  # its first, from 1
    cells: Sequence[str]
    fault: str | None = None  # why it cannot be read
    text: str = ""  # of one that cannot be read, unless it is too long, and of any object
    element: int | None = None  # its number in a list of JSON
    nameless: str = ""  # an object's text, whose name is none


def lines_of(text: str) -> Iterator[Line]:
    """Return the lines of a text, which end in CRLF, LF or CR."""
    return (Line(number, found[0]) for number, found in enumerate(_LINE.finditer(text), start=1))


def csv_records(lines: Iterable[Line], delimiter: str, maximum: int) -> Iterator[Record]:
    """Return each record that is not blank; a fault costs only its first line.

    Args:
        lines: of the file.
        delimiter: between cells, one character.
        maximum: characters of a record.
    """
    texts = _RecordTexts(lines, maximum)
    reader = csv.reader(texts, delimiter=delimiter, skipinitialspace=True, strict=True)
    while True:
        texts.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield Record(texts.first, (), texts.fault, texts.take_back())
        else:
            if texts.is_too_long:
                yield Record(texts.first, (), TOO_LONG)
            elif any(cell and not cell.isspace() for cell in cells):
                yield Record(texts.first, cells)


def has_fields(text: str) -> bool:
    """Whether a text begins with a header of fields: the interface's names, as commands write them.

    Any other file with tabs is a spreadsheet's, with quotation marks in place of backslashes.
    """
    header, end, _ = text[:_HEADER].partition("\n")
    return bool(end) and {"name", "categoryId"} <= {*header.split("\t")} and "\r" not in header


def field_records(text: str, maximum: int) -> Iterator[Record]:
    """Return each record of fields as commands write them, whose lines end in LF alone."""
    for number, found in enumerate(_FIELDS.finditer(text), start=1):
        try:
            if len(found[0]) > maximum:
                yield Record(number, (), TOO_LONG)
            elif found[0] != "\n":
                yield Record(number, fields_in(found[0].removesuffix("\n")))
        except ValueError as error:
            yield Record(number, (), str(error))


class _RecordTexts:
    """The lines that a reader of records asks for, and those of the current record.

    A quotation mark that is never closed would make all lines behind it parts of its record. So
    the record of a fault gives them back, but for its first one.
    """

    def __init__(self, lines: Iterable[Line], maximum: int) -> None:
        self._lines = iter(lines)
        self._maximum = maximum
        self._record: list[Line] = []  # so far
        self._length = 0  # of that
        self._is_over = False  # the reader has asked for more lines than it gets
        self._again: deque[Line] = deque()

    def begin(self) -> None:
        """Begin another record."""
        self._record, self._length, self._is_over = [], 0, False

    @property
    def first(self) -> int:
        """The number of the record's first line."""
        return self._record[0].number

    @property
    def is_too_long(self) -> bool:
        """Whether a single line is longer than a record may be."""
        return self._length > self._maximum

    @property
    def fault(self) -> str:
        """Why a record cannot be read."""
        is_open = self._is_over or len(self._record) > 1
        return _NEVER_CLOSED if is_open else _AFTER_QUOTE

    def take_back(self) -> str:
        """Let the lines behind the first one be read again; return that."""
        first, *others = self._record
        self._again.extendleft(reversed(others))
        return first.text

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        """Return the next text; of a line that is too long none, and no more than there may be."""
        line = self._again.popleft() if self._again else next(self._lines, None)
        if line is None:
            self._is_over = True
            raise StopIteration
        length = self._length + len(line.text)
        if self._record and length > self._maximum:
            self._again.appendleft(line)
            self._is_over = True
            raise StopIteration
        self._record.append(line)
        self._length = length
        return "\n" if self.is_too_long else line.text


def first_cells(lines: Iterable[str], delimiter: str) -> Sequence[str]:
    """Return the cells of the first record in these lines, whatever its quotation marks are."""
    return next(csv.reader(lines, delimiter=delimiter, skipinitialspace=True), ())
