"""What the service's list says of an import: which lines are duplicates, and which were added."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from pettui.models.pets import find_lost_add, trimmed_name
from pettui.outbox import why_cut
from pettui.settings.settings import LIMIT_MAXIMUM
from pettui.text.amounts import counted
from pettui.transfer.journal import UnknownLine
from pettui.transfer.results import LineOutcome, OutcomeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pettui.client import OnWait, PetClient
    from pettui.models.pets import Pet, PetStatus
    from pettui.transfer.journal import Journal, LineId
    from pettui.transfer.lines import GoodLine, Position

    OnPage: TypeAlias = Callable[[int], object]  # called with the number of animals so far
    LostLine: TypeAlias = tuple[LineId, GoodLine, UnknownLine]

LISTED: Final = "id "  # before that of a listed animal
_NONE: Final = "no duplicates in the file"


# Duplicates


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Lines to send that are duplicates of another line or of a listed animal."""

    names: Mapping[Position, str]  # of the original: "line 3", or "id 7" of a listed animal
    repeated: int  # how many are duplicates of an earlier line
    checked: int  # listed animals
    reason: str | None  # why not all of the list was checked, not yet safe to draw
    is_searched: bool  # whether the list was requested: there was a line to look for
    unreadable: int = 0  # rows of the list that are no animals, and so may hide duplicates

    @property
    def listed(self) -> int:
        """How many are duplicates of listed animals."""
        return len(self.names) - self.repeated

    @property
    def sentence(self) -> str:
        """How many there are, where, and among how many animals: raw."""
        duplicates = counted(len(self.names), "duplicate")
        within = f"{self.repeated:,} within the file"
        if not self.is_searched:
            return f"{duplicates}: {within}" if self.names else _NONE
        if not self.checked:
            why = self.reason
            why = "the service lists no animals" if why is None else f"the list was not read: {why}"
            return f"{duplicates}: {within} ({why})" if self.names else f"{_NONE}; {why}"
        animals = counted(self.checked)
        looked = f"among the {animals} that the service lists"
        if self.reason is not None:
            looked = f"among the first {animals} of the list ({self.reason})"
        if not self.names:
            return f"{_NONE} or {looked}"
        return f"{duplicates}: {within}, {self.listed:,} {looked}"


async def find_duplicates(
    client: PetClient,
    lines: Iterable[GoodLine],
    to_send: Iterable[GoodLine],
    on_wait: OnWait | None = None,
    on_page: OnPage | None = None,
) -> Duplicates:
    """Return the duplicates among the lines to send, of earlier lines and of listed animals.

    A duplicate has the same name, category and status. A line without a status is one of any listed
    animal, since the service chooses the status.

    Args:
        client: of the service; its limits bound how much of the list is read.
        lines: of the whole file.
        to_send: those of them that are to be sent; without any nothing is requested.
        on_wait: called before a page is retried.
        on_page: called with the number of animals checked so far.

    Raises:
        PetClientError: a page could not be loaded; what is on it would be added again.
    """
    firsts: dict[tuple[str, int, PetStatus | None], Position] = {}
    names: dict[Position, str] = {}
    for line in lines:
        pet = line.new_pet
        first = firsts.setdefault((pet.name, pet.category_id, pet.status), line.position)
        if first is not line.position:
            names[line.position] = first.label
    to_send = tuple(to_send)
    wanted = [line for line in to_send if line.position not in names]
    ids: dict[tuple[str, int], dict[PetStatus | str | None, int]]
    ids = {(line.new_pet.name, line.new_pet.category_id): {} for line in wanted}
    checked, unreadable, reason = 0, 0, None
    if wanted:
        checked, unreadable, reason = await _look_through_list(client, ids, on_wait, on_page)
    for line in wanted:
        found = ids[line.new_pet.name, line.new_pet.category_id]
        status = line.new_pet.status
        pet_id = next(iter(found.values()), None) if status is None else found.get(status)
        if pet_id is not None:
            names[line.position] = f"{LISTED}{pet_id}"
    in_order = {line.position: names[line.position] for line in to_send if line.position in names}
    repeated = len(to_send) - len(wanted)
    return Duplicates(in_order, repeated, checked, reason, bool(wanted), unreadable)


async def _look_through_list(
    client: PetClient,
    ids: Mapping[tuple[str, int], dict[PetStatus | str | None, int]],
    on_wait: OnWait | None,
    on_page: OnPage | None,
) -> tuple[int, int, str | None]:
    """Note the animals of these names and categories, the first of each status.

    Returns:
        How many animals were checked, how many rows are none, and why they are not all.
    """
    checked, unreadable = 0, 0
    page = await client.list_pets(LIMIT_MAXIMUM, on_wait=on_wait)
    while True:
        unreadable += len(page.rows) - len(page.pets)
        for pet in page.pets:
            checked += 1
            found = ids.get((trimmed_name(pet.name), pet.category_id))
            if found is not None:
                found.setdefault(pet.status, pet.id)
        if page.next_link is None or page.is_cut:
            return checked, unreadable, why_cut(page, checked) or None
        if on_page is not None:
            on_page(checked)
        page = await client.list_next_pets(page, on_wait=on_wait)


