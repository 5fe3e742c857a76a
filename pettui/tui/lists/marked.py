"""The animals that the clerk marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.rows import ShownRows, id_of, pets_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.models import Pet
    from pettui.rows import Element


class MarkedPets:
    """Each as it was last loaded.

    A mark survives a refresh, a find, a sort and another filter, and counts even if the animal is
    not listed any more. A range begins at an animal and goes to the cursor, wherever that moves.
    """

    def __init__(self) -> None:
        self._pets: dict[int, Pet] = {}  # by id
        self._range_from: int | None = None  # the id of the animal where a range began
        self._before: frozenset[int] = frozenset()  # what was marked then
        self._shown = ShownRows()  # of which the hidden ones were counted
        self._hidden = 0

    @property
    def ids(self) -> frozenset[int]:
        """The ids of the marked animals."""
        return frozenset(self._pets)

    @property
    def count(self) -> int:
        """How many animals are marked, shown or not."""
        return len(self._pets)

    def toggle(self, pet: Pet) -> None:
        """Mark or unmark an animal."""
        if self._pets.pop(pet.id, None) is None:
            self._pets[pet.id] = pet
        self._shown = ShownRows()

    def add(self, pets: Iterable[Pet]) -> int:
        """Mark animals; return how many were not marked before."""
        count = len(self._pets)
        self._pets.update((pet.id, pet) for pet in pets)
        self._shown = ShownRows()
        return len(self._pets) - count

    def invert(self, pets: Iterable[Pet]) -> None:
        """Mark those of the animals that are not marked, and unmark the others."""
        ids = self.ids
        for pet in {pet.id: pet for pet in pets}.values():
            if pet.id in ids:
                del self._pets[pet.id]
            else:
                self._pets[pet.id] = pet
        self._shown = ShownRows()

    def clear(self) -> int:
        """Remove all marks; return how many there were."""
        count = len(self._pets)
        self._pets.clear()
        self._range_from = None
        return count

    @property
    def has_range(self) -> bool:
        """Whether a range goes with the cursor."""
        return self._range_from is not None

    def begin_range(self, pet: Pet) -> None:
        """Begin a range at an animal."""
        self._range_from, self._before = pet.id, self.ids
        self.add([pet])

    def extend_range(self, rows: Sequence[Element], cursor: int) -> None:
        """Let the range go to the row of the cursor; it ends if its first row is gone."""
        start = next((i for i, row in enumerate(rows) if id_of(row) == self._range_from), None)
        if start is None:
            self._range_from = None
            return
        self._pets = {pet_id: pet for pet_id, pet in self._pets.items() if pet_id in self._before}
        self.add(pets_of(rows[min(start, cursor) : max(start, cursor) + 1]))

    def end_range(self, *, keeps: bool = True) -> None:
        """End the range; keep its marks, or take them back."""
        if self._range_from is not None and not keeps:
            self._pets = {key: pet for key, pet in self._pets.items() if key in self._before}
            self._shown = ShownRows()
        self._range_from = None

    def update(self, loaded: Iterable[Pet]) -> None:
        """Replace those of the marked animals that were loaded again."""
        if self._pets:
            self._pets.update((pet.id, pet) for pet in loaded if pet.id in self._pets)

    def hidden(self, shown: ShownRows | None) -> int:
        """Return how many of the marked animals are not among the rows that are shown."""
        if not self._pets:
            return 0
        if shown is None:
            return len(self._pets)
        if shown is not self._shown:  # not for each key
            elements = map(shown.loaded.__getitem__, shown.indexes)
            found = {pet_id for each in elements if (pet_id := id_of(each)) in self._pets}
            self._shown, self._hidden = shown, len(self._pets) - len(found)
        return self._hidden

    def in_order(self, shown: ShownRows | None) -> tuple[Pet, ...]:
        """Return the marked animals: the loaded ones in the order shown, and then the others."""
        if not self._pets:
            return ()
        rows = () if shown is None else map(shown.loaded.__getitem__, shown.order)
        loaded = [pet.id for pet in pets_of(rows) if pet.id in self._pets]
        return tuple(self._pets[pet_id] for pet_id in dict.fromkeys((*loaded, *self._pets)))


def not_shown_text(hidden: int) -> str:
    """Return how many marked animals are not shown, to follow what is said of all of them."""
    return f", {hidden:,} not shown" if hidden else ""
