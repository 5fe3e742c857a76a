"""What the cells of a line, or the members of a JSON object, mean: an animal to be added.

By the header's names, which an export has, too, or by what a person says of the file.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from pettui.models.pets import NewPet, int64_of, shown, trimmed_name
from pettui.models.statuses import ONE_OF_STATUSES, STATUSES
from pettui.models.validation import WrongFieldError, WrongShapeError, fields_of, new_pet_of
from pettui.settings.settings import Limits
from pettui.text.json import NotJsonError, json_text, json_value
from pettui.transfer.mapping import (
    ALIASES,
    CATEGORY,
    FIELDS,
    KNOWN,
    NAME,
    NO_COLUMN,
    OTHERS,
    SKIP,
    STATUS,
    UNDECIDED,
    UNMAPPED,
    UNSET,
    ColumnMapping,
    MappingError,
    called,
    column_index,
    folded,
    mapped_fields,
    own_columns,
)
from pettui.transfer.reading import first_cells, why_not_text
from pettui.transfer.survey import is_total
from pettui.transfer.writing import (
    CHECKED_HEADER,
    DELIMITERS,
    EXPORT_HEADER,
    RESULT_HEADER,
    unguarded,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from pettui.models.statuses import PetStatus

IGNORED: Final = 100  # names of columns that are reported
WHOLE: Final = ""  # in place of a field: the fault concerns the whole line
MISSING: Final = "is missing"  # the reason of a field without a value


class LineError(ValueError):
    """What is wrong with a line, and in which field."""

    def __init__(self, field: str, reason: str, unknown: str | None = None) -> None:
        super().__init__(reason)
        self.field = field
        self.reason = reason
        self.unknown = unknown  # see BadLine, as the others
        self.cells: tuple[str, ...] = ()
        self.source = ""


class LeftOutError(ValueError):
    """A line is left out, since a mapping says so of a value of it."""

    def __init__(self, field: str, value: str) -> None:
        super().__init__(field, value)
        self.field = field
        self.value = value  # "" is none


# Categories


class CategoryNames:
    """The categories of a profile, looked up by number or name."""

    def __init__(self, categories: Mapping[int, str]) -> None:
        """Index the profile's names by number; several categories may have the same name."""
        self.by_number = categories
        self._names = tuple(dict.fromkeys(categories.values()))
        self._numbers: dict[str, list[int]] = {}
        for number, name in categories.items():
            self._numbers.setdefault(folded(name), []).append(number)

    def has(self, text: str) -> bool:
        """Whether a text is a number, or one of the names."""
        return _NUMBER.fullmatch(text.strip()) is not None or folded(text) in self._numbers

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
                return int64_of(number[1].removeprefix("+") + number[2])
            except ValueError as error:
                raise LineError(CATEGORY, str(error)) from None
        cut = _quoted(written)
        match self._numbers.get(folded(written), []):
            case [only]:
                return only
            case [] if _DIGITS.fullmatch(written):
                raise LineError(CATEGORY, f"{cut} is not a number in plain digits", written)
            case []:
                reason = f"{cut} is not a number or {self._which_names()}"
                raise LineError(CATEGORY, reason, written)
            case [first, second, *_]:
                reason = f"{cut} is the name of {first} and of {second}; use the number"
                raise LineError(CATEGORY, reason, written)
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


