"""What the lines of an import mean: each is an animal to be added, or bad for a reason."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, Final, TypeAlias

from pettui.models.statuses import status_word
from pettui.text.amounts import counted
from pettui.transfer.files import digest_of, failure
from pettui.transfer.mapping import (
    ReadingOptions,
    mapped_fields,
)
from pettui.transfer.meaning import (
    IGNORED,
    WHOLE,
    WITHOUT_HEADER,
    CategoryNames,
    HeaderError,
    LeftOutError,
    LineError,
    Meanings,
    columns_of,
    columns_without_header,
    is_header,
    likely_delimiter,
    pet_of_cells,
    whole,
)
from pettui.transfer.objects import object_records
from pettui.transfer.reading import (
    UnusableError,
    bounded,
    csv_records,
    field_records,
    has_fields,
    is_spreadsheet,
    lines_of,
    read_text,
    start_of,
)
from pettui.transfer.survey import (
    UnmappedError,
    header_index,
    seems_an_animal,
    survey_of,
)
from pettui.transfer.writing import FileFormat, named_format, unguarded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pettui.models.pets import NewPet
    from pettui.transfer.meaning import Columns
    from pettui.transfer.reading import Line, Record
    from pettui.transfer.sheets import Sheet
    from pettui.transfer.survey import Survey


@dataclass(frozen=True, slots=True)
class Position:
    """The position of an animal in a file."""

    line: int  # its first, from 1, as in an editor
    element: int | None = None  # from 1, of a JSON list

    @property
    def noun(self) -> str:
        """What it is one of."""
        return "line" if self.element is None else "animal"

    @property
    def number(self) -> int:
        """Which of them it is."""
        return self.line if self.element is None else self.element

    @property
    def label(self) -> str:
        """How messages name it: "line 7"."""
        return f"{self.noun} {self.number}"


@dataclass(frozen=True, slots=True)
class GoodLine:
    """An animal that can be added."""

    position: Position
    new_pet: NewPet


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is not an animal that can be added."""

    position: Position
    field: str  # NAME, CATEGORY, STATUS or WHOLE
    reason: str  # a few words, not yet safe to draw
    # Name, category and status as they were, and cells too many; of a line that has no such cells
    # these are empty, and the whole line is the one too many.
    cells: tuple[str, ...] = ()
    source: str = ""  # of a JSON object: its text
    unknown: str | None = None  # the value of the field, where a mapping could say what it means

    @classmethod
    def of(cls, position: Position, error: LineError, source: str = "") -> BadLine:
        """Return the line that has this error."""
        return cls(position, error.field, error.reason, error.cells, source, error.unknown)

    @property
    def sentence(self) -> str:
        """Which field is bad, and why: "category is missing"."""
        if self.field == WHOLE:
            return self.reason
        gap = " " if self.reason.startswith(_PREDICATES) else ": "
        return f"{self.field}{gap}{self.reason}"


ImportLine: TypeAlias = GoodLine | BadLine
_PREDICATES: Final = ('"', "is ", "must ")  # what a reason begins with whose subject is the field
_NAMED: Final = 3  # lines that are bad for the same reason


@dataclass(frozen=True, slots=True)
class BadGroup:
    """The lines that are bad for the same reason, at least one."""

    lines: Sequence[BadLine]

    @property
    def label(self) -> str:
        """Which line it is, or how many there are: "line 7", "312 lines"."""
        count, position = len(self.lines), self.lines[0].position
        return position.label if count == 1 else counted(count, position.noun)

    @property
    def sentence(self) -> str:
        """Why they are bad and, of several, where the first ones are."""
        position, count = self.lines[0].position, len(self.lines)
        if count == 1:
            return self.lines[0].sentence
        numbers = ", ".join(str(each.position.number) for each in self.lines[:_NAMED])
        more = ", …" if count > _NAMED else ""
        return f"{self.lines[0].sentence} ({position.noun}s {numbers}{more})"


def by_reason(lines: Iterable[BadLine]) -> list[BadGroup]:
    """Return bad lines with the same reason together, in the order of their first ones."""
    found: defaultdict[tuple[str, str], list[BadLine]] = defaultdict(list)
    for line in lines:
        found[line.field, line.reason].append(line)
    return [BadGroup(group) for group in found.values()]


