"""What the user says of a file: how it is read, which columns an animal has, what values mean.

It is said by options of ``pettui import``, in the app's box, or by a name under which the
configuration keeps it: always the same few words, which ``options_of`` reads and ``option_values``
writes.

==============  =================================  ==========================================
Option          Says                               Otherwise
==============  =================================  ==========================================
--column        name, category, status = a column  the columns that are called so
--category      the category of all lines          that of its column
--category-of   what a value of category is        a number, or a name of the profile
--status-of     what a value of status is          one of the interface's three, or not set
--name-from     the column that names the nameless they are bad lines
--skip-unnamed  the nameless are left out          they are bad lines
==============  =================================  ==========================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.models.statuses import STATUSES
from pettui.text.amounts import counted
from pettui.transfer.files import TransferError
from pettui.transfer.writing import delimiter_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NAME: Final = "name"
CATEGORY: Final = "category"
STATUS: Final = "status"
FIELDS: Final = (NAME, CATEGORY, STATUS)
SKIP: Final = "skip"
"""In place of what a value means: its lines are left out."""
UNSET: Final = "unset"
"""In place of a status: none is sent."""
UNDECIDED: Final = "?"
"""In place of what a value means: a guess that the user has to make up."""
OTHERS: Final = "*"
"""In place of a value: every one that is not named and means nothing by itself."""
NO_COLUMN: Final = ""
"""In place of a column: none, whatever the columns are called."""

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_WORDS: Final = MappingProxyType({"\t": "tab"})  # how an option writes a delimiter
_TEXTS: Final = ("category", "name_from", "encoding", "items", "sheet")


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Which columns an animal has, and what their values mean.

    A column is named by its name, in any case, or by its number from 1; a member of JSON objects by
    its name, or by the names on the way to it: ``breed.primary``.
    """

    names: tuple[str, ...] = ()  # the columns whose cells make the name, joined by blanks
    category: str | None = None  # a column; None is the one that is called so
    status: str | None = None  # a column, or NO_COLUMN; None is the one that is called so
    fixed_category: str | None = None  # of all lines: a number, or a name of the profile
    # What values mean; a value is the same in any case. "" is an empty cell.
    categories: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    statuses: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    name_from: str | None = None  # the column that names what has no name
    skips_unnamed: bool = False

    def columns_of(self, field: str) -> tuple[str, ...]:
        """Return the columns that are said of a field."""
        if field == NAME:
            return self.names
        column = self.category if field == CATEGORY else self.status
        return (column,) if column else ()

    def meanings(self, field: str) -> Mapping[str, str]:
        """Return what values of category or status mean."""
        return self.categories if field == CATEGORY else self.statuses

    def field_of(self, column: str) -> str | None:
        """Return the field that a column is said to be."""
        return next((field for field in FIELDS if column in self.columns_of(field)), None)

    def with_column(self, column: str, field: str | None) -> ColumnMapping:
        """Return the mapping in which a column is this field, or none.

        Several columns make a name; a category and a status have one. A category's column takes
        the place of one category for all.
        """
        names = tuple(each for each in self.names if each != column)
        category = None if self.category == column else self.category
        status = NO_COLUMN if self.status == column else self.status
        fixed = self.fixed_category
        if field == NAME:
            names = (*names, column)
        elif field == CATEGORY:
            category, fixed = column, None
        elif field == STATUS:
            status = column
        return replace(self, names=names, category=category, status=status, fixed_category=fixed)

    def with_meaning(self, field: str, value: str, meaning: str) -> ColumnMapping:
        """Return the mapping in which a value of category or status means this."""
        before = self.meanings(field)
        others = {key: each for key, each in before.items() if folded(key) != folded(value)}
        return self.with_meanings(field, {**others, value: meaning})

    def with_meanings(self, field: str, meanings: Mapping[str, str]) -> ColumnMapping:
        """Return the mapping in which values of category or status mean these, and no others."""
        frozen = MappingProxyType(dict(meanings))
        if field == CATEGORY:
            return replace(self, categories=frozen)
        return replace(self, statuses=frozen)

    def decided(self) -> ColumnMapping:
        """Return the mapping without what is undecided: these lines are bad."""
        mapping = self
        for each in (CATEGORY, STATUS):
            meanings = mapping.meanings(each).items()
            known = {value: meaning for value, meaning in meanings if meaning != UNDECIDED}
            mapping = mapping.with_meanings(each, known)
        return mapping


