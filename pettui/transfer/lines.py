"""What the lines of an import mean: each is an animal to be added, or bad for a reason."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard, TypeVar

from pettui.models.pets import NewPet, int64, shown, trimmed_name
from pettui.models.statuses import ONE_OF_STATUSES, STATUSES
from pettui.models.validation import WrongFieldError, WrongShapeError, fields_of, new_pet_of
from pettui.settings.settings import Limits
from pettui.text.amounts import counted
from pettui.text.json import BLANK, NotJsonError, Number, json_text, json_value
from pettui.transfer.files import digest_of, failure
from pettui.transfer.reading import (
    ReadingOptions,
    csv_records,
    field_records,
    first_cells,
    following_values,
    has_fields,
    is_spreadsheet,
    json_lines,
    lines_of,
    list_elements,
    members_of,
    read_text,
    start_of,
    why_not_text,
)
from pettui.transfer.writing import (
    CHECKED_HEADER,
    DELIMITERS,
    EXPORT_HEADER,
    RESULT_HEADER,
    FileFormat,
    named_format,
    unguarded,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import BinaryIO

    from pettui.models.statuses import PetStatus
    from pettui.transfer.reading import Line, Record, Value
    from pettui.transfer.sheets import Sheet

Item = TypeVar("Item")
NAME: Final = "name"
CATEGORY: Final = "category"
STATUS: Final = "status"
WHOLE: Final = ""  # in place of a field: the fault concerns the whole line
MISSING: Final = "is missing"  # the reason of a field without a value


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


class LineError(ValueError):
    """What is wrong with a line, and in which field."""

    def __init__(
        self, field: str, reason: str, cells: tuple[str, ...] = (), source: str = ""
    ) -> None:
        super().__init__(reason)
        self.field = field
        self.reason = reason
        self.cells = cells  # see BadLine
        self.source = source

    def at(self, position: Position) -> BadLine:
        """Return the bad line."""
        return BadLine(position, self.field, self.reason, self.cells, self.source)


# A whole file


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Limits on a file."""

    content: int = 50_000_000  # bytes
    lines: int = 200_000  # that may be animals
    line: int = 5_000_000  # characters; no line of an export is longer


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """A whole file, checked before the first animal is sent, in its order."""

    lines: tuple[GoodLine, ...]  # animals that can be added, including repeated ones
    bad_lines: tuple[BadLine, ...]
    ignored_columns: tuple[str, ...]  # names that createPet does not have, not yet safe to draw
    digest: str = ""  # of its bytes
    remarks: tuple[str, ...] = ()  # on the file, not yet safe to draw


_IGNORED: Final = 100  # names of columns that are reported
_LINES_A_RECORD: Final = 10  # on average, with blank lines and names of several lines


def check_import(
    source: BinaryIO,
    name: str,
    categories: Mapping[int, str],
    limits: ImportLimits | None = None,
    options: ReadingOptions | None = None,
) -> ImportPreview:
    """Return the content of a file. It blocks, for seconds if the file is large.

    Args:
        source: buffered; read from its current position to its end.
        name: for errors; its suffix and the content determine the format.
        categories: the profile's names by number.
        limits: on what is read.
        options: what a person says of the file.

    Raises:
        EncodingError: only a person can say which encoding it is in.
        TransferError: it is not text, has no usable header, is too large, or cannot be read.
    """
    limits, options = limits or ImportLimits(), options or ReadingOptions()
    sheet: Sheet | None = None
    if is_spreadsheet(source):
        from pettui.transfer.sheets import read_sheet  # noqa: PLC0415 - few files are any

        sheet = read_sheet(source, name, options.sheet, rows=limits.lines, content=limits.content)
    elif options.sheet is not None:
        raise failure("read", name, "it is no spreadsheet, and has no sheets")
    good: list[GoodLine] = []
    bad: list[BadLine] = []
    ignored: dict[str, None] = {}
    try:
        if sheet is not None:
            lines = _record_lines(iter(sheet.records), CategoryNames(categories), ignored)
        else:
            lines = _import_lines(
                read_text(source, name, limits.content, options.encoding),
                name,
                CategoryNames(categories),
                limits,
                ignored,
                delimiter=options.delimiter,
                items=options.items,
            )
        for line in _bounded(lines, limits.lines):
            if isinstance(line, BadLine):
                bad.append(line)
            else:
                good.append(line)
    except _UnusableError as error:
        raise failure("read", name, str(error)) from None
    remarks = () if sheet is None else sheet.remarks
    names = tuple(ignored)[:_IGNORED]
    return ImportPreview(tuple(good), tuple(bad), names, digest_of(source), remarks)


