"""What the cells of a record mean, of a CSV, a sheet or JSON: an animal to be added.

By the header's names, which an export has, too, or by what the user says of the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from pettui.models.pets import NewPet, int64_of, trimmed_name
from pettui.models.statuses import ONE_OF_STATUSES, STATUSES, PetStatus
from pettui.transfer.mapping import (
    CATEGORY,
    KNOWN,
    NAME,
    OTHERS,
    POSITIONS,
    SKIP,
    STATUS,
    UNDECIDED,
    UNMAPPED,
    UNSET,
    ColumnMapping,
    MappingError,
    called,
    columns_by_field,
    folded,
    index_of,
    mapped_fields,
    own_columns,
    repeated_name,
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
    from collections.abc import Mapping, Sequence


IGNORED: Final = 100  # names of columns that are reported
WHOLE: Final = ""  # in place of a field: the fault concerns the whole line
MISSING: Final = "is missing"  # the reason of a field without a value


class LineError(ValueError):
    """What is wrong with a line, and in which field."""

    def __init__(self, field: str, reason: str, unknown: str | None = None) -> None:
        super().__init__(reason)
        self.field = field
        self.reason = reason
        self.unknown = unknown  # see BadLine, as the other one
        self.cells: tuple[str, ...] = ()


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

    def category_of(self, text: str | None) -> int:
        """Return the number of a category, None for no cell. Raises LineError or LeftOutError."""
        if text is None:
            raise LineError(CATEGORY, MISSING)
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
    """No header or option says where name and category are; the text says what is missing."""


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
    width, mapped = len(header), mapped_fields(mapping)
    are_own = not mapped and mapping.status is None and mapping.name_from is None
    if tuple(header[:4]) == EXPORT_HEADER and are_own:
        # Behind these a field of the service may have any name.
        is_result = tuple(header) in (RESULT_HEADER, CHECKED_HEADER)
        return Columns((1,), 2, 3, width, () if is_result else _ignored(header, {1, 2, 3}))
    own, repeated = own_columns(header), repeated_name(header)
    if repeated is not None and not {NAME, CATEGORY} <= mapped:
        raise HeaderError(f"its header has {repeated} twice")
    names, category, status = columns_by_field(header, mapping, own)
    if not names:
        raise HeaderError("it has no name column")
    if category is None and mapping.fixed_category is None:
        raise HeaderError("it has no category column")
    name_from = index_of(mapping.name_from, header, "--name-from")
    ignored = _ignored(header, {*names, category, status, name_from})
    is_foreign = own[NAME] is None or own[CATEGORY] is None
    return Columns(
        names, category, status, width, ignored, is_foreign=is_foreign, name_from=name_from
    )


def columns_without_header(width: int, mapping: ColumnMapping) -> Columns:
    """Return the columns by their position: name, category and status, or as a mapping says.

    Raises:
        MappingError: it names a column in another way than by its number.
    """
    numbers = [str(index + 1) for index in range(max(width, WITHOUT_HEADER_WIDTH))]
    names, category, status = columns_by_field(numbers, mapping, POSITIONS)
    name_from = index_of(mapping.name_from, numbers, "--name-from")
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


def _ignored(header: Sequence[str], taken: set[int | None]) -> tuple[str, ...]:
    others = (cell.strip() for index, cell in enumerate(header) if index not in taken)
    return tuple(dict.fromkeys(cell for cell in others if cell))


# Animals


NO_NAMES: Final = frozenset({"NA", "NULL", "N/A", "n/a", "-"})
"""What other programs write for no name: in a file whose header is not ours, it is none."""


def pet_of_cells(
    cells: Sequence[str], columns: Columns, meanings: Meanings, nameless: str = ""
) -> NewPet:
    """Return the animal in a record. Raises LineError or LeftOutError.

    Args:
        cells: of the record.
        columns: which of them are an animal's.
        meanings: of category and status.
        nameless: the text of a JSON object whose name is no text, and must not become one.
    """
    read = unguarded if columns.is_guarded else str
    category = _cell(cells, columns.category)
    category = None if category is None else read(category)
    status = read(_cell(cells, columns.status) or "")
    names = [trimmed_name(read(_cell(cells, index) or "")) for index in columns.names]
    words_for_none = NO_NAMES if columns.is_foreign else ()
    name = " ".join(each for each in names if each and each not in words_for_none)
    name = name or read(_cell(cells, columns.name_from) or "")
    too_many = () if columns.width is None else [*map(read, filter(None, cells[columns.width :]))]
    if is_nameless := bool(nameless) and not meanings.mapping.names:
        name, too_many = "", [nameless]
    try:
        if too_many and not is_nameless:
            reason = f"it has {len(cells)} cells, but the header has {columns.width}"
            _refuse(WHOLE, f"{reason}; a cell with a delimiter in it needs quotation marks")
        if is_nameless:
            _refuse(NAME, "must be text")
        if columns.is_foreign and is_total(name) and not status.strip():
            _refuse(NAME, f"{_quoted(name)} is the word of a total, and no animal's")
        _check_texts(name, category or "", status)
        if not (given := trimmed_name(name)):
            _refuse_unnamed(meanings)
        number = meanings.category_of(category) if meanings.fixed is None else meanings.fixed
        return NewPet(name=given, category_id=number, status=meanings.status_of(status))
    except LineError as error:
        error.cells = _as_they_were(name, category or "", status, *too_many)
        raise


def _refuse(field: str, reason: str) -> NoReturn:
    raise LineError(field, reason)


def _refuse_unnamed(meanings: Meanings) -> NoReturn:
    if meanings.mapping.skips_unnamed:
        raise LeftOutError(NAME, "")
    raise LineError(NAME, MISSING)


def _check_texts(name: str, category: str, status: str) -> None:
    if f"{name}{category}{status}".isascii():
        return
    for field, text in ((NAME, name), (CATEGORY, category), (STATUS, status)):
        if (reason := why_not_text(text)) is not None:
            raise LineError(field, reason)


def _as_they_were(*cells: str) -> tuple[str, ...]:
    """Return cells for the result; what cannot be written as text must not become one there."""
    return ("", "", "", *cells) if any(map(why_not_text, cells)) else cells


def whole(text: str) -> tuple[str, ...]:
    """Return the cells of a line without name, category and status; none of one too long."""
    return ("", "", "", text.strip("\r\n")) if text else ()


def _cell(cells: Sequence[str], index: int | None) -> str | None:
    return cells[index] if index is not None and index < len(cells) else None
