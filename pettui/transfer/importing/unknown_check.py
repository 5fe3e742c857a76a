"""``--check``: which unknown lines became animals that the service lists."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pettui.settings import LIMIT_MAXIMUM
from pettui.transfer.importing.line_states import LineOutcome, OutcomeKind, UnknownLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pettui.client import OnWait, PetClient
    from pettui.models import Pet
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.reading.import_lines import GoodLine

    LostLine: TypeAlias = tuple[LineKey, GoodLine, UnknownLine]


@dataclass(frozen=True, slots=True)
class UnknownCheck:
    """What became of the unknown lines, as far as the list tells."""

    outcomes: tuple[LineOutcome, ...]  # of those that were unknown: ADDED, or UNKNOWN still
    looked_at: int  # animals
    is_whole: bool  # all that are newer than the import were looked at


async def check_unknown(
    client: PetClient,
    journal: Journal,
    lines: Sequence[tuple[LineKey, GoodLine]],
    *,
    on_wait: OnWait | None = None,
    on_page: Callable[[int], object] | None = None,
) -> UnknownCheck:
    """Look for unknown lines among the service's animals newer than their import (listPets).

    A line is kept as added where its animal is found: one of its name and category, and of its
    status where it has one, that no other line became. Where it is not found, the list is no proof,
    and the line stays unknown. So it does where nobody can tell which animals are newer: where the
    list does not have the newest ones, of the highest ids, first.

    Args:
        client: who asks; how far the list is followed is in its limits.
        journal: open.
        lines: of ``numbered_lines`` of the whole file.
        on_wait: told before each pause between two tries.
        on_page: told how many animals were looked at so far.

    Raises:
        PetClientError: a list was not answered; then no line is changed.
        JournalError: the journal cannot be written.
    """
    lost = [
        (key, line, state)
        for key, line in lines
        if isinstance(state := journal.state(key), UnknownLine)
    ]
    if not lost:
        return UnknownCheck((), 0, is_whole=True)
    newer = _NewerPets(lost, journal.added_ids)
    page = await client.list_pets(LIMIT_MAXIMUM, on_wait=on_wait)
    newer.look_at(page.pets)
    while page.next_link is not None and not newer.is_reached:
        if on_page is not None:
            on_page(newer.looked_at)
        page = await client.list_next_pets(page, on_wait=on_wait)
        newer.look_at(page.pets)
    goes_on = page.is_cut or (page.is_first and len(page.rows) >= LIMIT_MAXIMUM)
    is_whole = newer.is_newest_first and (newer.is_reached or not goes_on)
    return UnknownCheck(tuple(_settle(journal, newer, lost)), newer.looked_at, is_whole)


def _settle(journal: Journal, newer: _NewerPets, lost: Sequence[LostLine]) -> list[LineOutcome]:
    """Keep what was found, and return what is known of each lost line, in their order."""
    # What a line without a status might be, one with that very status is sooner.
    by_claim = sorted(lost, key=lambda each: each[1].new_pet.status is None)
    found = {key: newer.take(line, state) for key, line, state in by_claim}
    outcomes = []
    for key, line, state in lost:
        pet_id = found[key]
        if pet_id is None:
            outcomes.append(LineOutcome(line, OutcomeKind.UNKNOWN, error=state.reason))
        else:
            journal.added(key, pet_id)
            outcomes.append(LineOutcome(line, OutcomeKind.ADDED, pet_id))
    return outcomes


class _NewerPets:
    """The animals that lost lines may have become, of a list that has the newest ones first.

    Where a list is in another order nobody can tell which of its animals are newer.
    """

    def __init__(self, lost: Sequence[LostLine], others: frozenset[int]) -> None:
        self.is_newest_first = True  # as far as was looked
        self._seen: dict[int, None] = {}
        self._others = others
        self._pets: dict[tuple[str, int], list[Pet]] = defaultdict(list)
        self._wanted = {(line.new_pet.name, line.new_pet.category_id) for _, line, _ in lost}
        self._oldest = _oldest(state for *_, state in lost)

    @property
    def looked_at(self) -> int:
        """How many animals there are so far."""
        return len(self._seen)

    @property
    def is_reached(self) -> bool:
        """Whether an animal was met that was there before all of the lines."""
        if self._oldest is None or not self._seen or not self.is_newest_first:
            return False
        return next(reversed(self._seen)) <= self._oldest

    def look_at(self, pets: Sequence[Pet]) -> None:
        """Take note of a page; of an animal that the page before had, too, once."""
        for pet in pets:
            if pet.id in self._seen:
                continue
            if self._seen and next(reversed(self._seen)) < pet.id:
                self.is_newest_first = False
            self._seen[pet.id] = None
            if (pet.name, pet.category_id) in self._wanted and pet.id not in self._others:
                self._pets[pet.name, pet.category_id].append(pet)

    def take(self, line: GoodLine, state: UnknownLine) -> int | None:
        """Return the id of the oldest animal that a line may have become, for this line alone."""
        new_pet = line.new_pet
        if state.after_id is None or not self.is_newest_first:
            return None
        pets = self._pets[new_pet.name, new_pet.category_id]
        candidates = [
            pet for pet in pets if new_pet.status in (None, pet.status) and pet.id > state.after_id
        ]
        if not candidates:
            return None
        oldest = min(candidates, key=lambda pet: pet.id)
        pets.remove(oldest)
        return oldest.id


def _oldest(states: Iterable[UnknownLine]) -> int | None:
    """Return up to which id animals were there before all of the lines, where that is known."""
    return min((state.after_id for state in states if state.after_id is not None), default=None)
