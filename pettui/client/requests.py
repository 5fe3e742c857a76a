"""A request, its response, and what the client returns for it."""

from __future__ import annotations

import asyncio
import re
from datetime import date
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

# At run time, too, as in ``errors``: who asks for the types of fields finds them, as pydantic does.
from pettui.models.pets import NewPet, Pet, PetStatus, UnreadablePet
from pettui.settings.settings import LIMIT_DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

IDEMPOTENCY_KEY: Final = "Idempotency-Key"  # the draft of the IETF's HTTPAPI group
STORE: Final = "Pettui-Store"  # which store promises to add once, or alone may add
LONGEST_KEY: Final = 255  # characters
_KEY: Final = re.compile(rf"[ -~]{{1,{LONGEST_KEY}}}")
_STORE_ID: Final = re.compile(r"[0-9a-f]{32}")
VISITED_KEPT: Final = 200  # addresses of one list
EXCERPT_LENGTH: Final = 400  # characters of a body or an element that are kept to be shown


class Destination(NamedTuple):
    """Where requests go, and how."""

    base_url: str
    limits: Limits = Limits()  # on responses, and on the time that they take
    proxy: str | None = None
    ca_file: Path | None = None  # whom to trust in place of the system's authorities
    headers: Mapping[str, str] = MappingProxyType({})  # further ones, which may hold secrets


class Deadline(NamedTuple):
    """When a call or an attempt has to be done."""

    at: float  # in the event loop's time
    seconds: float  # that it had

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """Return the deadline so many seconds from now."""
        return cls(asyncio.get_running_loop().time() + seconds, seconds)

    @property
    def when(self) -> float | None:
        """The time, as asyncio takes it: None if there is none."""
        return None if self.at == inf else self.at

    @property
    def reason(self) -> str:
        """What is said where it has passed."""
        return f"no complete response within {self.seconds:g} s"


NEVER: Final = Deadline(inf, inf)


class Request(NamedTuple):
    """What one call sends, and what its response is checked against."""

    operation: str  # the interface's name: "listPets"
    method: str
    address: str  # absolute
    expected_status: int
    new_pet: NewPet | None = None  # createPet: what is to be added
    pet_id: int | None = None  # getPet: which animal
    limit: int | None = None  # listPets: how many at most
    status: PetStatus | None = None  # listPets: of which status
    visited: tuple[str, ...] = ()  # listPets: addresses of the pages just before this one
    # listPets: of the page before whose number is the highest power of two. A circle of any length
    # comes back to it, while only so many addresses are kept.
    milestone: str = ""
    pages_before: int = 0  # listPets
    rows_before: int = 0  # listPets: rows of those pages
    bytes_before: int = 0  # listPets: of their bodies
    is_endless: bool = False  # listPets: a list of any length, whose pages are not kept
    idempotency_key: str | None = None  # checked; with listPets it asks for the promise alone
    store_id: str | None = None  # createPet: the only store that may add it

    def __repr__(self) -> str:
        """Return what it is, without its key, and without what is added."""
        return f"<{self.operation}: {self.method} {self.address}>"

    @property
    def is_add(self) -> bool:
        """Whether sending it twice could add an animal twice."""
        return self.new_pet is not None

    @property
    def is_list(self) -> bool:
        """Whether its response is a list."""
        return self.limit is not None

    def own_headers(self) -> dict[str, str]:
        """Return the headers of the idempotency key, as they are sent."""
        key, store_id = self.idempotency_key, self.store_id
        headers = {} if key is None else {IDEMPOTENCY_KEY: structured_string(key)}
        return headers if store_id is None else {**headers, STORE: store_id}


def structured_string(text: str) -> str:
    """Return a text as a string of structured fields (RFC 8941, 3.3.3): in quotes.

    Raises:
        ValueError: it is empty, too long for a key, or not of printable ASCII.
    """
    if not _KEY.fullmatch(text):
        raise ValueError(f"an idempotency key is 1 to {LONGEST_KEY} printable characters of ASCII")
    escaped = text.replace("\\", r"\\").replace('"', r"\"")
    return f'"{escaped}"'


def is_store_id(text: str) -> bool:
    """Whether a text is the id of a store: 32 hexadecimal digits."""
    return _STORE_ID.fullmatch(text) is not None


class Response(NamedTuple):
    """One HTTP response, bounded, and with the key masked wherever it was sent back."""

    request: Request
    address: str  # absolute; after redirects, the last one
    status: int
    headers: tuple[tuple[str, str], ...]  # names in lower case, in order
    body: bytes  # incomplete where there is a ``body_error``
    body_error: str | None  # why the body is not whole: "more than 2 MB"
    elapsed: float  # seconds, from sending to the last byte
    limits: Limits

    @property
    def is_success(self) -> bool:
        """Whether the status is one of success."""
        return 200 <= self.status < 300

    @property
    def excerpt(self) -> str:
        """The first characters of the body, to be shown."""
        return self.body[: EXCERPT_LENGTH * 4].decode("utf-8", "replace")[:EXCERPT_LENGTH]

    @property
    def content(self) -> str:
        """What the body is, in a few words: "text/html, 1.2 kB"."""
        if not self.body and self.body_error is None:
            return "an empty body"
        kind = self.header("content-type").partition(";")[0].strip()[:80]
        return f"{kind or 'no content type'}, {self.body_error or in_bytes(len(self.body))}"

    def header(self, name: str) -> str:
        """Return a header's first value; "" where there is none."""
        return next((value for found, value in self.headers if found == name), "")


