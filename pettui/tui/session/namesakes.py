"""Namesakes: which of the loaded animals have the same name."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING

from pettui.rows.shown import pets_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.models.pets import Pet
    from pettui.rows.shown import Element


class Namesakes:
    """If rows were only appended, only those are read."""

    def __init__(self) -> None:
        self._loaded: Sequence[Element] = ()
        self._by_name: dict[str, list[Pet]] = {}

    def update(self, loaded: Sequence[Element]) -> None:
        """Read all rows that are loaded."""
        known = self._loaded
        if len(loaded) < len(known) or not all(map(is_, known, loaded)):
            known, self._by_name = (), {}
        for pet in pets_of(loaded[len(known) :]):
            self._by_name.setdefault(pet.name, []).append(pet)
        self._loaded = loaded

    def of(self, pet: Pet) -> Sequence[Pet]:
        """Return the other animals with this name, if it is one."""
        same = self._by_name.get(pet.name, ()) if pet.name else ()
        return [each for each in same if each.id != pet.id]
