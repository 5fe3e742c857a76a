"""Receipts: what one owner added on one profile, by day, from wherever it was added; and audits.

``FileReceipts`` has a file for each day, ``2026-11-28.jsonl``, 0600, with an animal a line. Lines
are only appended, by every window and command at once, and each begins with the end of a line, so
that one which was cut costs itself alone. Of the oldest lines of a very full day only the counts
stay.

What is recorded is an instant, and which day that is depends on who reads it: over SSH the user's
midnight is not the machine's. The files are by the machine's days, as they were when it was
recorded; the counts that stay have no instants, and are of those days for everybody.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from pettui.models.pets import Pet
from pettui.models.statuses import STATUSES
from pettui.outbox.entries import Author, outbox_errors
from pettui.system.files import (
    locked_directory,
    make_directory,
    read_regular_file,
    replace_file,
)

if TYPE_CHECKING:
    from pathlib import Path


RECEIPTS: Final = "receipts"  # the directory, beside an owner's entries
DAYS_KEPT: Final = 31
PETS_KEPT: Final = 10_000  # of a day; older ones are only counted
NAME_KEPT: Final = 1_000  # characters
_LARGEST: Final = 4_000_000  # bytes of a file, from which it is made shorter
_LAST_MOMENT: Final = datetime(9999, 12, 30, tzinfo=UTC).timestamp()
_DAY: Final = re.compile(r"(\d{4}-\d{2}-\d{2})\.jsonl", re.ASCII)
_COUNTED: Final = "counted"


class Source(Enum):
    """From where an animal was added; the values are in files, and on the screen."""

    FORM = "form"
    PASTE = "paste"
    EARLIER = "outbox"  # typed or pasted in an earlier session, or in another window
    IMPORT = "import"
    COMMAND = "command"
    SERVER = "server"  # unattended


class Added(NamedTuple):
    """An animal that was added."""

    key: str  # of several records with the same one, the first counts
    at: float  # wall-clock seconds
    source: str  # a value of Source, or of a later version's
    pet: Pet  # with the fields of the interface alone

    @classmethod
    def of(cls, key: str, source: Source, pet: Pet) -> Added:
        """Return the record of an animal that is added now."""
        name = pet.name[:NAME_KEPT]
        known = Pet(id=pet.id, name=name, category_id=pet.category_id, status=pet.status)
        return cls(key, datetime.now().astimezone().timestamp(), source.value, known)

    def day(self, zone: tzinfo | None = None) -> date:
        """Return the day on which it was added; zone None is the machine's, as everywhere here."""
        return day_of(self.at, zone)

    def is_of(self, pet: Pet) -> bool:
        """Whether it is of this very animal: a store that began anew gives ids again."""
        known = self.pet
        same = (pet.id, pet.name[:NAME_KEPT], pet.category_id)
        return same == (known.id, known.name, known.category_id)


class Certain(NamedTuple):
    """What became certain of an entry: that the service added it, or that it refused it."""

    entry_id: str
    typed_at: float  # wall-clock seconds
    author: Author | None  # who typed it, where that is known
    source: Source
    pet_id: int | None = None  # of an added one
    status: int | None = None  # of the response that refused it; None for none
    code: str | None = None  # that response's, without an API key
    decided_by: Author | None = None  # who said which listed animal an unknown one became


Audit: TypeAlias = Callable[[Certain], None]
"""Is told what became certain, before that is kept: once more where a kill came in between."""


class DayReceipt(NamedTuple):
    """What was added on one day."""

    day: date
    added: Sequence[Added]  # the newest, oldest first
    counts: Mapping[tuple[int, str | None], int]  # of all, by category and status

    @property
    def total(self) -> int:
        """How many animals were added."""
        return sum(self.counts.values())


Counts: TypeAlias = Counter[tuple[int, str | None]]


class _OfDay(NamedTuple):
    """What is kept of one of the machine's days."""

    day: date
    added: Sequence[Added]
    counts: Counts  # of those of which nothing else is kept