class _UnusableError(ValueError):
    """Why a whole file cannot be used."""


def _import_lines(
    text: str,
    name: str,
    categories: CategoryNames,
    limits: ImportLimits,
    ignored: dict[str, None],
    *,
    delimiter: str | None,
    items: str | None,
) -> Iterator[ImportLine]:
    """Read a text in the format that its name and its start say; with a delimiter it is a CSV.

    Names of columns that createPet does not have are added to ``ignored``.
    """
    start = start_of(text)
    named, first = named_format(name), start[:1]
    lines = _bounded(lines_of(text), limits.lines * _LINES_A_RECORD)
    is_csv = named is FileFormat.CSV or not (named or (first and first in "[{"))
    if is_csv or delimiter is not None:
        if has_fields(text) and delimiter is None:
            return _field_lines(
                _bounded(field_records(text, limits.line), limits.lines), categories, ignored
            )
        return _csv_lines(lines, categories, limits.line, delimiter, ignored)
    if first == "[":
        elements = list_elements(text, limits.line)
        return _json_lines(elements, categories, ignored, is_list=True)
    if first == "{" and named is not FileFormat.JSON_LINES:
        position = _list_in(text, items)
        if position is not None:
            elements = list_elements(text, limits.line, position)
            return _json_lines(elements, categories, ignored, is_list=True)
    if named is not FileFormat.JSON:
        values = json_lines(lines, limits.line)
    elif first not in ("", "{"):
        raise _UnusableError(f"it is not JSON: it starts with {start!r}")
    elif _is_object_a_line(text):
        values = json_lines(lines, limits.line)
    else:
        values = following_values(text, limits.line)
    return _json_lines(values, categories, ignored, is_list=False)


def _bounded(lines: Iterable[Item], maximum: int) -> Iterator[Item]:
    for number, line in enumerate(lines, start=1):
        if number > maximum:
            raise _UnusableError(f"it has more than {maximum:,} lines")
        yield line


def _list_in(text: str, items: str | None) -> int | None:
    """Return where the list of animals begins in an object; None where that is an animal itself."""
    if _is_object_a_line(text) and text.strip(BLANK + "\r\n").count("\n"):
        return None  # JSON Lines
    members = members_of(text)
    if members is None or {NAME, CATEGORY} <= _names_in(members).keys():
        return None
    lists = {name: position for name, position in members.items() if position is not None}
    if items is not None:
        if items not in lists:
            raise _UnusableError(f"it has no list of objects that is called {items}")
        return lists[items]
    if len(lists) > 1:
        raise _UnusableError(f"it has the lists {', '.join(lists)}; --items names one")
    return next(iter(lists.values()), None)


def _is_object_a_line(text: str) -> bool:
    """Whether the first line that is not blank seems to be a whole object."""
    first = next((line.text for line in lines_of(text) if line.text.strip(BLANK)), "}")
    return first.rstrip(BLANK).endswith("}")


def _csv_lines(
    lines: Iterator[Line],
    categories: CategoryNames,
    maximum: int,
    delimiter: str | None,
    ignored: dict[str, None],
) -> Iterator[ImportLine]:
    lines, likely = _delimited(lines, categories)
    yield from _record_lines(csv_records(lines, delimiter or likely, maximum), categories, ignored)


def _record_lines(
    records: Iterator[Record], categories: CategoryNames, ignored: dict[str, None]
) -> Iterator[ImportLine]:
    """Read records below a header, or without one; also those of a sheet."""
    first = next(records, None)
    if first is None:
        return
    columns = WITHOUT_HEADER
    if first.fault is None and is_header(first.cells, categories):
        columns = columns_of(first.cells)
        ignored.update(dict.fromkeys(columns.ignored[:_IGNORED]))
    else:
        records = chain([first], records)
    for record in records:
        if columns.width is None:
            extra = record.cells[WITHOUT_HEADER_WIDTH:_IGNORED]
            numbers = (n for n, cell in enumerate(extra, WITHOUT_HEADER_WIDTH + 1) if cell)
            ignored.update((f"column {number}", None) for number in numbers)
        yield _csv_line(record, columns, categories)


