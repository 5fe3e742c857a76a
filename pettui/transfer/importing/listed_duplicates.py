"""The lines of an import whose animals the service already lists."""

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
    """A line with the name, category and status of a listed animal.

    A line without a status matches any, since the service chooses the status.
    """

    line: GoodLine
    pet_id: int


@dataclass(frozen=True, slots=True)
class ListedDuplicates:
    """The lines that the service already lists, as far as its list was read."""

    duplicates: tuple[ListedDuplicate, ...]  # in the lines' order
    checked: int  # animals
    reason: str | None = None  # why not all of the list was read, not yet safe to draw


async def find_listed_duplicates(
    client: PetClient,
    lines: Iterable[GoodLine],
    on_wait: OnWait | None = None,
    on_page: Callable[[int], object] | None = None,
) -> ListedDuplicates:
    """Return the lines that the service lists, within the client's limits.

    Args:
        client: of the service.
        lines: to add; without any nothing is requested.
        on_wait: called before a page is retried.
        on_page: called with the number of animals checked so far.

    Raises:
        PetClientError: not even the first page could be loaded.
    """
    wanted = tuple(lines)
    if not wanted:
        return ListedDuplicates((), 0)
    search = _Search(wanted)
    page = await client.list_pets(LIMIT_MAXIMUM, on_wait=on_wait)
    while True:
        search.check(page.pets)
        if page.next_link is None or page.is_cut:
            return search.result(_incomplete_because(page, search.checked))
        if on_page is not None:
            on_page(search.checked)
        try:
            page = await client.list_next_pets(page, on_wait=on_wait)
        except PetClientError as error:
            return search.result(str(error))


def _incomplete_because(page: PetPage, checked: int) -> str | None:
    if page.is_cut:
        return "the list is longer than the limit for loading"
    if page.is_first and checked >= LIMIT_MAXIMUM:
        return "the service links to no further page"
    return None


class _Search:
    """A search for lines in a list, page by page."""

    def __init__(self, lines: tuple[GoodLine, ...]) -> None:
        self.checked = 0
        self._lines = lines
        self._ids: dict[Key, dict[str | None, int]] = {_key(line): {} for line in lines}

    def check(self, pets: Iterable[Pet]) -> None:
        for pet in pets:
            self.checked += 1
            ids = self._ids.get((pet.name, pet.category_id))
            if ids is not None:
                ids.setdefault(pet.status, pet.id)

    def result(self, reason: str | None) -> ListedDuplicates:
        found = ((line, self._id_of(line)) for line in self._lines)
        duplicates = (ListedDuplicate(line, pet_id) for line, pet_id in found if pet_id is not None)
        return ListedDuplicates(tuple(duplicates), self.checked, reason)

    def _id_of(self, line: GoodLine) -> int | None:
        ids = self._ids[_key(line)]
        if line.new_pet.status is None:
            return next(iter(ids.values()), None)
        return ids.get(line.new_pet.status)


def _key(line: GoodLine) -> Key:
    return line.new_pet.name, line.new_pet.category_id
