"""Receipt: the animals added in this session, counted by category and status."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.models import PetStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.models import Pet

PETS_KEPT: Final = 10_000  # older ones are only counted
_KNOWN: Final[tuple[str, ...]] = tuple(PetStatus)


@dataclass(frozen=True, slots=True)
class Total:
    """How many animals of a category were added, or of all categories."""

    category_id: int | None  # None: all
    count: int
    by_status: Mapping[str | None, int]  # in the interface's order, unknown ones, then "not set"


class Receipt:
    """The animals that one session added; it only grows."""

    def __init__(self, kept: int = PETS_KEPT) -> None:
        self._kept = kept
        self._keys: set[str] = set()
        self._pets: dict[str, Pet] = {}
        self._counts: Counter[tuple[int, str | None]] = Counter()

    def add(self, key: str, pet: Pet) -> None:
        """Add an animal under its entry's key; a key that was added before is ignored."""
        if key in self._keys:
            return
        self._keys.add(key)
        self._pets[key] = pet
        self._counts[pet.category_id, pet.status] += 1
        if len(self._pets) > self._kept:
            del self._pets[next(iter(self._pets))]

    @property
    def count(self) -> int:
        """How many animals were added."""
        return len(self._keys)

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The animals, newest first."""
        return tuple(reversed(self._pets.values()))

    @property
    def totals(self) -> tuple[Total, ...]:
        """The total of all, then of each category by number; empty where nothing was added."""
        counted: dict[int | None, Counter[str | None]] = {}
        for (category_id, status), count in self._counts.items():
            for key in (None, category_id):
                counted.setdefault(key, Counter())[status] += count
        categories = sorted(key for key in counted if key is not None)
        return tuple(_total(key, counted[key]) for key in (None, *categories) if key in counted)


def _total(category_id: int | None, counts: Counter[str | None]) -> Total:
    return Total(category_id, counts.total(), dict(sorted(counts.items(), key=_sort_key)))


def _sort_key(counted: tuple[str | None, int]) -> tuple[int, str]:
    status = counted[0]
    if status is None:
        return (len(_KNOWN) + 1, "")
    return (_KNOWN.index(status) if status in _KNOWN else len(_KNOWN), status)
