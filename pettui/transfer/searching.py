"""Which lines of an import are duplicates, of each other or of listed animals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from pettui.models.pets import trimmed_name
from pettui.outbox import why_cut
from pettui.settings.settings import LIMIT_MAXIMUM
from pettui.text.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pettui.client import OnWait, PetClient
    from pettui.models.pets import PetStatus
    from pettui.transfer.lines import GoodLine, Position

    OnPage: TypeAlias = Callable[[int], object]  # called with the number of animals so far

LISTED: Final = "id "  # before that of a listed animal
_NONE: Final = "no duplicates in the file"


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
