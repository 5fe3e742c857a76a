"""Which animals of an import the service lists already, and how far was looked for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.client import PetClientError
from pettui.settings import LIMIT_MAXIMUM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pettui.client import OnWait, PetClient, PetPage
    from pettui.models import Pet
    from pettui.transfer.reading.import_lines import GoodLine

Key = tuple[str, int]  # name and category


@dataclass(frozen=True, slots=True)
class ListedDuplicate:
    """A line whose name, category and status a listed animal has.

    A line without a status is the duplicate of any: the service chooses the status.
    """

    line: GoodLine
    pet_id: int


@dataclass(frozen=True, slots=True)
class ListedDuplicates:
    """The lines that the service lists already, as far as its list was read."""

    duplicates: tuple[ListedDuplicate, ...]  # in the order of the lines
    looked_at: int  # animals
    reason: str | None = None  # why not at all of the list, not yet safe to draw


async def find_listed_duplicates(
    client: PetClient,
    lines: Iterable[GoodLine],
    on_wait: OnWait | None = None,
    on_page: Callable[[int], object] | None = None,
) -> ListedDuplicates:
    """Return which lines are listed, in the service's list as far as the client's limits go.

    Args:
        client: of the service.
        lines: that are to be added; without any nothing is asked for.
        on_wait: told before a page is tried again.
        on_page: told how many animals were looked at so far.

    Raises:
        PetClientError: not even the first page came.
    """
    wanted = tuple(lines)
    if not wanted:
        return ListedDuplicates((), 0)
    search = _Search(wanted)
    page = await client.list_pets(LIMIT_MAXIMUM, on_wait=on_wait)
    while True:
        search.look_at(page.pets)
        if page.next_link is None or page.is_cut:
            return search.result(_why_not_all(page, search.looked_at))
        if on_page is not None:
            on_page(search.looked_at)
        try:
            page = await client.list_next_pets(page, on_wait=on_wait)
        except PetClientError as error:
            return search.result(str(error))


def _why_not_all(page: PetPage, looked_at: int) -> str | None:
    if page.is_cut:
        return "the list is longer than the limit for loading"
    if page.is_first and looked_at >= LIMIT_MAXIMUM:
        return "the service links to no further page"
    return None


class _Search:
    """What was found of some lines so far."""

    def __init__(self, lines: tuple[GoodLine, ...]) -> None:
        self.looked_at = 0
        self._lines = lines
        self._ids: dict[Key, dict[str | None, int]] = {_key(line): {} for line in lines}

    def look_at(self, pets: Iterable[Pet]) -> None:
        for pet in pets:
            self.looked_at += 1
            ids = self._ids.get((pet.name, pet.category_id))
            if ids is not None:
                ids.setdefault(pet.status, pet.id)

    def result(self, reason: str | None) -> ListedDuplicates:
        found = ((line, self._id_of(line)) for line in self._lines)
        duplicates = (ListedDuplicate(line, pet_id) for line, pet_id in found if pet_id is not None)
        return ListedDuplicates(tuple(duplicates), self.looked_at, reason)

    def _id_of(self, line: GoodLine) -> int | None:
        ids = self._ids[_key(line)]
        if line.new_pet.status is None:
            return next(iter(ids.values()), None)
        return ids.get(line.new_pet.status)


def _key(line: GoodLine) -> Key:
    return line.new_pet.name, line.new_pet.category_id
