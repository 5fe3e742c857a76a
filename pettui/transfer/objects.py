"""JSON as records: the members of its objects are the columns.

A file of JSON that is broken is not read; in JSON Lines what is broken costs only its line.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pettui.models.pets import shown
from pettui.models.validation import WrongShapeError, fields_of
from pettui.text.json import (
    BLANK,
    NotJsonError,
    is_list,
    json_elements,
    json_value,
    json_values,
    whole_number,
    written,
)
from pettui.transfer.mapping import ALIASES, CATEGORY, NAME, STATUS, called
from pettui.transfer.reading import (
    TOO_LONG,
    Record,
    UnusableError,
    bounded,
    lines_of,
    start_of,
    why_not_text,
)
from pettui.transfer.writing import FileFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_COLUMNS: Final = 500  # members of objects
_LINES_A_RECORD: Final = 10  # on average, with blank lines
_SENT: Final = ((NAME, "name"), (CATEGORY, "categoryId"), (STATUS, "status"))


@dataclass(frozen=True, slots=True)
class _Value:
    """A JSON value in a text."""

    line: int  # its first, from 1
    text: str
    value: Any = None
    fault: str | None = None  # why it cannot be read


def object_records(
    text: str, named: FileFormat | None, items: str | None, *, lines: int, line: int
) -> Iterator[Record]:
    """Return the names of all members as a header, and a record of each value.

    Args:
        text: of the file.
        named: the format by the file's name.
        items: the member of an object that is the list; None for the only one.
        lines: how many values there may be.
        line: characters of one.

    Raises:
        UnusableError: it is no JSON, has more values, or it is not said which list it is.
    """
    spelled: dict[str, str] = {}  # how the members are called that an animal has
    header: dict[str, None] = {}
    rows: deque[tuple[Record, dict[str, str]]] = deque()  # without cells, which are these texts
    before = 0
    try:
        values, are_elements = _values(text, named, items, lines=lines, line=line)
        for number, value in enumerate(bounded(values, lines), start=1):
            fault = _fault_of(value)
            own = {} if fault else _own_names(value.value)
            texts = {} if fault else _texts(value.value, own, spelled)
            header.update(dict.fromkeys(texts))
            # Two of one line are two animals.
            element = number if are_elements or value.line == before else None
            before = value.line
            name = value.value.get(own[NAME]) if NAME in own else ""
            nameless = "" if name is None or isinstance(name, str) else value.text
            rows.append((Record(value.line, (), fault, value.text, element, nameless), texts))
    except NotJsonError as error:
        raise UnusableError(str(error)) from None
    names = [*dict.fromkeys((*islice(header, _COLUMNS), *spelled.values()))]
    yield Record(1, names)
    while rows:
        record, texts = rows.popleft()
        yield replace(record, cells=[texts.get(name, "") for name in names])


def _fault_of(value: _Value) -> str | None:
    """Return why a value is no object that can be read; None if it is one."""
    try:
        if value.fault is None:
            fields_of(value.value)
    except WrongShapeError as error:
        return why_not_text(value.text) or str(error)
    return value.fault or why_not_text(value.text)


def _texts(
    members: Mapping[str, Any], own: Mapping[str, str], spelled: dict[str, str]
) -> dict[str, str]:
    """Return the texts of an object's members, and of those within them by the way to them.

    What an animal has is called as in the first object, however it is spelled in this one.
    """
    names = {name: spelled.setdefault(field, name) for field, name in own.items()}
    taken = {*map(called, own.values())}
    texts: dict[str, str] = {}
    for name, value in members.items():
        if isinstance(value, dict):
            texts |= {f"{name}.{inner}": text for inner, text in _texts(value, {}, {}).items()}
        elif name in names or called(name) not in taken:
            texts[names.get(name, name)] = _text(value)
    return texts


def _own_names(members: Mapping[str, Any]) -> dict[str, str]:
    """Return the names in an object by field; NewPet's own spelling is preferred."""
    exact = {field: own for field, own in _SENT if own in members}
    if len(exact) == len(_SENT):
        return exact
    by_fold = {called(name): name for name in reversed([*members])}
    found = {
        field: [by_fold[each] for each in ALIASES[field] if each in by_fold] for field in ALIASES
    }
    return {field: names[0] for field, names in found.items() if names} | exact


def _text(value: object) -> str:
    """Return the text of a value; 3.000 and 3e0 are 3 in JSON."""
    text = "" if value is None else shown(value)
    number = whole_number(text) if isinstance(value, Decimal) else None
    return text if number is None else str(number)


def _values(
    text: str, named: FileFormat | None, items: str | None, *, lines: int, line: int
) -> tuple[Iterable[_Value], bool]:
    """Return the values, and whether they are numbered as elements of a list."""
    if is_list(text):
        return _found(text, line), True
    if named is FileFormat.JSON_LINES or _are_objects_of_lines(text):
        return _of_lines(text, lines=lines, line=line), False
    if (start := start_of(text))[:1] not in ("", "{"):
        raise UnusableError(f"it is not JSON: it starts with {start!r}")
    values = [*_found(text, line)]
    animals = _list_within(values[0].value, items) if len(values) == 1 else None
    return values if animals is None else animals, animals is not None


def _of_lines(text: str, *, lines: int, line: int) -> Iterator[_Value]:
    for each in bounded(lines_of(text), lines * _LINES_A_RECORD):
        if len(each.text) > line:
            yield _Value(each.number, "", fault=TOO_LONG)
        elif each.text.strip(BLANK):
            try:
                yield _Value(each.number, each.text.strip(BLANK), json_value(each.text))
            except NotJsonError as error:
                yield _Value(each.number, each.text.strip(BLANK), fault=str(error))


def _found(text: str, maximum: int) -> Iterator[_Value]:
    """Return the elements of the list that a text is, or the values that follow one another."""
    line, counted = 1, 0
    for value, where in (json_elements if is_list(text) else json_values)(text):
        line += text.count("\n", counted, where.start)
        counted = where.start
        if where.stop - where.start > maximum:
            yield _Value(line, "", fault=TOO_LONG)
        else:
            yield _Value(line, text[where], value)


def _list_within(members: Any, items: str | None) -> list[_Value] | None:
    """Return the list of animals in an object; None where that is an animal itself."""
    if not isinstance(members, dict) or {NAME, CATEGORY} <= _own_names(members).keys():
        return None
    lists = dict(_lists(members))
    if items is not None and items not in lists:
        raise UnusableError(f"it has no list of objects that is called {items}")
    likely = [name for name in lists if name in members] or [*lists]
    if items is None and len(likely) > 1:
        raise UnusableError(f"it has the lists {', '.join(likely)}; --items names one")
    name = next(iter(likely), None) if items is None else items
    return None if name is None else [_Value(1, written(each), each) for each in lists[name]]


def _lists(members: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the lists of objects in an object, and in those within it, by the way to them."""
    for name, value in members.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", found) for inner, found in _lists(value))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield name, value


def _are_objects_of_lines(text: str) -> bool:
    """Whether a text seems to be JSON Lines: the first of its lines is a whole object."""
    lines = [*islice((line.text for line in lines_of(text) if line.text.strip(BLANK)), 2)]
    return len(lines) > 1 and lines[0][:1] == "{" and lines[0].rstrip(BLANK).endswith("}")