def _field_lines(
    records: Iterator[Record], categories: CategoryNames, ignored: dict[str, None]
) -> Iterator[ImportLine]:
    """Read fields as commands print them, without a guard against formulas."""
    columns = columns_of(next(records).cells)
    ignored.update(dict.fromkeys(columns.ignored[:_IGNORED]))
    columns = replace(columns, is_guarded=False)
    return (_csv_line(record, columns, categories) for record in records)


def _delimited(lines: Iterator[Line], categories: CategoryNames) -> tuple[Iterator[Line], str]:
    """Return the lines from the first that is not blank, and their delimiter."""
    first = next((line for line in lines if line.text.strip()), None)
    if first is None:
        return lines, ","
    if declared := _DECLARED.fullmatch(first.text):
        return lines, declared[1]
    sample = [first, *islice(lines, _SAMPLE - 1)]
    delimiter = _likely_delimiter([line.text for line in sample], categories)
    return chain(sample, lines), delimiter


def _csv_line(record: Record, columns: Columns, categories: CategoryNames) -> ImportLine:
    position = Position(record.line)
    if record.fault is not None:
        return BadLine(position, WHOLE, record.fault, _whole(record.text))
    try:
        return GoodLine(position, pet_of_cells(record.cells, columns, categories))
    except LineError as error:
        return error.at(position)


def _json_lines(
    values: Iterable[Value], categories: CategoryNames, ignored: dict[str, None], *, is_list: bool
) -> Iterator[ImportLine]:
    line_before = 0
    for number, value in enumerate(values, start=1):
        is_numbered = is_list or value.line == line_before  # two of one line are two animals
        position, line_before = Position(value.line, number if is_numbered else None), value.line
        if value.fault is not None:
            yield BadLine(position, WHOLE, value.fault, _whole(value.text))
            continue
        try:
            yield GoodLine(position, _pet_of_json(value.text, categories, ignored))
        except LineError as error:
            yield error.at(position)


# Categories


class CategoryNames:
    """The categories of a profile, looked up by number or name."""

    def __init__(self, categories: Mapping[int, str]) -> None:
        """Index the profile's names by number; several categories may have the same name."""
        self._names = tuple(dict.fromkeys(categories.values()))
        self._numbers: dict[str, list[int]] = {}
        for number, name in categories.items():
            self._numbers.setdefault(_folded_name(name), []).append(number)

    def has(self, text: str) -> bool:
        """Whether a text is a number, or one of the names."""
        return _NUMBER.fullmatch(text.strip()) is not None or _folded_name(text) in self._numbers

    def number_of(self, text: str) -> int:
        """Return the number of a category.

        Raises:
            LineError: no category matches, or more than one does.
        """
        written = text.strip()
        if not written:
            raise LineError(CATEGORY, MISSING)
        if number := _NUMBER.fullmatch(written):
            try:
                return int64(Number(number[1].removeprefix("+") + number[2]))
            except ValueError as error:
                raise LineError(CATEGORY, str(error)) from None
        cut = _quoted(written)
        match self._numbers.get(_folded_name(written), []):
            case [only]:
                return only
            case [] if _DIGITS.fullmatch(written):
                raise LineError(CATEGORY, f"{cut} is not a number in plain digits")
            case []:
                raise LineError(CATEGORY, f"{cut} is not a number or {self._which_names()}")
            case [first, second, *_]:
                reason = f"{cut} is the name of {first} and of {second}; use the number"
                raise LineError(CATEGORY, reason)
        raise AssertionError  # unreachable

    def _which_names(self) -> str:
        names = ", ".join(self._names[:_LISTED]) + (", …" if len(self._names) > _LISTED else "")
        return f"one of {names}" if names else "a name that the profile has"


# 3.0 and 3,00 are a spreadsheet's; 1.000 is a thousand in half of the world.
_NUMBER: Final = re.compile(r"([+-]?)0*([0-9]+)(?:[.,]0{1,2})?", re.ASCII)
_DIGITS: Final = re.compile(r"[+-]?[0-9][0-9.,' \u00a0\u202f]*")
_LISTED: Final = 3  # names that an error lists
_SHOWN: Final = 40  # characters of an unknown name, and of a column's name


def _quoted(text: str) -> str:
    return f'"{text}"' if len(text) <= _SHOWN else f'"{text[:_SHOWN]}…"'


