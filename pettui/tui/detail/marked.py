"""The animals that a key or an export takes: those that the clerk marked, or what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pettui.rows.shown import id_of, pets_of
from pettui.tui.transfer.selection import not_shown_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pettui.models.pets import Pet
    from pettui.rows.shown import Element, ShownRows


class MarkedPets:
    """Each as it was last loaded.

    A mark survives a refresh, a find, a sort and another filter, and counts even if the animal is
    not listed any more. A range begins at an animal and goes to the cursor, wherever that moves.
    """

    def __init__(self) -> None:
        self._pets: Mapping[int, Pet] = {}  # by id
        self._range_from: int | None = None  # the id of the animal where a range began
        self._before: Mapping[int, Pet] = {}  # what was marked then

    def __contains__(self, pet_id: object) -> bool:
        return pet_id in self._pets

    @property
    def ids(self) -> frozenset[int]:
        """The ids of the marked animals."""
        return frozenset(self._pets)

    @property
    def count(self) -> int:
        """How many animals are marked, shown or not."""
        return len(self._pets)

    def add(self, pets: Iterable[Pet]) -> None:
        """Mark animals."""
        self._pets = {**self._pets, **{pet.id: pet for pet in pets}}

    def invert(self, pets: Iterable[Pet]) -> None:
        """Mark those of the animals that are not marked, and unmark the others."""
        among = {pet.id: pet for pet in pets}
        rest = {pet_id: pet for pet_id, pet in self._pets.items() if pet_id not in among}
        new = {pet_id: pet for pet_id, pet in among.items() if pet_id not in self._pets}
        self._pets = {**rest, **new}

    def clear(self) -> None:
        """Remove all marks."""
        self._range_from, self._pets = None, {}

    @property
    def has_range(self) -> bool:
        """Whether a range goes with the cursor."""
        return self._range_from is not None

    def begin_range(self, pet: Pet) -> None:
        """Begin a range at an animal."""
        self._range_from, self._before = pet.id, self._pets
        self.add([pet])

    def extend_range(self, rows: Sequence[Element], cursor: int) -> None:
        """Let the range go to the row of the cursor; it ends if its first row is gone."""
        start = next((i for i, row in enumerate(rows) if id_of(row) == self._range_from), None)
        if start is None:
            self._range_from = None
        else:
            self._pets = self._before
            self.add(pets_of(rows[min(start, cursor) : max(start, cursor) + 1]))

    def end_range(self, *, keeps: bool = True) -> None:
        """End the range, if there is one; keep its marks, or take them back."""
        if self.has_range and not keeps:
            self._pets = self._before
        self._range_from = None

    def update(self, loaded: Iterable[Pet]) -> None:
        """Replace those of the marked animals that were loaded again."""
        if self._pets:
            again = [pet for pet in loaded if pet.id in self._pets]
            self._before = {**self._before, **{p.id: p for p in again if p.id in self._before}}
            self.add(again)

    def hidden(self, shown: ShownRows) -> int:
        """Return how many of the marked animals are not among the rows that are shown."""
        return len(self._pets.keys() - {*map(id_of, shown.elements)}) if self._pets else 0

    def in_order(self, shown: ShownRows) -> tuple[Pet, ...]:
        """Return the marked animals: the loaded ones in the order shown, and then the others."""
        if not self._pets:
            return ()
        rows = map(shown.loaded.__getitem__, shown.order)
        loaded = [pet.id for pet in pets_of(rows) if pet.id in self._pets]
        return tuple(self._pets[pet_id] for pet_id in dict.fromkeys((*loaded, *self._pets)))


class Targets(NamedTuple):
    """The animals that a key takes: those that are marked, else the one under the cursor."""

    pets: Sequence[Pet]
    hidden: int = 0  # of them, not on the screen

    @property
    def not_shown_text(self) -> str:
        """How many of them are not on the screen; "" for none."""
        return not_shown_text(self.hidden)
