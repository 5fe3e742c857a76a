"""Counts by category and status: of the animals that are shown, and of those that were added."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.models.pets import Pet, PetStatus

if TYPE_CHECKING:
    from collections.abc import Mapping


PETS_KEPT: Final = 10_000  # that a session added; older ones are only counted
_KNOWN: Final[tuple[str, ...]] = tuple(PetStatus)


class Total(NamedTuple):
    """How many animals there are of a category, or of all categories."""

    category_id: int | None  # None: all
    by_status: Mapping[str | None, int]  # in the interface's order, unknown ones, then "not set"

    @property
    def number(self) -> int:
        """How many there are of all statuses."""
        return sum(self.by_status.values())


def totals_of(counts: Mapping[tuple[int, str | None], int]) -> tuple[Total, ...]:
    """Return the total of all, then of each category by number; none where nothing is counted.

    Args:
        counts: how many animals there are, by category and status.
    """
    counted: dict[int | None, Counter[str | None]] = {}
    for (category_id, status), count in counts.items():
        for key in (None, category_id):
            counted.setdefault(key, Counter())[status] += count
    categories = sorted(key for key in counted if key is not None)
    return tuple(
        Total(key, dict(sorted(counted[key].items(), key=_sort_key)))
        for key in (None, *categories)
        if key in counted
    )


def _sort_key(counted: tuple[str | None, int]) -> tuple[int, str]:
    status = counted[0]
    if status is None:
        return (len(_KNOWN) + 1, "")
    return (_KNOWN.index(status) if status in _KNOWN else len(_KNOWN), status)


class Receipt:
    """The animals that one session added; it only grows."""

    def __init__(self, maximum: int = PETS_KEPT) -> None:
        self._maximum = maximum
        self._entry_ids: set[str] = set()
        self._pets: dict[str, Pet] = {}

    def add(self, entry_id: str, pet: Pet) -> None:
        """Add an animal under its entry's id; one that was added before is ignored."""
        if entry_id in self._entry_ids:
            return
        self._entry_ids.add(entry_id)
        self._pets[entry_id] = pet
        if len(self._pets) > self._maximum:
            del self._pets[next(iter(self._pets))]

    def pet_of(self, entry_id: str) -> Pet | None:
        """Return the animal of an entry, if it is kept."""
        return self._pets.get(entry_id)

    @property
    def count(self) -> int:
        """How many animals were added."""
        return len(self._entry_ids)

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The animals, newest first."""
        return tuple(reversed(self._pets.values()))