def _folded_name(text: str) -> str:
    return " ".join(text.casefold().split())


# Columns of a CSV, and the same names in JSON


class HeaderError(_UnusableError):
    """A header that cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The indexes of NewPet's fields in a record."""

    name: int
    category: int
    status: int | None
    width: int | None = None  # of the header; None without one
    ignored: tuple[str, ...] = ()  # names of columns that createPet does not have
    is_guarded: bool = True  # against formulas, where an export of ours would be


WITHOUT_HEADER: Final = Columns(0, 1, 2)
WITHOUT_HEADER_WIDTH: Final = 3
_SAMPLE: Final = 100  # first lines, which tell the delimiter
_DECLARED: Final = re.compile(r"sep=(.)[\r\n]*", re.IGNORECASE)  # Excel's own
_SENT: Final = MappingProxyType({NAME: "name", CATEGORY: "categoryId", STATUS: "status"})
_ALIASES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        NAME: ("name",),
        CATEGORY: ("categoryid", "category_id", "category id", "category"),
        STATUS: ("status",),
    }
)
_KNOWN: Final = frozenset(("id", *chain.from_iterable(_ALIASES.values())))


def is_header(cells: Sequence[str], categories: CategoryNames) -> bool:
    """Whether a first record is a header, and not an animal called "Name"."""
    if _KNOWN.isdisjoint(map(_folded, cells)):
        return False
    is_animal = len(cells) > 1 and categories.has(cells[1]) and _folded(cells[1]) not in _KNOWN
    return not is_animal


def columns_of(header: Sequence[str]) -> Columns:
    """Return the columns that a header names, in any order and case.

    Raises:
        HeaderError: it has no name or no category, or a known column twice.
    """
    if tuple(header[:4]) == EXPORT_HEADER:
        # Behind these a field of the service may have any name.
        is_result = tuple(header) in (RESULT_HEADER, CHECKED_HEADER)
        return Columns(1, 2, 3, len(header), () if is_result else _ignored(header, {1, 2, 3}))
    folded = [_folded(cell) for cell in header]
    repeated = [name for name, count in Counter(folded).items() if count > 1 and name in _KNOWN]
    if repeated:
        raise HeaderError(f"its header has {repeated[0]} twice")
    name, category, status = (_index(folded, field) for field in (NAME, CATEGORY, STATUS))
    if name is None:
        raise HeaderError("its header has no name column")
    if category is None:
        raise HeaderError("its header has no category column")
    ignored = _ignored(header, {name, category, status})
    return Columns(name, category, status, len(header), ignored=ignored)


def _likely_delimiter(lines: Sequence[str], categories: CategoryNames) -> str:
    """Return the likely delimiter of a file, judged by its first record."""

    def likelihood(delimiter: str) -> tuple[int, bool, int]:
        cells = first_cells(lines, delimiter)
        known = len(_KNOWN.intersection(map(_folded, cells)))
        return known, len(cells) > 1 and categories.has(cells[1]), len(cells)

    return max(DELIMITERS, key=likelihood)


def _names_in(fields: Iterable[str]) -> dict[str, str]:
    """Return the names in a JSON object by field; NewPet's own spelling is preferred."""
    present = list(fields)
    exact = {field: own for field, own in _SENT.items() if own in present}
    if len(exact) == len(_SENT):
        return exact
    by_fold = {_folded(name): name for name in reversed(present)}
    found = {}
    for field, aliases in _ALIASES.items():
        alias = next((alias for alias in aliases if alias in by_fold), None)
        if alias is not None:
            found[field] = by_fold[alias]
    return found | exact


def _index(folded: Sequence[str], field: str) -> int | None:
    return next((folded.index(alias) for alias in _ALIASES[field] if alias in folded), None)


def _ignored(header: Sequence[str], taken: set[int | None]) -> tuple[str, ...]:
    others = (cell.strip() for index, cell in enumerate(header) if index not in taken)
    return tuple(dict.fromkeys(cell for cell in others if cell))


def _folded(cell: str) -> str:
    return cell[:_SHOWN].strip().casefold()


# Animals