class Meanings:
    """What the values of category and status mean: by a mapping, or else by themselves."""

    def __init__(self, names: CategoryNames, mapping: ColumnMapping = UNMAPPED) -> None:
        """Check what a mapping says of values.

        Raises:
            MappingError: it says a category that the profile has no name for.
        """
        self.names = names
        self.mapping = mapping
        self.fixed = self._number("--category", mapping.fixed_category)
        self._categories: dict[str, int | None] = {  # None: left out
            folded(value): None if meaning == SKIP else self._number("--category-of", meaning)
            for value, meaning in mapping.categories.items()
            if meaning != UNDECIDED
        }
        self._statuses = {
            folded(value): meaning
            for value, meaning in mapping.statuses.items()
            if meaning != UNDECIDED
        }

    def _number(self, option: str, text: str | None) -> int | None:
        try:
            return None if text is None else self.names.number_of(text)
        except LineError as error:
            raise MappingError(option, error.reason) from None

    def category_of(self, text: str) -> int:
        """Return the number of a category. Raises LineError or LeftOutError."""
        if not self._categories:
            return self.names.number_of(text)
        key = folded(text)
        if key not in self._categories:
            if not key or OTHERS not in self._categories or self.names.has(text):
                return self.names.number_of(text)
            key = OTHERS
        number = self._categories[key]
        if number is None:
            raise LeftOutError(CATEGORY, text.strip())
        return number

    @property
    def category_of_all(self) -> int:
        """The category of every line. Raises LineError where none is said."""
        if self.fixed is None:
            raise LineError(CATEGORY, MISSING)
        return self.fixed

    def status_of(self, text: str) -> PetStatus | None:
        """Return a status, None for not set. Raises LineError or LeftOutError."""
        status = text.strip().lower()
        if self._statuses:
            by_itself = "" if not status or status in STATUSES else OTHERS
            meaning = self._statuses.get(folded(text), self._statuses.get(by_itself or SKIP))
            if meaning == SKIP:
                raise LeftOutError(STATUS, text.strip())
            if meaning is not None:
                return None if meaning == UNSET else STATUSES[meaning]
        if status and status not in STATUSES:
            reason = f"{_quoted(text.strip())} is none of {ONE_OF_STATUSES}"
            raise LineError(STATUS, reason, text.strip())
        return STATUSES.get(status)


# Columns of a CSV, and the same names in JSON


class HeaderError(ValueError):
    """Nobody has said where name and category are; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The indexes of NewPet's fields in a record."""

    names: tuple[int, ...]  # joined by blanks
    category: int | None  # None where all lines have one category
    status: int | None
    width: int | None = None  # of the header; None without one
    ignored: tuple[str, ...] = ()  # names of columns that createPet does not have
    is_guarded: bool = True  # against formulas, where an export of ours would be
    is_foreign: bool = False  # the header is not ours
    name_from: int | None = None  # what names the nameless


WITHOUT_HEADER: Final = Columns((0,), 1, 2)
WITHOUT_HEADER_WIDTH: Final = 3
_SENT: Final = MappingProxyType({NAME: "name", CATEGORY: "categoryId", STATUS: "status"})


def is_header(cells: Sequence[str], categories: CategoryNames) -> bool:
    """Whether a first record is a header, and not an animal called "Name"."""
    if KNOWN.isdisjoint(map(called, cells)):
        return False
    is_animal = len(cells) > 1 and categories.has(cells[1]) and called(cells[1]) not in KNOWN
    return not is_animal


def columns_of(header: Sequence[str], mapping: ColumnMapping = UNMAPPED) -> Columns:
    """Return the columns that a header names, in any order and case, or that a mapping does.

    Raises:
        HeaderError: it has no name or no category, or a known column twice.
        MappingError: it has no column that the mapping names.
    """
    width, said = len(header), mapped_fields(mapping)
    are_own = not said and mapping.status is None and mapping.name_from is None
    if tuple(header[:4]) == EXPORT_HEADER and are_own:
        # Behind these a field of the service may have any name.
        is_result = tuple(header) in (RESULT_HEADER, CHECKED_HEADER)
        return Columns((1,), 2, 3, width, () if is_result else _ignored(header, {1, 2, 3}))
    cells = [called(cell) for cell in header]
    own = own_columns(header)
    repeated = [name for name, count in Counter(cells).items() if count > 1 and name in KNOWN]
    if repeated and not {NAME, CATEGORY} <= said:
        raise HeaderError(f"its header has {repeated[0]} twice")
    names, category, status = _mapped(header, mapping, own)
    if not names:
        raise HeaderError("its header has no name column")
    if category is None and mapping.fixed_category is None:
        raise HeaderError("its header has no category column")
    name_from = _index_of(mapping.name_from, header, "--name-from")
    ignored = _ignored(header, {*names, category, status, name_from})
    is_foreign = own[NAME] is None or own[CATEGORY] is None
    return Columns(
        names, category, status, width, ignored, is_foreign=is_foreign, name_from=name_from
    )


