"""Which lines of an import are duplicates, of each other or of animals that are there.

Of the list's animals those are no duplicates that the file's own run added: it goes on behind them.
They are looked for as well: a service may have been emptied since, or put back from a backup.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pettui.models.pets import trimmed_name
from pettui.models.statuses import status_word
from pettui.outbox.candidates import why_cut
from pettui.settings.settings import LIMIT_MAXIMUM
from pettui.text.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from pettui.client import OnWait, PetClient
    from pettui.models.pets import Pet, PetStatus
    from pettui.transfer.lines import GoodLine, Position

    OnPage: TypeAlias = Callable[[int], object]  # called with the number of animals so far
    Namesake: TypeAlias = tuple[str, int]  # name and category

CANNOT_CHANGE: Final = "the interface cannot change an animal's status"


class OwnAnimal(NamedTuple):
    """What a line of the file's run became."""

    pet_id: int
    name: str
    category_id: int

    @property
    def gone_text(self) -> str:
        """That the list does not have it any more; raw."""
        animal = f"id {self.pet_id} {self.name}, category {self.category_id}"
        return f"became {animal}, which is not listed any more"


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Lines to send that are duplicates of another line or of an animal that is there."""

    # Of the original: "line 3", "id 7" of a listed animal, or that of an earlier import.
    names: Mapping[Position, str]
    within: frozenset[Position]  # those of them that are duplicates of an earlier line
    others: frozenset[Position]  # those that another import added, or may have
    checked: int  # listed animals
    reason: str | None  # why not all of the list was checked, not yet safe to draw
    is_searched: bool  # whether the list was requested: there was a line to look for
    unreadable: int  # rows of the list that are no animals, and so may hide duplicates
    # Lines that are like a listed animal but for its status: "id 7 is available".
    changed: Mapping[Position, str]
    gone: frozenset[OwnAnimal]  # animals of the file's own run that are not in the list

    def among(self, positions: AbstractSet[Position]) -> Duplicates:
        """Return those among fewer lines."""
        names = {each: name for each, name in self.names.items() if each in positions}
        changed = {each: name for each, name in self.changed.items() if each in positions}
        within, others = self.within & positions, self.others & positions
        return replace(self, names=names, within=within, others=others, changed=changed)

    @property
    def sentence(self) -> str:
        """How many there are, where, and among how many animals: raw."""
        if self.names:
            return f"{counted(len(self.names), 'duplicate')}: {self.where}"
        none = "no duplicates in the file"
        return f"{none} or {self._looked}" if self.is_searched else none

    @property
    def where(self) -> str:
        """Where they are, and among how many animals: raw."""
        listed = len(self.names) - len(self.within) - len(self.others)
        parts = (
            f"{len(self.within):,} within the file",
            f"{len(self.others):,} of other imports" if self.others else "",
            f"{listed:,} {self._looked}" if self.is_searched else "",
        )
        return ", ".join(filter(None, parts))

    @property
    def _looked(self) -> str:
        """Among how many animals they were looked for, and why in no more; raw."""
        if self.reason is not None:  # it may list others
            return f"among the first {counted(self.checked)} of the list ({self.reason})"
        return f"among the {counted(self.checked)} that the service lists"


def lost_text(count: int) -> str:
    """Return how many lines that were added are none of the same bytes any more."""
    verb = "is" if count == 1 else "are"
    return (
        f"{counted(count, 'line')} that this file's import added {verb} not in it as it is read now"
        " (another sheet, list or encoding, other columns or categories)"
    )


class Earlier(NamedTuple):
    """What earlier imports have to do with the lines of a file."""

    others: Mapping[Position, str] = MappingProxyType({})  # what another file's import added
    own: frozenset[OwnAnimal] = frozenset()  # what the file's own run added
    again: Container[Position] = ()  # lines that are sent again although it added them


async def find_duplicates(
    client: PetClient,
    lines: Iterable[GoodLine],
    to_send: Iterable[GoodLine],
    *,
    on_wait: OnWait | None = None,
    on_page: OnPage | None = None,
    earlier: Earlier | None = None,
) -> Duplicates:
    """Return the duplicates among the lines to send, of earlier lines and of listed animals.

    A duplicate has the same name, category and status. A line without a status is one of any listed
    animal, since the service chooses the status.

    Args:
        client: of the service; its limits bound how much of the list is read.
        lines: of the whole file.
        to_send: those of them that are to be sent; without any, and without animals of the file's
            run, nothing is requested.
        on_wait: called before a page is retried.
        on_page: called with the number of animals checked so far.
        earlier: what earlier imports added.

    Raises:
        PetClientError: a page could not be loaded; what is on it would be added again.
    """
    earlier = earlier or Earlier()
    firsts: dict[tuple[str, int, PetStatus | None], Position] = {}
    names: dict[Position, str] = {}
    for line in lines:
        pet = line.new_pet
        first = firsts.setdefault((pet.name, pet.category_id, pet.status), line.position)
        if first is not line.position:
            names[line.position] = first.label
    to_send = tuple(to_send)
    of_others = {each.position: earlier.others.get(each.position) for each in to_send}
    names |= {position: name for position, name in of_others.items() if name is not None}
    within = frozenset(each for each, name in of_others.items() if name is None and each in names)
    wanted = [line for line in to_send if line.position not in within]
    listed = _Listed(wanted, earlier.own)
    if wanted or earlier.own:
        await listed.read(client, on_wait, on_page)
    changed: dict[Position, str] = {}
    for line in wanted:
        if line.position in names:
            continue
        found = listed.like(line, with_own=line.position in earlier.again)
        status = line.new_pet.status
        pet_id = next(iter(found.values()), None) if status is None else found.get(status)
        if pet_id is not None:
            names[line.position] = f"id {pet_id}"
        elif found:
            other, pet_id = next(iter(found.items()))
            changed[line.position] = f"id {pet_id} is {status_word(other)}"
    return Duplicates(
        {line.position: names[line.position] for line in to_send if line.position in names},
        within,
        frozenset(each for each, name in of_others.items() if name is not None),
        listed.checked,
        listed.reason,
        bool(wanted),
        listed.unreadable,
        changed,
        listed.gone,
    )


class _Listed:
    """The listed animals that are like lines, and those of the file's run."""

    def __init__(self, lines: Iterable[GoodLine], own: frozenset[OwnAnimal]) -> None:
        """Look for animals of the lines' names and categories, and for those of the run."""
        self._own = own
        self._missing = set(own)
        self._ids: dict[Namesake, dict[PetStatus | str | None, int]]
        self._ids = {(line.new_pet.name, line.new_pet.category_id): {} for line in lines}
        self._own_ids: dict[Namesake, dict[PetStatus | str | None, int]]
        self._own_ids = {namesake: {} for namesake in self._ids} if own else {}
        self.checked = 0  # animals
        self.unreadable = 0  # rows that are none
        self.reason: str | None = None  # why they are not all
        self._is_read = False

    @property
    def gone(self) -> frozenset[OwnAnimal]:
        """The animals of the run that are not there, where all that is there was read."""
        is_whole = self._is_read and self.reason is None and not self.unreadable
        return frozenset(self._missing if is_whole else ())

    def like(self, line: GoodLine, *, with_own: bool) -> Mapping[PetStatus | str | None, int]:
        """Return the first animal of each status that has the line's name and category."""
        namesake = (line.new_pet.name, line.new_pet.category_id)
        found = self._ids.get(namesake, {})
        return {**self._own_ids.get(namesake, {}), **found} if with_own else found

    async def read(self, client: PetClient, on_wait: OnWait | None, on_page: OnPage | None) -> None:
        """Read the list; raises PetClientError."""
        page = await client.list_pets(LIMIT_MAXIMUM, on_wait=on_wait)
        while True:
            self.unreadable += len(page.rows) - len(page.pets)
            for pet in page.pets:
                self._note(pet)
            if page.next_link is None or page.is_cut:
                self.reason = why_cut(page) or None
                self._is_read = True
                return
            if on_page is not None:
                on_page(self.checked)
            page = await client.list_next_pets(page, on_wait=on_wait)

    def _note(self, pet: Pet) -> None:
        self.checked += 1
        namesake = (trimmed_name(pet.name), pet.category_id)
        animal = OwnAnimal(pet.id, *namesake)
        is_own = animal in self._own
        self._missing.discard(animal)
        found = (self._own_ids if is_own else self._ids).get(namesake)
        if found is not None:
            found.setdefault(pet.status, pet.id)