def pet_of_cells(cells: Sequence[str], columns: Columns, categories: CategoryNames) -> NewPet:
    """Return the animal in a record. Raises LineError."""
    name, category = _cell(cells, columns.name), _cell(cells, columns.category)
    status = "" if columns.status is None else _cell(cells, columns.status)
    too_many = () if columns.width is None else tuple(filter(None, cells[columns.width :]))
    if columns.is_guarded:
        name, category, status = unguarded(name), unguarded(category), unguarded(status)
        too_many = tuple(map(unguarded, too_many))
    try:
        if too_many:
            _refuse_width(len(cells), columns.width)
        return _pet_of_texts(name, category, status, categories)
    except LineError as error:
        were = _as_they_were(name, category, status, *too_many)
        raise LineError(error.field, error.reason, were) from None


def _refuse_width(count: int, width: int | None) -> None:
    reason = f"it has {count} cells, but the header has {width}"
    raise LineError(WHOLE, f"{reason}; a cell with a delimiter in it needs quotation marks")


def _pet_of_texts(name: str, category: str, status: str, categories: CategoryNames) -> NewPet:
    for field, text in ((NAME, name), (CATEGORY, category), (STATUS, status)):
        if (reason := why_not_text(text)) is not None:
            raise LineError(field, reason)
    name = _given_name(name)
    number = categories.number_of(category)
    return NewPet(name=name, category_id=number, status=_given_status(status))


def _given_name(text: str) -> str:
    if name := trimmed_name(text):
        return name
    raise LineError(NAME, MISSING)


def _given_status(text: str) -> PetStatus | None:
    status = text.strip().lower()
    if status and status not in STATUSES:
        raise LineError(STATUS, f"{_quoted(text.strip())} is none of {ONE_OF_STATUSES}")
    return STATUSES.get(status)


def _pet_of_json(text: str, categories: CategoryNames, ignored: dict[str, None]) -> NewPet:
    """Return the animal in a JSON text. Raises LineError."""
    if (reason := why_not_text(text)) is not None:
        raise LineError(WHOLE, reason, _whole(text))
    try:
        is_short = len(text) <= _SHORT
        values = fields_of(json_value(text if is_short else json_text(text.encode(), _LIMITS)))
    except (NotJsonError, WrongShapeError) as error:
        raise LineError(WHOLE, str(error), _whole(text)) from None
    names = _names_in(values)
    if len(ignored) < _IGNORED:
        taken = set(names.values())
        ignored.update((name, None) for name in values if name not in taken)
    given = {field: values[name] for field, name in names.items()}
    try:
        return _pet_of_values(given, categories)
    except LineError as error:
        raise LineError(error.field, error.reason, _cells_of(given, text), text.strip()) from None


def _cells_of(given: Mapping[str, Any], text: str) -> tuple[str, ...]:
    """Return the cells of the values in a JSON text, as CSV has them."""
    name, *others = (given.get(field) for field in (NAME, CATEGORY, STATUS))
    cells = ["" if value is None else shown(value) for value in others]
    if name is None or _is_text(name):
        return _as_they_were(name or "", *cells)
    return ("", *cells, text.strip())  # a name that is no text must not become one


_SHORT: Final = 4_000  # characters; no number in fewer has more digits than Python converts
_LIMITS: Final = Limits()


def _pet_of_values(given: Mapping[str, Any], categories: CategoryNames) -> NewPet:
    sent = {_SENT[field]: value for field, value in given.items() if value is not None}
    if NAME in given:
        sent["name"] = given[NAME]  # null is no name, and nothing else than one
    if _is_text(name := sent.get("name")):
        sent["name"] = _given_name(name)
    if _is_text(category := sent.get("categoryId")):
        sent["categoryId"] = categories.number_of(category)
    if _is_text(sent.get("status")):
        status = _given_status(sent.pop("status"))
        if status is not None:
            sent["status"] = status
    try:
        return new_pet_of(sent)
    except WrongFieldError as error:
        field = next(field for field, name in _SENT.items() if name == error.name)
        raise LineError(field, error.rule) from None


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and not isinstance(value, Number)


def _as_they_were(*cells: str) -> tuple[str, ...]:
    """Return cells for the result; what cannot be written as text must not become one there."""
    return ("", "", "", *cells) if any(map(why_not_text, cells)) else cells


def _whole(text: str) -> tuple[str, ...]:
    """Return the cells of a line without name, category and status; none of one too long."""
    return ("", "", "", text.strip("\r\n")) if text else ()


def _cell(cells: Sequence[str], index: int) -> str:
    return cells[index] if index < len(cells) else ""