def _mapped(
    header: Sequence[str], mapping: ColumnMapping, own: Mapping[str, int | None]
) -> tuple[tuple[int, ...], int | None, int | None]:
    """Return where name, category and status are."""
    names = tuple(column_index(each, header) for each in mapping.names)
    if not names and own[NAME] is not None:
        names = (own[NAME],)
    category = _index_of(mapping.category, header)
    if category is None and mapping.fixed_category is None:
        category = own[CATEGORY]
    status = own[STATUS] if mapping.status is None else _index_of(mapping.status, header)
    return names, category, status


def _index_of(column: str | None, header: Sequence[str], option: str = "--column") -> int | None:
    return column_index(column, header, option) if column else None


def columns_without_header(width: int, mapping: ColumnMapping) -> Columns:
    """Return the columns by their position: name, category and status, or as a mapping says.

    Raises:
        MappingError: it names a column in another way than by its number.
    """
    numbers = [str(index + 1) for index in range(max(width, WITHOUT_HEADER_WIDTH))]
    own: Mapping[str, int | None] = {NAME: 0, CATEGORY: 1, STATUS: 2}
    names, category, status = _mapped(numbers, mapping, own)
    if mapping.status is None and status in (*names, category):
        status = None
    name_from = _index_of(mapping.name_from, numbers, "--name-from")
    return Columns(names, category, status, name_from=name_from)


def likely_delimiter(lines: Sequence[str], categories: CategoryNames) -> str:
    """Return the likely delimiter of a file, judged by its first record, or by those below it."""

    def likelihood(delimiter: str) -> tuple[int, bool, int]:
        cells = first_cells(lines, delimiter)
        known = len(KNOWN.intersection(map(called, cells)))
        return known, len(cells) > 1 and categories.has(cells[1]), len(cells)

    best = max(DELIMITERS, key=likelihood)
    if likelihood(best)[2] > 1:
        return best
    # A title stands above the header.
    return max(DELIMITERS, key=lambda delimiter: sum(delimiter in line for line in lines))


def names_in(fields: Iterable[str]) -> dict[str, str]:
    """Return the names in a JSON object by field; NewPet's own spelling is preferred."""
    present = list(fields)
    exact = {field: own for field, own in _SENT.items() if own in present}
    if len(exact) == len(_SENT):
        return exact
    by_fold = {called(name): name for name in reversed(present)}
    found = {}
    for field, aliases in ALIASES.items():
        alias = next((alias for alias in aliases if alias in by_fold), None)
        if alias is not None:
            found[field] = by_fold[alias]
    return found | exact


def _ignored(header: Sequence[str], taken: set[int | None]) -> tuple[str, ...]:
    others = (cell.strip() for index, cell in enumerate(header) if index not in taken)
    return tuple(dict.fromkeys(cell for cell in others if cell))


# Animals


NO_NAMES: Final = frozenset({"NA", "NULL", "N/A", "n/a", "-"})
"""What other programs write for no name: in a file whose header is not ours, it is none."""