# A whole file


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Limits on a file."""

    content: int = 50_000_000  # bytes
    lines: int = 200_000  # that may be animals
    line: int = 5_000_000  # characters; no line of an export is longer


def totals_of(lines: Iterable[GoodLine]) -> dict[int, list[str]]:
    """Return how many animals lines are of each category, by status, the most frequent first."""
    pets = (line.new_pet for line in lines)
    found: defaultdict[int, list[str]] = defaultdict(list)
    for (number, status), count in Counter(
        (pet.category_id, pet.status) for pet in pets
    ).most_common():
        found[number].append(f"{count:,} {status_word(status)}")
    return found


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """A whole file, checked before the first animal is sent, in its order."""

    lines: tuple[GoodLine, ...]  # animals that can be added, including repeated ones
    bad_lines: tuple[BadLine, ...]
    ignored_columns: tuple[str, ...]  # names that createPet does not have, not yet safe to draw
    # Which lines the mapping leaves out, and how many: by field and value, not yet safe to draw.
    left_out: Mapping[tuple[str, str], int] = field(default_factory=lambda: _NONE)
    header: tuple[str, ...] = ()  # the names of the file's columns, or members
    digest: str = ""  # of its bytes
    remarks: tuple[str, ...] = ()  # on the file, not yet safe to draw

    @property
    def left_out_texts(self) -> list[str]:
        """How many lines the mapping leaves out, and which: the most frequent first; raw."""
        found = sorted(self.left_out.items(), key=lambda each: -each[1])
        return [
            f"left out: {counted(count, 'line')} "
            + (f'with {field} "{value}"' if value else f"without a {field}")
            for (field, value), count in found
        ]

    def unknown(self, field: str) -> Counter[str]:
        """Return the values of category or status that are not known, and how often they are there.

        They make their lines bad; a mapping can say what they mean.
        """
        values = (line.unknown for line in self.bad_lines if line.field == field)
        return Counter(value for value in values if value is not None)


_NONE: Final[Mapping[tuple[str, str], int]] = MappingProxyType({})
_LINES_A_RECORD: Final = 10  # on average, with blank lines and names of several lines
_SAMPLE: Final = 100  # first lines, or objects, which tell what a file has
_DECLARED: Final = re.compile(r"sep=(.)[\r\n]*", re.IGNORECASE)  # Excel's own


def check_import(
    source: BinaryIO,
    name: str,
    categories: Mapping[int, str],
    limits: ImportLimits | None = None,
    options: ReadingOptions | None = None,
    *,
    digest: str | None = None,
) -> ImportPreview:
    """Return the content of a file. It blocks, for seconds if the file is large.

    Args:
        source: buffered; read from its current position to its end.
        name: for errors; its suffix and the content determine the format.
        categories: the profile's names by number.
        limits: on what is read.
        options: what the user says of the file.
        digest: of the survey that was shown to the user, if any.

    Raises:
        EncodingError: only the user can say which encoding it is in.
        UnmappedError: only the user can say which columns name and category are.
        MappingError: what the user says cannot be so.
        TransferError: it is not text, is too large, cannot be read, or has changed meanwhile.
    """
    limits, options = limits or ImportLimits(), options or ReadingOptions()
    reading = _reading_of(source, name, categories, limits, options)
    if digest is not None and digest != reading.digest:
        raise failure("read", name, "it has changed since its columns were shown; open it again")
    with _unusable_errors(name):
        try:
            lines = [*filter(None, bounded(reading.lines(), limits.lines))]
        except HeaderError as error:
            raise UnmappedError(name, str(error), reading.survey()) from None
    return ImportPreview(
        tuple(line for line in lines if isinstance(line, GoodLine)),
        tuple(line for line in lines if isinstance(line, BadLine)),
        tuple(reading.ignored)[:IGNORED],
        MappingProxyType(reading.left_out),
        reading.header,
        reading.digest,
        reading.remarks,
    )


def _reading_of(
    source: BinaryIO,
    name: str,
    categories: Mapping[int, str],
    limits: ImportLimits,
    options: ReadingOptions,
) -> _Reading:
    """Return what reads a file: its text, or a sheet of it; raises TransferError."""
    text, sheet = "", None
    if is_spreadsheet(source):
        from pettui.transfer.sheets import read_sheet  # noqa: PLC0415 - few files are any

        sheet = read_sheet(source, name, options.sheet, content=limits.content)
    elif options.sheet is not None:
        raise failure("read", name, "it is no spreadsheet, and has no sheets")
    else:
        text = read_text(source, name, limits.content, options.encoding)
    reading = _Reading(text, name, categories, limits, options, sheet=sheet)
    reading.digest = digest_of(source)
    return reading


def survey_import(
    source: BinaryIO,
    name: str,
    categories: Mapping[int, str],
    limits: ImportLimits | None = None,
    options: ReadingOptions | None = None,
) -> Survey:
    """Return what is in the columns of a file, whatever they are called; as ``check_import``."""
    limits, options = limits or ImportLimits(), options or ReadingOptions()
    with _unusable_errors(name):
        return _reading_of(source, name, categories, limits, options).survey()


@contextmanager
def _unusable_errors(name: str) -> Iterator[None]:
    try:
        yield
    except UnusableError as error:
        raise failure("read", name, str(error)) from None


def survey_text(text: str, categories: Mapping[int, str], options: ReadingOptions) -> Survey:
    """Return what is in the columns of a text, as ``survey_import`` of a file."""
    limits = ImportLimits(lines=len(text) + 1)  # whoever has it has bounded it
    return _Reading(text, "", categories, limits, options).survey()


def line_of(
    record: Record, columns: Columns, meanings: Meanings, left_out: Counter[tuple[str, str]]
) -> ImportLine | None:
    """Return what a record is; None, and counted, where a mapping leaves it out."""
    position = Position(record.line, record.element)
    if record.fault is not None:
        return BadLine(position, WHOLE, record.fault, whole(record.text))
    try:
        return GoodLine(position, pet_of_cells(record.cells, columns, meanings, record.nameless))
    except LineError as error:
        return BadLine.of(position, error, record.text)
    except LeftOutError as error:
        left_out[error.field, error.value] += 1
        return None


class _Reading:
    """A text that is read in the format that its name and its start say, or a sheet.

    With a delimiter it is a CSV.
    """

    def __init__(
        self,
        text: str,
        name: str,
        categories: Mapping[int, str],
        limits: ImportLimits,
        options: ReadingOptions,
        *,
        sheet: Sheet | None = None,
    ) -> None:
        self.digest = ""  # of the file's bytes
        self.remarks = () if sheet is None else sheet.remarks
        self.header: tuple[str, ...] = ()
        self.ignored: dict[str, None] = {}  # columns that createPet does not have
        self.left_out: Counter[tuple[str, str]] = Counter()
        self._text = text
        self._sheet = sheet  # in place of a text
        self._limits = limits
        self._options = options
        self._mapping = options.mapping
        self._categories = CategoryNames(categories)
        self._named = named_format(name)
        may_be_json = sheet is None and options.delimiter is None
        is_named = self._named in (FileFormat.JSON, FileFormat.JSON_LINES)
        has_brackets = self._named is None and start_of(text)[:1] in ("[", "{")
        self._is_json = may_be_json and (is_named or has_brackets)

    def lines(self) -> Iterator[ImportLine | None]:
        """Return the animals and the bad lines, and None for each that a mapping leaves out.

        Raises:
            HeaderError: no header or option says what the columns are.
            MappingError: what was said cannot be so.
            UnusableError: there are too many lines, or it is no JSON.
        """
        meanings = Meanings(self._categories, self._mapping)
        records = self._records()
        first = next(records, None)
        if first is None:
            return iter(())
        columns = self._columns(first)
        if not (self._options.has_header or self._is_json):
            records = chain([first], records)
        self.ignored.update(dict.fromkeys(columns.ignored[:IGNORED]))
        return (self._line(record, columns, meanings) for record in records)

    @property
    def _has_fields(self) -> bool:
        """Whether it is what commands print, and no option says otherwise."""
        options = self._options
        is_chosen = options.delimiter or options.header_line or not options.has_header
        return not (is_chosen or self._is_json) and has_fields(self._text)

    def _columns(self, first: Record) -> Columns:
        options, mapping = self._options, self._mapping
        if self._is_json and not first.cells:
            return WITHOUT_HEADER  # there is no object
        if not (options.has_header or self._is_json):
            return columns_without_header(len(first.cells), mapping)
        self.header = tuple(cell.strip() for cell in first.cells)
        if first.fault is not None:
            raise HeaderError(f"line {first.line} cannot be read as a header")
        is_chosen = mapped_fields(mapping) or options.header_line is not None
        if not (is_chosen or self._is_json or is_header(first.cells, self._categories)):
            raise HeaderError(f"line {first.line} is no header that pettui knows")
        columns = columns_of(first.cells, mapping)
        # An export's guard against formulas is in no field that commands print, and in no JSON.
        return replace(columns, is_guarded=not (self._is_json or self._has_fields))

    def _records(self) -> Iterator[Record]:
        """Return the records from the header on, or from the first that is not blank."""
        options, limits = self._options, self._limits
        if self._is_json:
            most = {"lines": limits.lines, "line": limits.line}
            return object_records(self._text, self._named, options.items, **most)
        if self._has_fields:
            return bounded(field_records(self._text, limits.line), limits.lines)
        if self._sheet is not None:
            first = options.header_line or 0
            return (record for record in self._sheet.records if record.line >= first)
        lines = bounded(lines_of(self._text), limits.lines * _LINES_A_RECORD)
        if options.header_line is not None:
            above = options.header_line - 1
            if sum(1 for _ in islice(lines, above)) < above:
                raise UnusableError(f"it has no line {options.header_line}")
        lines, delimiter = _delimited(lines, self._categories)
        return csv_records(lines, options.delimiter or delimiter, limits.line)

    def _line(self, record: Record, columns: Columns, meanings: Meanings) -> ImportLine | None:
        if columns.width is None:
            taken = {*columns.names, columns.category, columns.status, columns.name_from}
            numbers = (
                n for n, cell in enumerate(record.cells[:IGNORED]) if cell and n not in taken
            )
            self.ignored.update((f"column {number + 1}", None) for number in numbers)
        return line_of(record, columns, meanings, self.left_out)

    # A survey

    def survey(self) -> Survey:
        """Return what is in the columns, and a guess which of them an animal has."""
        records, options = self._records(), self._options
        begun = [record for record in islice(records, _SAMPLE) if record.fault is None]
        first = begun[0].cells if begun else ()
        options, header, titles = self._header_of(begun)
        readable = (record.cells for record in chain(begun, records) if record.fault is None)
        rows = bounded(islice(readable, header + 1, None), self._limits.lines)
        cells = ([unguarded(cell) for cell in row] for row in rows)
        names = begun[header].cells if header >= 0 else ()
        survey = survey_of(
            cells,
            names,
            options,
            self._categories.by_number,
            first=_shown(first),
            titles=titles,
            digest=self.digest,
            is_named=header >= 0,
            is_json=self._is_json,
        )
        return replace(survey, remarks=self.remarks)

    def _header_of(self, begun: Sequence[Record]) -> tuple[ReadingOptions, int, Sequence[str]]:
        """Return options that say where the header is, its index, and the lines above it.

        The index is -1 where there is none.
        """
        options = self._options
        if not (options.has_header or self._is_json) or not begun:
            return options, -1, ()
        if options.header_line is not None or self._is_json:
            return options, 0, ()
        index = header_index([record.cells for record in begun])
        if index:
            titles = [_shown(record.cells) for record in begun[:index]]
            return replace(options, header_line=begun[index].line), index, titles
        if seems_an_animal(begun[0].cells, self._categories.by_number):
            return replace(options, has_header=False), -1, ()
        return options, 0, ()


def _delimited(lines: Iterator[Line], categories: CategoryNames) -> tuple[Iterator[Line], str]:
    """Return the lines from the first that is not blank, and their delimiter."""
    first = next((line for line in lines if line.text.strip()), None)
    if first is None:
        return lines, ","
    if declared := _DECLARED.fullmatch(first.text):
        return lines, declared[1]
    sample = [first, *islice(lines, _SAMPLE - 1)]
    delimiter = likely_delimiter([line.text for line in sample], categories)
    return chain(sample, lines), delimiter


def _shown(cells: Sequence[str]) -> str:
    """Return a line as it is shown: its cells that are not empty."""
    return " | ".join(cell.strip() for cell in cells if cell.strip())
