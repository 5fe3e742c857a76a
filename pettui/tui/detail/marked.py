"""The animals that a key or an export takes: those that the clerk marked, or what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pettui.rows.shown import ShownRows, id_of, pets_of
from pettui.tui.transfer.selection import not_shown_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from pettui.models.pets import Pet
    from pettui.rows.shown import Element


class MarkedPets:
    """Each as it was last loaded.

    A mark survives a refresh, a find, a sort and another filter, and counts even if the animal is
    not listed any more. A range begins at an animal and goes to the cursor, wherever that moves.
    What changes marks returns the ids of the animals that are marked now and were not, or were and
    are not.
    """

    def __init__(self) -> None:
        self._pets: Mapping[int, Pet] = {}  # by id
        self._range_from: int | None = None  # the id of the animal where a range began
        self._before: AbstractSet[int] = frozenset()  # what was marked then
        self._shown = ShownRows()  # of which the hidden ones were counted
        self._hidden = 0

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

    def _mark(self, pets: Mapping[int, Pet]) -> AbstractSet[int]:
        """Let these animals be marked, and no others."""
        changed = self._pets.keys() ^ pets.keys()
        self._pets, self._shown = pets, ShownRows()
        return changed

    def toggle(self, pet: Pet) -> AbstractSet[int]:
        """Mark or unmark an animal."""
        return self.invert([pet])

    def add(self, pets: Iterable[Pet]) -> AbstractSet[int]:
        """Mark animals."""
        return self._mark({**self._pets, **{pet.id: pet for pet in pets}})

    def invert(self, pets: Iterable[Pet]) -> AbstractSet[int]:
        """Mark those of the animals that are not marked, and unmark the others."""
        among = {pet.id: pet for pet in pets}
        rest = {pet_id: pet for pet_id, pet in self._pets.items() if pet_id not in among}
        new = {pet_id: pet for pet_id, pet in among.items() if pet_id not in self._pets}
        return self._mark({**rest, **new})

    def clear(self) -> AbstractSet[int]:
        """Remove all marks."""
        self._range_from = None
        return self._mark({})

    @property
    def has_range(self) -> bool:
        """Whether a range goes with the cursor."""
        return self._range_from is not None

    def begin_range(self, pet: Pet) -> AbstractSet[int]:
        """Begin a range at an animal."""
        self._range_from, self._before = pet.id, self.ids
        return self.add([pet])

    def extend_range(self, rows: Sequence[Element], cursor: int) -> AbstractSet[int]:
        """Let the range go to the row of the cursor; it ends if its first row is gone."""
        start = next((i for i, row in enumerate(rows) if id_of(row) == self._range_from), None)
        if start is None:
            self._range_from = None
            return frozenset()
        among = pets_of(rows[min(start, cursor) : max(start, cursor) + 1])
        return self._mark({**self._marked_before, **{pet.id: pet for pet in among}})

    def end_range(self, *, keeps: bool = True) -> AbstractSet[int]:
        """End the range; keep its marks, or take them back."""
        takes_back = self.has_range and not keeps
        self._range_from = None
        return self._mark(self._marked_before) if takes_back else frozenset()

    @property
    def _marked_before(self) -> Mapping[int, Pet]:
        """What was marked before the range."""
        return {pet_id: pet for pet_id, pet in self._pets.items() if pet_id in self._before}

    def update(self, loaded: Iterable[Pet]) -> None:
        """Replace those of the marked animals that were loaded again."""
        if self._pets:
            again = {pet.id: pet for pet in loaded if pet.id in self._pets}
            self._pets = {**self._pets, **again}

    def hidden(self, shown: ShownRows) -> int:
        """Return how many of the marked animals are not among the rows that are shown."""
        if not self._pets:
            return 0
        if shown is not self._shown:  # not for each key
            elements = map(shown.loaded.__getitem__, shown.indexes)
            found = {pet_id for each in elements if (pet_id := id_of(each)) in self._pets}
            self._shown, self._hidden = shown, len(self._pets) - len(found)
        return self._hidden

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
