"""What this user's lists had: when an animal was first in one, and which have the same name."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.rows.shown import pets_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from pettui.models.pets import Pet
    from pettui.remembered.seen_lists import SeenBefore
    from pettui.rows.shown import Element

REMEMBERED: Final = 2_000  # animals, the first that came


class _Sighting(NamedTuple):
    at: datetime  # when the response came in which it stood
    is_earlier: bool  # an earlier session saw it, too, as far as ids tell
    newest_entry: str  # id of what was added last by then, whatever the clock says; "" for nothing
    what: int  # hash of name and category: a service may give an id again, or begin anew


class FirstSeen:
    """Of this session each by its time; of earlier ones only that it was there."""

    def __init__(self) -> None:
        self._seen: dict[int, _Sighting] = {}  # by id
        self._newest_entry = ""  # so far: it may have been forgotten

    def saw(
        self, pets: Iterable[Pet], at: datetime, newest_entry: str, before: SeenBefore | None = None
    ) -> None:
        """Remember the animals that a response had.

        Args:
            pets: of one list.
            at: when it came.
            newest_entry: the id of the outbox's newest entry; "" for none.
            before: what earlier sessions showed of that list; None for nothing.
        """
        self._newest_entry = newest = max(self._newest_entry, newest_entry)
        for pet in pets:
            if len(self._seen) >= REMEMBERED:
                return
            if pet.id not in self._seen:
                is_earlier = before is not None and before.has(pet)
                self._seen[pet.id] = _Sighting(at, is_earlier, newest, _what(pet))

    def is_known(self, pet: Pet) -> bool:
        """Whether it is remembered when an animal was first seen."""
        return pet.id in self._seen

    def at(self, pet: Pet) -> datetime | None:
        """Return when that was; None for in an earlier session."""
        seen = self._seen[pet.id]
        return None if seen.is_earlier else seen.at

    def is_before(self, pet: Pet, entry_id: str) -> bool:
        """Whether this very animal stood in a list before an entry of this session was made.

        Nothing is taken from ids of animals, nor from another animal that had the same one. What is
        not known is False.
        """
        seen = self._seen.get(pet.id)
        return seen is not None and seen.what == _what(pet) and seen.newest_entry < entry_id


def _what(pet: Pet) -> int:
    return hash((pet.name, pet.category_id))


class Namesakes:
    """The loaded animals by their names; if rows were only appended, only those are read."""

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