class Receipts(ABC):
    """What one owner adds, kept by the machine's days. Calls block, and raise OutboxError.

    It is told by those days, or by those of the zone of who reads it.
    """

    @abstractmethod
    def forget(self, day: date) -> None:
        """Remove what was added on a day."""

    @abstractmethod
    def _append(self, lines: Mapping[date, Mapping[str, bytes]]) -> None:
        """Keep lines, by day and key; of several with one key the first counts."""

    @abstractmethod
    def _kept_days(self) -> Sequence[date]:
        """Return the days of which something is kept, in order."""

    @abstractmethod
    def _lines(
        self, first: date, last: date, having: bytes
    ) -> Iterable[tuple[date, Iterable[bytes]]]:
        """Return the lines of the days from the first to the last that have some text.

        The last day comes first.
        """

    def record(self, *added: Added) -> None:
        """Keep what was added."""
        lines: dict[date, dict[str, bytes]] = {}
        for each in added:
            lines.setdefault(each.day(), {}).setdefault(each.key, _line_of(each))
        self._append(lines)

    def merge(self, receipt: DayReceipt) -> None:
        """Keep what another receipt has of a day; of its oldest lines only the counts."""
        lines = {each.key: _line_of(each) for each in receipt.added}
        if only_counted := Counter(receipt.counts) - _counts_of(receipt.added):
            lines[secrets.token_hex(8)] = _counts_line(only_counted)
        self._append({receipt.day: lines})

    def days(self, zone: tzinfo | None = None) -> Sequence[date]:
        """Return the days of a zone of which something is kept, the oldest first."""
        if zone is None:
            return self._kept_days()
        days: set[date] = set()
        for day, added, counts in self._kept(date.min, date.max):
            days.update([day] if counts else [], (each.day(zone) for each in added))
        return sorted(days)

    def of(self, day: date, zone: tzinfo | None = None) -> DayReceipt:
        """Return what was added on a day of a zone."""
        added: dict[str, Added] = {}
        counted: Counts = Counter()
        # A zone's day may begin on the machine's day before, or after.
        reach = timedelta(days=0 if zone is None else 1)
        for kept_day, kept, counts in self._kept(day - reach, day + reach):
            added |= {each.key: each for each in kept if zone is None or each.day(zone) == day}
            counted.update(counts if kept_day == day else {})
        read = sorted(added.values(), key=lambda each: each.at)
        return DayReceipt(day, read[-PETS_KEPT:], counted + _counts_of(read))

    def added(self, pet: Pet) -> Added | None:
        """Return the newest record of an animal: of its id, name and category; None for none."""
        for _, added, _ in self._kept(date.min, date.max, f'"id": {pet.id},'.encode()):
            if of_pet := [each for each in added if each.is_of(pet)]:
                return max(of_pet, key=lambda each: each.at)
        return None

    def _kept(self, first: date, last: date, having: bytes = b"") -> Iterable[_OfDay]:
        return (_of_day(day, lines) for day, lines in self._lines(first, last, having))


class MemoryReceipts(Receipts):
    """What was added since the start of this process: a demo's, or of one session."""

    def __init__(self) -> None:
        self._by_day: dict[date, dict[str, bytes]] = {}

    def forget(self, day: date) -> None:
        """Remove what was added on a day."""
        self._by_day.pop(day, None)

    def _append(self, lines: Mapping[date, Mapping[str, bytes]]) -> None:
        for day, by_key in lines.items():
            self._by_day[day] = {**by_key, **self._by_day.get(day, {})}

    def _kept_days(self) -> Sequence[date]:
        return sorted(self._by_day)

    def _lines(
        self, first: date, last: date, having: bytes
    ) -> Iterable[tuple[date, Iterable[bytes]]]:
        for day in reversed(self._kept_days()):
            if first <= day <= last:
                yield day, [line for line in self._by_day[day].values() if having in line]