def pet_of_cells(cells: Sequence[str], columns: Columns, meanings: Meanings) -> NewPet:
    """Return the animal in a record. Raises LineError or LeftOutError."""
    width, at_category, at_status = len(cells), columns.category, columns.status
    name = "" if columns.names[0] >= width else cells[columns.names[0]]
    category = "" if at_category is None or at_category >= width else cells[at_category]
    status = "" if at_status is None or at_status >= width else cells[at_status]
    too_many = () if columns.width is None else tuple(filter(None, cells[columns.width :]))
    if columns.is_guarded:
        name, category, status = unguarded(name), unguarded(category), unguarded(status)
        too_many = tuple(map(unguarded, too_many))
    try:
        if too_many:
            _refuse_width(width, columns.width)
        if columns.is_foreign or len(columns.names) > 1 or columns.name_from is not None:
            name = _mapped_name(name, cells, status, columns)
        _check_texts(name, category, status)
        given = _given_name(name, meanings)
        if at_category is None:
            number = meanings.category_of_all
        elif at_category < width:
            number = meanings.category_of(category)
        else:  # it is missing, whatever an empty cell means
            number = meanings.names.number_of("")
        return NewPet(name=given, category_id=number, status=meanings.status_of(status))
    except LineError as error:
        error.cells = _as_they_were(name, category, status, *too_many)
        raise


def _check_texts(name: str, category: str, status: str) -> None:
    if f"{name}{category}{status}".isascii():
        return
    for field, text in ((NAME, name), (CATEGORY, category), (STATUS, status)):
        if (reason := why_not_text(text)) is not None:
            raise LineError(field, reason)


def _mapped_name(name: str, cells: Sequence[str], status: str, columns: Columns) -> str:
    """Return a name of several cells, or of a file whose header is not ours."""
    others = [_cell(cells, index) for index in columns.names[1:]]
    other_name = "" if columns.name_from is None else _cell(cells, columns.name_from)
    if columns.is_guarded:
        others, other_name = list(map(unguarded, others)), unguarded(other_name)
    texts = (name, *others)
    if columns.is_foreign:
        return _foreign_name(texts, status, other_name)
    return " ".join(filter(None, map(trimmed_name, texts))) or other_name


def _foreign_name(texts: Sequence[str], status: str, other_name: str) -> str:
    """Return a name as other programs write it, which may be a word for none."""
    name = " ".join(text for each in texts if (text := trimmed_name(each)) not in NO_NAMES).strip()
    if is_total(name) and not status.strip():
        raise LineError(NAME, f"{_quoted(name)} is the word of a total, and no animal's")
    return name or other_name


def _refuse_width(count: int, width: int | None) -> None:
    reason = f"it has {count} cells, but the header has {width}"
    raise LineError(WHOLE, f"{reason}; a cell with a delimiter in it needs quotation marks")


def _given_name(text: str, meanings: Meanings) -> str:
    if name := trimmed_name(text):
        return name
    if meanings.mapping.skips_unnamed:
        raise LeftOutError(NAME, "")
    raise LineError(NAME, MISSING)


def pet_of_json(
    text: str, meanings: Meanings, ignored: dict[str, None], *, is_foreign: bool
) -> NewPet:
    """Return the animal in a JSON text; names that createPet does not have go into ``ignored``.

    Raises:
        LineError: there is none.
        LeftOutError: a mapping says so.
    """
    try:
        values = members(text)
    except LineError as error:
        error.cells = whole(text)
        raise
    given, taken = _given_of(values, meanings.mapping)
    if len(ignored) < IGNORED:
        ignored.update((name, None) for name in values if name not in taken)
    try:
        return _pet_of_values(given, meanings, is_foreign=is_foreign)
    except LineError as error:
        error.cells, error.source = _cells_of(given, text), text.strip()
        raise


def members(text: str) -> dict[str, Any]:
    """Return the members of the object in a JSON text. Raises LineError."""
    if (reason := why_not_text(text)) is not None:
        raise LineError(WHOLE, reason)
    try:
        is_short = len(text) <= _SHORT
        return fields_of(json_value(text if is_short else json_text(text.encode(), _LIMITS)))
    except (NotJsonError, WrongShapeError) as error:
        raise LineError(WHOLE, str(error)) from None


