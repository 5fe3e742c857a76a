"""Receipts: what one owner added on one profile, by day, from wherever it was added.

``FileReceipts`` has a file for each day, ``2026-11-28.jsonl``, 0600, with an animal a line. Lines
are only appended, by every window and command at once, and each begins with the end of a line, so
that one which was cut costs itself alone. Of the oldest lines of a very full day only the counts
stay. Days end with the machine's own midnight.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter, deque
from contextlib import contextmanager, suppress
from datetime import date, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from pettui.models.pets import Pet
from pettui.models.statuses import STATUSES
from pettui.outbox.entries import OutboxError
from pettui.system.files import (
    locked_directory,
    make_directory,
    read_regular_file,
    reason_of,
    replace_file,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

RECEIPTS: Final = "receipts"  # the directory, beside an owner's entries
DAYS_KEPT: Final = 31
PETS_KEPT: Final = 10_000  # of a day; older ones are only counted
NAME_KEPT: Final = 1_000  # characters
_LARGEST: Final = 4_000_000  # bytes of a file, from which it is made shorter
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
        return cls(key, _now().timestamp(), source.value, known)

    @property
    def day(self) -> date:
        """The day on which it was added."""
        return datetime.fromtimestamp(self.at).astimezone().date()


class DayReceipt(NamedTuple):
    """What was added on one day."""

    day: date
    added: Sequence[Added]  # the newest, oldest first
    counts: Mapping[tuple[int, str | None], int]  # of all, by category and status

    @property
    def total(self) -> int:
        """How many animals were added."""
        return sum(self.counts.values())


class Receipts(Protocol):
    """Keeps what one owner adds. Calls block, and raise OutboxError."""

    def record(self, *added: Added) -> None:
        """Keep what was added."""

    def days(self) -> Sequence[date]:
        """Return the days of which something is kept, the oldest first."""

    def of(self, day: date) -> DayReceipt:
        """Return what was added on a day."""


class MemoryReceipts:
    """What was added since the start of this process: a demo's, or of one session."""

    def __init__(self) -> None:
        self._by_day: dict[date, deque[Added]] = {}
        self._counts: dict[date, Counter[tuple[int, str | None]]] = {}
        self._keys: set[str] = set()

    def record(self, *added: Added) -> None:
        """Keep what was added."""
        for each in added:
            if each.key not in self._keys:
                self._keys.add(each.key)
                self._by_day.setdefault(each.day, deque(maxlen=PETS_KEPT)).append(each)
                counts = self._counts.setdefault(each.day, Counter())
                counts[each.pet.category_id, each.pet.status] += 1

    def days(self) -> Sequence[date]:
        """Return the days of which something is kept, the oldest first."""
        return sorted(self._by_day)

    def of(self, day: date) -> DayReceipt:
        """Return what was added on a day."""
        return DayReceipt(day, [*self._by_day.get(day, ())], Counter(self._counts.get(day, {})))


class FileReceipts:
    """What was added, in a directory."""

    def __init__(self, directory: Path) -> None:
        """Locate it; it is made with the first record."""
        self._directory = directory

    def record(self, *added: Added) -> None:
        """Keep what was added."""
        by_day: dict[date, list[Added]] = {}
        for each in added:
            by_day.setdefault(each.day, []).append(each)
        with _errors("keep what was added", self._directory):
            make_directory(self._directory)
            with locked_directory(self._directory, is_required=False):
                for day, some in by_day.items():
                    self._append(day, b"".join(map(_line_of, some)))

    def _append(self, day: date, lines: bytes) -> None:
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
            for each in self._days()[:-DAYS_KEPT]:
                self._path(each).unlink(missing_ok=True)
        if size > _LARGEST:
            self._shorten(day)

    def _shorten(self, day: date) -> None:
        """Leave the newest half of what is kept, and the counts of the rest."""
        receipt = self.of(day)
        kept = receipt.added[-PETS_KEPT // 2 :]
        while kept and sum(len(_line_of(each)) for each in kept) > _LARGEST // 2:
            kept = kept[len(kept) // 2 :]
        counts = Counter(receipt.counts)
        counts.subtract(_counts_of(kept))
        rows = [[category, status, number] for (category, status), number in counts.items()]
        head = b"\n" + json.dumps({_COUNTED: [each for each in rows if each[2]]}).encode()
        replace_file(self._path(day), head, *map(_line_of, kept), durably=False)

    def days(self) -> Sequence[date]:
        """Return the days of which something is kept, the oldest first."""
        with _errors("read what was added", self._directory):
            return self._days()

    def _days(self) -> list[date]:
        try:
            names = os.listdir(self._directory)  # noqa: PTH208 - names are all that is wanted
        except FileNotFoundError:
            return []
        days = []
        for found in filter(None, map(_DAY.fullmatch, names)):
            with suppress(ValueError):  # no such day
                days.append(date.fromisoformat(found[1]))
        return sorted(days)

    def of(self, day: date) -> DayReceipt:
        """Return what was added on a day; lines that cannot be read are left out."""
        with _errors("read what was added", self._directory):
            try:
                content = read_regular_file(
                    self._path(day), 4 * _LARGEST, follow_links=False
                ).content
            except FileNotFoundError:
                content = b""
        return day_receipt(day, content.splitlines())

    def _path(self, day: date) -> Path:
        return self._directory / f"{day.isoformat()}.jsonl"


def today() -> date:
    """Return the day on which an animal that is added now is recorded."""
    return _now().date()


def _now() -> datetime:
    return datetime.now().astimezone()


def _counts_of(added: Sequence[Added]) -> Counter[tuple[int, str | None]]:
    return Counter((each.pet.category_id, each.pet.status) for each in added)


def day_receipt(day: date, lines: Iterable[bytes]) -> DayReceipt:
    """Return what lines say of a day; those that cannot be read are left out."""
    added: dict[str, Added] = {}
    counted: Counter[tuple[int, str | None]] = Counter()
    for line in lines:
        with suppress(ValueError, LookupError, TypeError, RecursionError):
            fields = json.loads(line)
            if _COUNTED in fields:
                counted.update({(each[0], each[1]): each[2] for each in fields[_COUNTED]})
            else:
                one = _added_of(fields)
                added.setdefault(one.key, one)
    read = [*added.values()]
    return DayReceipt(day, read[-PETS_KEPT:], counted + _counts_of(read))


def receipt_line(added: Added) -> bytes:
    """Return what is kept of an added animal, as JSON."""
    pet = added.pet
    fields = {
        "key": added.key, "at": added.at, "source": added.source,
        "id": pet.id, "name": pet.name, "categoryId": pet.category_id, "status": pet.status,
    }  # fmt: skip
    return json.dumps(fields).encode()


def _line_of(added: Added) -> bytes:
    return b"\n" + receipt_line(added)


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


@contextmanager
def _errors(what: str, directory: Path) -> Iterator[None]:
    """Raise each OSError of the block as an OutboxError."""
    try:
        yield
    except OSError as error:
        raise OutboxError(f"cannot {what}: {directory}: {reason_of(error)}") from error
