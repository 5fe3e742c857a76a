"""``--check``: finds animals of unknown lines in the service's list."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pettui.outbox import find_lost_add
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
    """The outcomes of unknown lines, as far as the list shows them."""

    outcomes: tuple[LineOutcome, ...]  # of the unknown lines: ADDED, or still UNKNOWN
    checked: int  # animals
    is_complete: bool  # whether all animals newer than the import were checked


async def check_unknown(
    client: PetClient,
    journal: Journal,
    lines: Sequence[tuple[LineKey, GoodLine]],
    *,
    on_wait: OnWait | None = None,
    on_page: Callable[[int], object] | None = None,
) -> UnknownCheck:
    """Look for unknown lines among the service's animals newer than their import (listPets).

    A line is recorded as added if the list has its animal: one with its name and category, and its
    status if it has one, that belongs to no other line. Otherwise the line stays unknown, since the
    list proves nothing. The same holds if the list does not start with the newest animals, which
    have the highest ids.

    Args:
        client: of the service; its limits bound how much of the list is read.
        journal: open.
        lines: of ``numbered_lines`` of the whole file.
        on_wait: called before a page is retried.
        on_page: called with the number of animals checked so far.

    Raises:
        PetClientError: a page could not be loaded; no line is changed then.
        JournalError: the journal cannot be written.
    """
    lost = [
        (key, line, state)
        for key, line in lines
        if isinstance(state := journal.state(key), UnknownLine)
    ]
    if not lost:
        return UnknownCheck((), 0, is_complete=True)
    newer = _NewerPets(lost, journal.added_ids)
    is_complete = await _load_newer(client, newer, on_wait, on_page)
    return UnknownCheck(tuple(_settle(journal, newer, lost)), newer.checked, is_complete)


async def _load_newer(
    client: PetClient,
    newer: _NewerPets,
    on_wait: OnWait | None,
    on_page: Callable[[int], object] | None,
) -> bool:
    """Check pages until one is older than all lines; return whether that covers all newer ones."""
    page = await client.list_pets(LIMIT_MAXIMUM, on_wait=on_wait)
    newer.check(page.pets)
    while page.next_link is not None and not newer.is_reached:
        if on_page is not None:
            on_page(newer.checked)
        page = await client.list_next_pets(page, on_wait=on_wait)
        newer.check(page.pets)
    goes_on = page.is_cut or (page.is_first and len(page.rows) >= LIMIT_MAXIMUM)
    return newer.is_newest_first and (newer.is_reached or not goes_on)


def _settle(journal: Journal, newer: _NewerPets, lost: Sequence[LostLine]) -> list[LineOutcome]:
    """Record what was found, and return the outcome of each lost line, in order."""
    # A line with the animal's very status comes before one without a status.
    by_priority = sorted(lost, key=lambda each: each[1].new_pet.status is None)
    found = {key: newer.take(line, state) for key, line, state in by_priority}
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
    """The animals that lost lines may have become, from a list with the newest first.

    In a list of another order it is unknown which animals are newer.
    """

    def __init__(self, lost: Sequence[LostLine], others: frozenset[int]) -> None:
        self.is_newest_first = True  # as far as was checked
        self._seen: dict[int, None] = {}
        self._others = others
        self._pets: dict[tuple[str, int], list[Pet]] = defaultdict(list)
        self._wanted = {(line.new_pet.name, line.new_pet.category_id) for _, line, _ in lost}
        self._oldest = _oldest(state for *_, state in lost)

    @property
    def checked(self) -> int:
        """How many animals were checked so far."""
        return len(self._seen)

    @property
    def is_reached(self) -> bool:
        """Whether the list has reached an animal that is older than all lines."""
        if self._oldest is None or not self._seen or not self.is_newest_first:
            return False
        return next(reversed(self._seen)) <= self._oldest

    def check(self, pets: Sequence[Pet]) -> None:
        """Add a page; an animal that is on two pages counts once."""
        for pet in pets:
            if pet.id in self._seen:
                continue
            if self._seen and next(reversed(self._seen)) < pet.id:
                self.is_newest_first = False
            self._seen[pet.id] = None
            if (pet.name, pet.category_id) in self._wanted and pet.id not in self._others:
                self._pets[pet.name, pet.category_id].append(pet)

    def take(self, line: GoodLine, state: UnknownLine) -> int | None:
        """Return the id of the oldest animal that a line may have become, and remove it."""
        new_pet = line.new_pet
        if state.after_id is None or not self.is_newest_first:
            return None
        pets = self._pets[new_pet.name, new_pet.category_id]
        found = find_lost_add(new_pet, pets, after_id=state.after_id)
        if found is None:
            return None
        pets.remove(found)
        return found.id


def _oldest(states: Iterable[UnknownLine]) -> int | None:
    """Return the highest id from before all of the lines, if it is known."""
    return min((state.after_id for state in states if state.after_id is not None), default=None)