UNMAPPED: Final = ColumnMapping()


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What the user says of a file, where its content does not tell, or not rightly."""

    encoding: str | None = None  # any that Python has; otherwise UTF-8, or UTF-16
    delimiter: str | None = None  # of a CSV
    items: str | None = None  # the member of an object of JSON that is the list
    sheet: str | None = None  # of a spreadsheet; otherwise its first
    header_line: int | None = None  # of a CSV, from 1; what stands above it is left out
    has_header: bool = True  # or else the columns of a CSV are name, category and status
    mapping: ColumnMapping = UNMAPPED


class MappingError(TransferError):
    """What is said of a file cannot be so; the text names the option."""

    def __init__(self, option: str, reason: str, value: str | None = None) -> None:
        super().__init__(
            f"{option}: {reason}" if value is None else f'{option} "{value}": {reason}', reason
        )
        self.option = option
        self.reason = reason
        self.value = value


def folded(value: str) -> str:
    """Return a value as it is compared: in any case, with any blanks."""
    return " ".join(value.casefold().split())


# The options, as they are written


def options_of(values: Mapping[str, Any]) -> ReadingOptions:
    """Return what options say, by their names with "_" for "-"; missing and None say nothing.

    What a category may be is for the profile, and is checked with the file.

    Raises:
        MappingError: one of them cannot be used.
    """
    columns = [_divided("--column", text, first=True) for text in values.get("column") or ()]
    for what, _ in columns:
        if what not in FIELDS:
            raise MappingError("--column", "must be name=, category= or status= and a column", what)
    by_field = {each: [column for what, column in columns if what == each] for each in FIELDS}
    for each in (CATEGORY, STATUS):
        if len(by_field[each]) > 1:
            raise MappingError("--column", f"{each} can have one column", by_field[each][1])
    named = [folded(column) for _, column in columns if column]
    if twice := next((column for column in named if named.count(column) > 1), None):
        raise MappingError("--column", "is said to be two things", twice)
    texts = {key: values.get(key) for key in _TEXTS}
    fixed = texts["category"]
    if fixed is not None and by_field[CATEGORY]:
        raise MappingError("--category", "cannot stand beside a column of categories", fixed)
    mapping = ColumnMapping(
        names=tuple(filter(None, by_field[NAME])),
        category=next(iter(by_field[CATEGORY]), None),
        status=next(iter(by_field[STATUS]), None),
        fixed_category=fixed,
        categories=_meanings("--category-of", values.get("category_of")),
        statuses=_meanings("--status-of", values.get("status_of")),
        name_from=texts["name_from"],
        skips_unnamed=bool(values.get("skip_unnamed")),
    )
    for meaning in mapping.statuses.values():
        if meaning not in (*STATUSES, UNSET, SKIP):
            rule = f"must be {', '.join(STATUSES)}, {UNSET} or {SKIP}"
            raise MappingError("--status-of", rule, meaning)
    return ReadingOptions(
        encoding=texts["encoding"],
        delimiter=_delimiter(values.get("delimiter")),
        items=texts["items"],
        sheet=texts["sheet"],
        header_line=values.get("header_line"),
        has_header=not values.get("no_header"),
        mapping=UNMAPPED if mapping == UNMAPPED else mapping,
    )


def _delimiter(text: str | None) -> str | None:
    try:
        return None if text is None else delimiter_named(text)
    except ValueError as error:
        raise MappingError("--delimiter", str(error), text) from None


def are_numbered(mapping: ColumnMapping) -> bool:
    """Whether a mapping names a column by its number, which is another one in other files."""
    columns = (*mapping.names, mapping.category, mapping.status, mapping.name_from)
    return any(column and _NUMBER.fullmatch(column) for column in columns)


def option_values(options: ReadingOptions) -> dict[str, Any]:
    """Return what ``options_of`` reads these options from; the configuration keeps it."""
    mapping = options.mapping
    columns = [f"{NAME}={column}" for column in mapping.names]
    for each, column in ((CATEGORY, mapping.category), (STATUS, mapping.status)):
        if column is not None:
            columns.append(f"{each}={column}")
    delimiter = options.delimiter
    written = {
        "encoding": options.encoding,
        "delimiter": None if delimiter is None else _WORDS.get(delimiter, delimiter),
        "items": options.items,
        "sheet": options.sheet,
        "header_line": options.header_line,
        "no_header": not options.has_header,
        "column": columns,
        "category": mapping.fixed_category,
        "category_of": [f"{value}={meaning}" for value, meaning in mapping.categories.items()],
        "status_of": [f"{value}={meaning}" for value, meaning in mapping.statuses.items()],
        "name_from": mapping.name_from,
        "skip_unnamed": mapping.skips_unnamed,
    }
    return {key: value for key, value in written.items() if value not in (None, False, [])}


def option_words(options: ReadingOptions) -> list[str]:
    """Return these options as words of a command line, not yet quoted for a shell."""
    words = []
    for key, value in option_values(options).items():
        option = f"--{key.replace('_', '-')}"
        for each in value if isinstance(value, list) else [value]:
            words += [option] if each is True else [option, str(each)]
    return words


def merged(saved: ReadingOptions, given: ReadingOptions) -> ReadingOptions:
    """Return options of which those that are given go before those that were kept."""
    values, over = option_values(saved), option_values(given)
    if over.keys() & _OF_HEADER:
        values = {key: each for key, each in values.items() if key not in _OF_HEADER}
    fields = {text.partition("=")[0] for text in over.get("column", ())}
    if "category" in over:
        fields.add(CATEGORY)
    if CATEGORY in fields:
        values.pop("category", None)
    before = [each for each in values.get("column", ()) if each.partition("=")[0] not in fields]
    over["column"] = [*before, *over.get("column", ())]
    for key in ("category_of", "status_of"):
        texts = (*values.get(key, ()), *over.get(key, ()))
        over[key] = [*{folded(text.rpartition("=")[0]): text for text in texts}.values()]
    return options_of({**values, **over})


_OF_HEADER: Final = frozenset(("header_line", "no_header"))


def _divided(option: str, text: str, *, first: bool = False) -> tuple[str, str]:
    before, mark, behind = text.partition("=") if first else text.rpartition("=")
    if not mark:
        raise MappingError(option, "needs a = in it", text)
    return before.strip(), behind.strip()


def _meanings(option: str, texts: Iterable[str] | None) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for text in texts or ():
        value, meaning = _divided(option, text)
        if meaning in ("", UNDECIDED):
            reason = f"says nothing of it: write what it means in place of {UNDECIDED}"
            raise MappingError(option, reason, value)
        if meaning.casefold() in (SKIP, UNSET, *STATUSES):
            meaning = meaning.casefold()
        if any(folded(value) == folded(each) for each in found):
            raise MappingError(option, "is said twice", value)
        found[value] = meaning
    return MappingProxyType(found)


# Columns by their names


ALIASES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        NAME: ("name",),
        CATEGORY: ("categoryid", "category_id", "category id", "category"),
        STATUS: ("status",),
    }
)
"""What columns are called that are read without a mapping; the first one goes before others."""
KNOWN: Final = frozenset(("id", *chain.from_iterable(ALIASES.values())))
_LONGEST: Final = 40  # characters of a column's name


def called(cell: str) -> str:
    """Return the name of a column as it is compared with those of ours."""
    return cell[:_LONGEST].strip().casefold()


def own_columns(header: Sequence[str]) -> dict[str, int | None]:
    """Return the index of the column of each field that is called as ours is."""
    names = [called(cell) for cell in header]
    return {
        field: next((names.index(alias) for alias in aliases if alias in names), None)
        for field, aliases in ALIASES.items()
    }


def repeated_name(header: Sequence[str]) -> str | None:
    """Return the first name of ours that two columns have; None for none."""
    names = [called(cell) for cell in header]
    return next((name for name in names if name in KNOWN and names.count(name) > 1), None)


_NUMBER: Final = re.compile("[1-9][0-9]{0,4}")


def column_index(column: str, header: Sequence[str], option: str = "--column") -> int:
    """Return the index of a column of a header, which may be a mapping's number from 1.

    Raises:
        MappingError: there is none, or there are two of this name.
    """
    if _NUMBER.fullmatch(column):
        if int(column) <= len(header):
            return int(column) - 1
        raise MappingError(option, f"the file has {counted(len(header), 'column')}", column)
    wanted = folded(column)
    found = [index for index, cell in enumerate(header) if folded(cell) == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        numbers = " and ".join(str(index + 1) for index in found[:2])
        raise MappingError(option, f"is the name of {numbers}; give the number", column)
    named = ", ".join(cell.strip() for cell in header[:_LISTED] if cell.strip())
    more = ", …" if len(header) > _LISTED else ""
    raise MappingError(option, f"is no column of the file, which has {named}{more}", column)


_LISTED: Final = 12


def index_of(column: str | None, header: Sequence[str], option: str = "--column") -> int | None:
    """Return the index of a column, as ``column_index``; None for none."""
    return column_index(column, header, option) if column else None


POSITIONS: Final[Mapping[str, int | None]] = MappingProxyType({NAME: 0, CATEGORY: 1, STATUS: 2})
"""The columns of a file without a header."""


def columns_by_field(
    header: Sequence[str], mapping: ColumnMapping, own: Mapping[str, int | None]
) -> tuple[tuple[int, ...], int | None, int | None]:
    """Return where names, category and status are: as the mapping says, or else in these columns.

    What the mapping says to be one field is no other. Raises MappingError.
    """
    names = tuple(column_index(each, header) for each in mapping.names)
    category, status = index_of(mapping.category, header), index_of(mapping.status, header)
    rest = {key: None if at in (*names, category, status) else at for key, at in own.items()}
    if not names and rest[NAME] is not None:
        names = (rest[NAME],)
    if category is None and mapping.fixed_category is None:
        category = rest[CATEGORY]
    return names, category, rest[STATUS] if mapping.status is None else status


def column_reference(index: int, header: Sequence[str]) -> str:
    """Return how a mapping names a column: by its name if that is one, else by its number."""
    name = header[index].strip() if index < len(header) else ""
    is_only = sum(folded(cell) == folded(name) for cell in header) == 1
    is_plain = name.isprintable() and not _NUMBER.fullmatch(name)
    return name if name and is_only and is_plain else str(index + 1)


def mapped_fields(mapping: ColumnMapping) -> set[str]:
    """Return the fields of which a mapping says where they are."""
    fields = {each for each in FIELDS if mapping.columns_of(each)}
    return fields | {CATEGORY} if mapping.fixed_category is not None else fields