def _given_of(
    values: Mapping[str, Any], mapping: ColumnMapping
) -> tuple[dict[str, Any], Container[str]]:
    """Return the values of an object by field, and the names of the members that have them."""
    names = names_in(values)
    given = {field: values[name] for field, name in names.items()}
    if mapping is UNMAPPED:
        return given, names.values()
    taken = {name for field, name in names.items() if not mapping.columns_of(field)}
    for field in FIELDS:
        columns = mapping.columns_of(field)
        if not columns:
            continue
        found = [_member(values, column) for column in columns]
        taken.update(name for name, _ in found)
        there = [value for _, value in found if value is not None]
        given.pop(field, None)
        if field == NAME and (len(columns) > 1 or not all(map(_is_text, there))):
            given[NAME] = " ".join(trimmed_name(shown(value)) for value in there)
        elif there:
            given[field] = there[0]
    if mapping.status == NO_COLUMN:
        given.pop(STATUS, None)
    if mapping.name_from is not None:
        name, value = _member(values, mapping.name_from)
        taken.add(name)
        given[_OTHER_NAME] = "" if value is None else shown(value)
    return given, taken


_OTHER_NAME: Final = "other name"


def _member(values: Mapping[str, Any], column: str) -> tuple[str, Any]:
    """Return a member that a mapping names, and its value; within others by the way to it."""
    if column in values:
        return column, values[column]
    wanted = folded(column)
    if (name := next((each for each in values if folded(each) == wanted), None)) is not None:
        return name, values[name]
    first, dot, rest = column.partition(".")
    inner = values.get(first)
    return (first, _member(inner, rest)[1]) if dot and isinstance(inner, dict) else (column, None)


def _cells_of(given: Mapping[str, Any], text: str) -> tuple[str, ...]:
    """Return the cells of the values in a JSON text, as CSV has them."""
    name, *others = (given.get(field) for field in FIELDS)
    cells = ["" if value is None else shown(value) for value in others]
    if name is None or _is_text(name):
        return _as_they_were(name or "", *cells)
    return ("", *cells, text.strip())  # a name that is no text must not become one


_SHORT: Final = 4_000  # characters; no number in fewer has more digits than Python converts
_LIMITS: Final = Limits()


def _pet_of_values(given: Mapping[str, Any], meanings: Meanings, *, is_foreign: bool) -> NewPet:
    mapping = meanings.mapping
    sent = {_SENT[field]: given[field] for field in FIELDS if given.get(field) is not None}
    category, status = sent.get("categoryId"), sent.get("status")
    named = _named_values(given, meanings, is_foreign=is_foreign)
    if meanings.fixed is not None:
        sent["categoryId"] = meanings.fixed
    elif category is not None and (mapping.categories or _is_text(category)):
        sent["categoryId"] = meanings.category_of(shown(category))
    if mapping.statuses or _is_text(status):
        found = meanings.status_of("" if status is None else shown(status))
        sent.pop("status", None)
        if found is not None:
            sent["status"] = found
    try:
        return new_pet_of(sent | named)
    except WrongFieldError as error:
        field = next(field for field, name in _SENT.items() if name == error.name)
        raise LineError(field, error.rule) from None


def _named_values(
    given: Mapping[str, Any], meanings: Meanings, *, is_foreign: bool
) -> dict[str, Any]:
    """Return the name to send, if there is any; null is none, and is sent as what it is."""
    name, other_name = given.get(NAME), given.get(_OTHER_NAME, "")
    if name is not None and not _is_text(name):
        return {"name": name}
    if is_foreign:
        status = given.get(STATUS)
        name = _foreign_name([name or ""], "" if status is None else shown(status), other_name)
    elif other_name and not trimmed_name(name or ""):
        name = other_name
    if name is not None or meanings.mapping.skips_unnamed:
        return {"name": _given_name(name or "", meanings)}
    return {"name": None} if NAME in given else {}


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _as_they_were(*cells: str) -> tuple[str, ...]:
    """Return cells for the result; what cannot be written as text must not become one there."""
    return ("", "", "", *cells) if any(map(why_not_text, cells)) else cells


def whole(text: str) -> tuple[str, ...]:
    """Return the cells of a line without name, category and status; none of one too long."""
    return ("", "", "", text.strip("\r\n")) if text else ()


def _cell(cells: Sequence[str], index: int) -> str:
    return cells[index] if index < len(cells) else ""