class Notice(NamedTuple):
    """That an operation is going to be removed; what is not known is None.

    Source: RFC 9745 (Deprecation), RFC 8594 (Sunset), and the interface's announcement. Dates are
    those of UTC. Texts and addresses come from outside, and are never followed.
    """

    operation: str  # "getPet"
    since: date | None  # deprecated since, or from (a date in the future)
    sunset: date | None  # removed on
    replacement: str | None  # in words, or the address of the successor-version link
    announced: bool  # by the interface; else by the response's own headers
    more: str | None = None  # address of the deprecation or sunset link

    def sentence(self, today: date) -> str:
        """Return what goes away, when, and what to use instead; raw."""
        parts = [f"{self.operation} is deprecated."]
        if self.since is not None and self.since > today:
            parts = [f"{self.operation} will be deprecated on {_day(self.since)}."]
        if self.sunset is not None:
            parts.append(_sunset(self.sunset, today))
        if self.replacement:
            parts.append(f"Use instead: {self.replacement}.")
        return " ".join(parts)

    def brief(self, today: date) -> str:
        """Return what goes away, and when; raw."""
        if self.sunset is not None:
            ends = "ends" if self.sunset >= today else "was to end"
            return f"{self.operation} {ends} {_day(self.sunset)}"
        if self.since is not None and self.since > today:
            return f"{self.operation} will be deprecated on {_day(self.since)}"
        return f"{self.operation} is deprecated"


def _sunset(sunset: date, today: date) -> str:
    days = (sunset - today).days
    if days < 0:
        return f"It was to go away on {_day(sunset)} ({_count(-days)} ago)."
    if days == 0:
        return f"It goes away today, {_day(sunset)}."
    return f"It goes away on {_day(sunset)} (in {_count(days)})."


def _day(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


def _count(days: int) -> str:
    return f"{days:,} day{'' if days == 1 else 's'}"


ANNOUNCED: Final = Notice(  # by the interface itself
    operation="getPet",
    since=None,
    sunset=date(2030, 12, 5),
    replacement="GET /pets with the status filter",
    announced=True,
)


class PetPage(NamedTuple):
    """The response of listPets."""

    rows: tuple[Pet | UnreadablePet, ...]  # in the list's own order
    notices: tuple[Notice, ...]
    elapsed: float  # seconds, from sending to the last byte
    next_link: str | None  # the next page, as an absolute address of the same origin
    request: Request  # that it is the response to; the next page's is like it
    remarks: tuple[str, ...] = ()  # what is odd about the response; not yet safe to draw
    size: int = 0  # bytes of the body
    store_id: str | None = None  # of a store that promises to add once; see ``promised_store``
    is_cut: bool = False  # the list goes on, and the rest is not loaded; a remark says why
    is_linked: bool = False  # with others: without a link to the next it is the last one

    @property
    def is_first(self) -> bool:
        """Whether no other page of the list was loaded before it."""
        return not self.request.visited

    @property
    def may_go_on(self) -> bool:
        """Whether nobody knows if there are more: the service links no pages, and it is full.

        A service may list fewer than it was asked for, but no fewer than by default.
        """
        full = min(self.request.limit or LIMIT_DEFAULT, LIMIT_DEFAULT)
        is_single = self.is_first and not (self.is_linked or self.is_cut)
        return is_single and len(self.rows) >= full

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The animals alone, in the list's own order."""
        return tuple(row for row in self.rows if not isinstance(row, UnreadablePet))

    @property
    def unfiltered(self) -> str:
        """The remark that the service does not filter by status as it was asked; "" if it does."""
        status = self.request.status
        others = sum(status not in (None, pet.status) for pet in self.pets)
        return f"{others} of another status than {status}" if others else ""


class PetAnswer(NamedTuple):
    """The response of createPet and getPet."""

    pet: Pet
    notices: tuple[Notice, ...]
    elapsed: float  # seconds
    remarks: tuple[str, ...] = ()  # what is odd about the response; not yet safe to draw
    store_id: str | None = None  # of the store that adds with this key once; None: no promise
    is_replayed: bool = False  # an earlier request with the same key had added it


def in_bytes(count: int) -> str:
    """Return a size in words: "45 bytes", "1.2 kB", "2.1 MB"."""
    if count < 1000:
        return f"{count} byte" if count == 1 else f"{count} bytes"
    return f"{count / 1000:.1f} kB" if count < 999_950 else f"{count / 1_000_000:.1f} MB"