# Lines whose responses were lost


@dataclass(frozen=True, slots=True)
class UnknownCheck:
    """The outcomes of unknown lines, as far as the list shows them."""

    outcomes: tuple[LineOutcome, ...]  # of the unknown lines: ADDED, or still UNKNOWN
    checked: int  # animals
    is_complete: bool  # whether all animals newer than the import were checked

    @property
    def found(self) -> int:
        """How many were added."""
        return sum(each.kind is OutcomeKind.ADDED for each in self.outcomes)


async def check_unknown(
    client: PetClient,
    journal: Journal,
    lines: Sequence[tuple[LineId, GoodLine]],
    *,
    on_wait: OnWait | None = None,
    on_page: OnPage | None = None,
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
        (line_id, line, state)
        for line_id, line in lines
        if isinstance(state := journal.state(line_id), UnknownLine)
    ]
    if not lost:
        return UnknownCheck((), 0, is_complete=True)
    newer = _NewerPets(lost)
    is_complete = await newer.load(client, on_wait, on_page)
    found = newer.assigned(lost, journal.added_ids)
    outcomes = []
    for line_id, line, state in lost:
        pet_id = found.get(line_id)
        if pet_id is None:
            outcomes.append(LineOutcome(line, OutcomeKind.UNKNOWN, error=state.reason))
        else:
            journal.added(line_id, pet_id)
            outcomes.append(LineOutcome(line, OutcomeKind.ADDED, pet_id))
    return UnknownCheck(tuple(outcomes), newer.checked, is_complete)


class _NewerPets:
    """The animals that lost lines may have become, from a list with the newest first.

    In a list of another order it is unknown which animals are newer.
    """

    def __init__(self, lost: Sequence[LostLine]) -> None:
        self._is_newest_first = True  # as far as was checked
        self._seen: set[int] = set()
        self._last: int | None = None  # the id seen last
        self._pets: dict[tuple[str, int], list[Pet]] = defaultdict(list)
        self._wanted = {(line.new_pet.name, line.new_pet.category_id) for _, line, _ in lost}
        after_ids = (state.after_id for *_, state in lost if state.after_id is not None)
        self._oldest = min(after_ids, default=None)  # before all of the lines, if it is known

    @property
    def checked(self) -> int:
        """How many animals were checked; one that is on two pages counts once."""
        return len(self._seen)

    async def load(self, client: PetClient, on_wait: OnWait | None, on_page: OnPage | None) -> bool:
        """Load pages until one is older than all lines; return whether all newer ones came."""
        page = await client.list_pets(LIMIT_MAXIMUM, on_wait=on_wait)
        self._add(page.pets)
        while page.next_link is not None and not self._is_reached:
            if on_page is not None:
                on_page(self.checked)
            page = await client.list_next_pets(page, on_wait=on_wait)
            self._add(page.pets)
        goes_on = page.is_cut or (page.is_first and len(page.rows) >= LIMIT_MAXIMUM)
        return self._is_newest_first and (self._is_reached or not goes_on)

    @property
    def _is_reached(self) -> bool:
        """Whether the list has reached an animal that is older than all lines."""
        if self._oldest is None or self._last is None or not self._is_newest_first:
            return False
        return self._last <= self._oldest

    def _add(self, pets: Sequence[Pet]) -> None:
        for pet in pets:
            if pet.id in self._seen:
                continue
            if self._last is not None and self._last < pet.id:
                self._is_newest_first = False
            self._seen.add(pet.id)
            self._last = pet.id
            if (pet.name, pet.category_id) in self._wanted:
                self._pets[pet.name, pet.category_id].append(pet)

    def assigned(self, lost: Sequence[LostLine], others: Iterable[int]) -> dict[LineId, int]:
        """Return the ids of the animals that lines became, each of one line at most."""
        found: dict[LineId, int] = {}
        if not self._is_newest_first:
            return found
        taken = set(others)
        # A line with the animal's very status comes before one without a status.
        for line_id, line, state in sorted(lost, key=lambda each: each[1].new_pet.status is None):
            pets = self._pets[line.new_pet.name, line.new_pet.category_id]
            pet = find_lost_add(line.new_pet, pets, taken, state.after_id)
            if pet is not None and state.after_id is not None:
                found[line_id] = pet.id
                taken.add(pet.id)
        return found
