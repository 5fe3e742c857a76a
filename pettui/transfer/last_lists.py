"""LastLists: the first page of each status as it was shown last, and its form in a file.

Animals are stored as the JSON that the service sent, so that copying from a stored list is exact.
A file of another version or another address is not read.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.json_text import json_value
from pettui.models import STATUSES, Pet, PetStatus, int64
from pettui.settings import LIMIT_MAXIMUM, LIMIT_MINIMUM

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION: Final = 1
CONTENT_MAXIMUM: Final = 1_000_000  # bytes
_ROWS_MAXIMUM: Final = 1_000  # of one list
SEEN_MAXIMUM: Final = 2_000  # ids of one list
_LATEST: Final = 250_000_000_000  # seconds since the epoch; a date holds little more
_COLUMN: Final = re.compile(r"[a-z_]{1,40}")
_ALL: Final = "all"  # the name of the list of all statuses


class NotUnderstoodError(ValueError):
    """A file is damaged, or of another version or another address."""


@dataclass(frozen=True, slots=True)
class SeenRows:
    """Which animals of a list stood on the screen."""

    highest: int | None = None  # where ids fall from the top, it stands for all below it
    ids: frozenset[int] = frozenset()  # in any other order
    is_whole: bool = True  # ``ids`` are all that the service listed

    def has(self, pet_id: int) -> bool:
        """Whether an animal with this id stood there."""
        return (self.highest is not None and pet_id <= self.highest) or pet_id in self.ids


@dataclass(frozen=True, slots=True)
class LastList:
    """The first page of one status, and what was seen of all its pages."""

    pets: tuple[Pet, ...]
    as_of: float  # seconds since the epoch
    seen: SeenRows | None = None  # None: only the first page


@dataclass(frozen=True, slots=True)
class LastView:
    """How the list was filtered and sorted last."""

    status: PetStatus | None = None
    limit: int | None = None  # None for the default
    column: str | None = None  # to sort by; None for the service's order
    is_descending: bool = False


@dataclass(frozen=True, slots=True)
class LastLists:
    """All that is stored for one base address."""

    lists: Mapping[PetStatus | None, LastList] = field(default_factory=lambda: MappingProxyType({}))
    view: LastView = LastView()


def encoded(last: LastLists, address: str) -> bytes:
    """Return the content of a file, of at most 1 MB: the largest lists are left out beyond that."""
    parts = {
        status.value if status else _ALL: _dumped(
            {
                "as_of": each.as_of,
                "pets": [pet.as_json for pet in each.pets],
                "seen": _seen_fields(each.seen),
            }
        )
        for status, each in last.lists.items()
        if len(each.pets) <= _ROWS_MAXIMUM
    }
    head = {"version": VERSION, "address": address, "view": _view_fields(last.view)}
    while True:
        lists = b",".join(b"%b:%b" % (_dumped(name), part) for name, part in parts.items())
        content = b'%b,"lists":{%b}}\n' % (_dumped(head)[:-1], lists)
        if len(content) <= CONTENT_MAXIMUM or not parts:
            return content
        del parts[max(parts, key=lambda name: len(parts[name]))]


def decoded(content: bytes, address: str) -> LastLists:
    """Return the lists in a file's content.

    Raises:
        NotUnderstoodError: it was not written by this version for this address.
    """
    try:
        return _decoded(content, address)
    except (ValueError, RecursionError) as error:
        raise NotUnderstoodError(str(error)) from error


def _decoded(content: bytes, address: str) -> LastLists:
    _expect(len(content) <= CONTENT_MAXIMUM)
    fields = json.loads(content.decode())
    _expect(isinstance(fields, dict) and set(fields) == {"version", "address", "view", "lists"})
    _expect(fields["version"] == VERSION and type(fields["version"]) is int)
    _expect(fields["address"] == address and isinstance(fields["lists"], dict))
    lists = {_status(name): _last_list(each) for name, each in fields["lists"].items()}
    return LastLists(MappingProxyType(lists), _view(fields["view"]))


def _dumped(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")  # the service's text has no lone surrogates


def _seen_fields(seen: SeenRows | None) -> dict[str, Any] | None:
    if seen is None:
        return None
    return {"highest": seen.highest, "ids": sorted(seen.ids), "is_whole": seen.is_whole}


def _view_fields(view: LastView) -> dict[str, Any]:
    return {
        "status": view.status,
        "limit": view.limit,
        "column": view.column,
        "is_descending": view.is_descending,
    }


def _expect(condition: bool) -> None:
    if not condition:
        raise ValueError("unexpected content")


def _status(name: str) -> PetStatus | None:
    return None if name == _ALL else PetStatus(name)


def _last_list(value: Any) -> LastList:
    _expect(isinstance(value, dict) and set(value) == {"as_of", "pets", "seen"})
    as_of, texts = value["as_of"], value["pets"]
    _expect(type(as_of) in (int, float) and 0 <= as_of <= _LATEST)
    _expect(isinstance(texts, list) and len(texts) <= _ROWS_MAXIMUM)
    return LastList(tuple(map(_pet, texts)), float(as_of), _seen(value["seen"]))


def _seen(value: Any) -> SeenRows | None:
    if value is None:
        return None
    _expect(isinstance(value, dict) and set(value) == {"highest", "ids", "is_whole"})
    highest, ids = value["highest"], value["ids"]
    _expect(isinstance(ids, list) and len(ids) <= SEEN_MAXIMUM)
    _expect(isinstance(value["is_whole"], bool))
    numbers = ids if highest is None else [highest, *ids]
    _expect(all(type(each) is int and int64(each) == each for each in numbers))
    return SeenRows(highest, frozenset(ids), value["is_whole"])


def _pet(text: str) -> Pet:
    """Return an animal, which was checked when it was stored."""
    fields = json_value(text)
    status = fields.pop("status", None)
    return Pet(
        id=int64(fields.pop("id")),
        name=fields.pop("name"),
        category_id=int64(fields.pop("categoryId")),
        status=STATUSES.get(status, status),
        others=fields,
        json=text.encode(),
    )


def _view(value: Any) -> LastView:
    _expect(isinstance(value, dict) and set(value) == set(_view_fields(LastView())))
    status, limit, column = value["status"], value["limit"], value["column"]
    _expect(limit is None or (type(limit) is int and LIMIT_MINIMUM <= limit <= LIMIT_MAXIMUM))
    _expect(column is None or (isinstance(column, str) and bool(_COLUMN.fullmatch(column))))
    _expect(isinstance(value["is_descending"], bool))
    chosen = None if status is None else PetStatus(status)
    return LastView(chosen, limit, column, value["is_descending"])
