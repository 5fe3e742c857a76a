"""LastLists: the first page of each status as it was shown last, and its form in a file.

Animals are stored as the JSON that the service sent, so that copying from a stored list is exact.
They were checked when they came, and are not checked again, since the first frame waits for them.
Instead the file begins with a digest of the rest: one that somebody else has changed is not read.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.json_text import json_value
from pettui.models import STATUSES, Pet, PetStatus, int64

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

VERSION: Final = 1
CONTENT_MAXIMUM: Final = 1_000_000  # bytes
_ROWS_MAXIMUM: Final = 1_000  # of one list
SEEN_MAXIMUM: Final = 2_000  # ids of one list
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


def encoded(last: LastLists, address: str, mask: Callable[[bytes], bytes] = bytes) -> bytes:
    """Return the content of a file, of at most 1 MB: the largest lists are left out beyond that.

    Args:
        last: what was shown last.
        address: the service's, in its one spelling.
        mask: removes the API key from JSON.
    """
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
            body = mask(content)
            return b"%b\n%b" % (_digest(body), body)
        del parts[max(parts, key=lambda name: len(parts[name]))]


def decoded(content: bytes, address: str) -> LastLists:
    """Return the lists in a file's content.

    Raises:
        NotUnderstoodError: it was not written by this version for this address, or has changed.
    """
    digest, _, body = content.partition(b"\n")
    if digest != _digest(body):
        raise NotUnderstoodError("it is damaged")
    fields = json.loads(body)
    if (fields["version"], fields["address"]) != (VERSION, address):
        raise NotUnderstoodError("it is of another version or another address")
    lists = {
        None if name == _ALL else PetStatus(name): _last_list(each)
        for name, each in fields["lists"].items()
    }
    view = fields["view"]
    status = None if view["status"] is None else PetStatus(view["status"])
    last_view = LastView(status, view["limit"], view["column"], view["is_descending"])
    return LastLists(MappingProxyType(lists), last_view)


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode("ascii")


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


def _last_list(fields: dict[str, Any]) -> LastList:
    seen = fields["seen"]
    if seen is not None:
        seen = SeenRows(seen["highest"], frozenset(seen["ids"]), seen["is_whole"])
    return LastList(tuple(map(_pet, fields["pets"])), fields["as_of"], seen)


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