class FileReceipts(Receipts):
    """What was added, in a directory."""

    def __init__(self, directory: Path) -> None:
        """Locate it; it is made with the first record."""
        self._directory = directory

    def forget(self, day: date) -> None:
        """Remove what was added on a day."""
        with outbox_errors("forget what was added", self._directory):
            self._path(day).unlink(missing_ok=True)

    def _append(self, lines: Mapping[date, Mapping[str, bytes]]) -> None:
        with outbox_errors("keep what was added", self._directory):
            make_directory(self._directory)
            with locked_directory(self._directory, is_required=False):
                for day, by_key in lines.items():
                    self._append_to(day, _joined(by_key.values()))

    def _append_to(self, day: date, lines: bytes) -> None:
        path = self._path(day)
        is_new = not path.exists()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o600)
        try:
            os.write(descriptor, lines)
            size = os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)
        if is_new:
            for each in self._kept_days()[:-DAYS_KEPT]:
                self._path(each).unlink(missing_ok=True)
        if size > _LARGEST:
            self._shorten(day)

    def _shorten(self, day: date) -> None:
        """Leave the newest half of what is kept, and the counts of the rest."""
        [(_, added, counts)] = self._kept(day, day)
        kept = added[-PETS_KEPT // 2 :]
        while kept and len(_joined(map(_line_of, kept))) > _LARGEST // 2:
            kept = kept[len(kept) // 2 :]
        counts.update(_counts_of(added[: len(added) - len(kept)]))
        lines = [_counts_line(counts), *map(_line_of, kept)]
        replace_file(self._path(day), _joined(lines), durably=False)

    def _kept_days(self) -> Sequence[date]:
        with outbox_errors("read what was added", self._directory):
            try:
                names = os.listdir(self._directory)  # noqa: PTH208 - names are all that is wanted
            except FileNotFoundError:
                return []
        days = []
        for found in filter(None, map(_DAY.fullmatch, names)):
            with suppress(ValueError):  # no such day
                days.append(date.fromisoformat(found[1]))
        return sorted(days)

    def _lines(
        self, first: date, last: date, having: bytes
    ) -> Iterable[tuple[date, Iterable[bytes]]]:
        for day in reversed(self._kept_days()):
            if not first <= day <= last:
                continue
            with outbox_errors("read what was added", self._directory), suppress(FileNotFoundError):
                found = read_regular_file(self._path(day), 4 * _LARGEST, follow_links=False)
                yield day, [line for line in found.content.splitlines() if having in line]

    def _path(self, day: date) -> Path:
        return self._directory / f"{day.isoformat()}.jsonl"


def today(zone: tzinfo | None = None) -> date:
    """Return the day on which an animal that is added now is told."""
    return datetime.now().astimezone(zone).date()


def day_of(at: float, zone: tzinfo | None = None) -> date:
    """Return the day of a moment in a zone; None is the machine's.

    One that no calendar has, as of a damaged line, is of the first or the last day there is.
    """
    possible = min(max(at, 0.0), _LAST_MOMENT)
    return datetime.fromtimestamp(possible).astimezone(zone).date()


def _counts_of(added: Iterable[Added]) -> Counts:
    return Counter((each.pet.category_id, each.pet.status) for each in added)


def _counts_line(counts: Counts) -> bytes:
    rows = [[category, status, number] for (category, status), number in counts.items()]
    return json.dumps({_COUNTED: rows}).encode()


def _line_of(added: Added) -> bytes:
    pet = added.pet
    fields = {
        "key": added.key, "at": added.at, "source": added.source,
        "id": pet.id, "name": pet.name, "categoryId": pet.category_id, "status": pet.status,
    }  # fmt: skip
    return json.dumps(fields).encode()


def _joined(lines: Iterable[bytes]) -> bytes:
    """Return lines as they are in a file: each begins with the end of the one before."""
    return b"".join(b"\n" + line for line in lines)


def _of_day(day: date, lines: Iterable[bytes]) -> _OfDay:
    """Return what lines say of a day; those that cannot be read are left out."""
    added: dict[str, Added] = {}
    counts: Counts = Counter()
    for line in lines:
        with suppress(ValueError, LookupError, TypeError, RecursionError):
            fields = json.loads(line)
            if _COUNTED in fields:
                counts.update({(each[0], each[1]): each[2] for each in fields[_COUNTED]})
            else:
                record = _added_of(fields)
                added.setdefault(record.key, record)
    return _OfDay(day, [*added.values()], counts)


def _added_of(fields: dict[str, Any]) -> Added:
    """Return what a line says; raises LookupError, TypeError or ValueError if it is none."""
    key, source, name, status = (fields[each] for each in ("key", "source", "name", "status"))
    pet_id, category_id, at = (fields[each] for each in ("id", "categoryId", "at"))
    texts, numbers = (key, source, name, status or ""), (pet_id, category_id)
    if not all(isinstance(each, str) for each in texts):
        raise TypeError("not a text")
    if not all(type(each) is int for each in numbers):
        raise TypeError("not a whole number")
    known = STATUSES.get(status, status)
    return Added(
        key, float(at), source, Pet(id=pet_id, name=name, category_id=category_id, status=known)
    )
