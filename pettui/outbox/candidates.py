"""Which listed animals an add could be whose response was lost; a person decides which, if any.

Nothing is concluded here. The interface states no order of its list and no meaning of ids, and
services trim names, normalise them or lower their case. So the whole list is read, page after page
as it links them, and what could be it is kept as it was listed.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, TypeAlias
from unicodedata import normalize

from pettui.settings.settings import LIMIT_MAXIMUM
from pettui.text.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.client import Notice, OnWait, PetClient, PetPage
    from pettui.models.pets import Pet

Likeness: TypeAlias = tuple[str, int]

KEPT: Final = 100  # animals of one likeness
BARREN_PAGES_MAXIMUM: Final = 200  # in a row, that are empty or what the page before was


def likeness(name: str, category_id: int) -> Likeness:
    """Return what an add has in common with every animal that a service may have made of it."""
    text = normalize("NFC", " ".join(name.split()))
    return normalize("NFC", text.casefold()), category_id


def why_cut(page: PetPage) -> str:
    """Return why a list goes on, or may, behind the last page that can be read; raw; "" if not."""
    if page.is_cut:
        return page.remarks[-1]
    if page.may_go_on:
        return "the service links to no further page"
    return ""


class Alike:
    """The listed animals of one likeness; where they are very many, the first and the last ones."""

    __slots__ = ("_first", "_last", "count")

    def __init__(self) -> None:
        self.count = 0
        self._first: dict[int, Pet] = {}  # by id: what is listed while pages are read moves
        self._last: deque[Pet] = deque(maxlen=KEPT // 2)

    @property
    def pets(self) -> Sequence[Pet]:
        """Those that are kept, in the order of the list."""
        return (*self._first.values(), *self._last)

    def add(self, pet: Pet) -> None:
        """Keep an animal that is listed behind the others."""
        if pet.id in self._first or any(pet.id == each.id for each in self._last):
            return
        self.count += 1
        if len(self._first) < KEPT // 2:
            self._first[pet.id] = pet
        else:
            self._last.append(pet)


class CandidateSearch:
    """Reads the list once for all adds that are looked for; a page that failed is read again."""

    def __init__(self, sought: Iterable[Likeness]) -> None:
        """Begin before the first page."""
        self.found = {each: Alike() for each in sought}
        self.pages = 0  # that were read
        self.rows = 0
        self.unreadable = 0  # rows, any of which could be one of them
        self.is_over = False
        self.cut = ""  # why the list was not read to its end; raw
        self.notices: Sequence[Notice] = ()  # of the newest page
        self._categories = {category_id for _, category_id in self.found}
        self._page: PetPage | None = None  # the newest
        self._barren = 0  # pages in a row

    async def read_page(self, client: PetClient, *, on_wait: OnWait | None = None) -> None:
        """Read the next page; ``is_over`` tells whether it was the last one.

        Raises:
            PetClientError: it could not be loaded; the next call tries that page again.
        """
        if self._page is None:
            page = await client.list_pets(LIMIT_MAXIMUM, on_wait=on_wait, is_endless=True)
        else:
            page = await client.list_next_pets(self._page, on_wait=on_wait)
        self._note(page)

    def _note(self, page: PetPage) -> None:
        before, self._page = self._page, page
        self.notices = page.notices or self.notices
        self.pages += 1
        self.rows += len(page.rows)
        self.unreadable += len(page.rows) - len(page.pets)
        for pet in page.pets:
            if pet.category_id in self._categories:
                alike = self.found.get(likeness(pet.name, pet.category_id))
                if alike is not None:
                    alike.add(pet)
        is_barren = not page.rows or (before is not None and page.rows == before.rows)
        self._barren = self._barren + 1 if is_barren else 0
        if page.next_link is None or page.is_cut:
            self.is_over, self.cut = True, why_cut(page)
        elif self._barren == BARREN_PAGES_MAXIMUM:
            self.is_over = True
            self.cut = f"its last {self._barren} pages brought no further animal"

    @property
    def sentence(self) -> str:
        """How much of the list was read, and whether that is all of it: raw."""
        read = f"{counted(self.rows)} on {counted(self.pages, 'page')}"
        if self.unreadable:
            read = f"{read}, {self.unreadable:,} of them unreadable"
        if not self.is_over:
            return f"{read} of the list read so far"
        if self.cut:
            return f"the list was read no further than {read}: {self.cut}"
        return f"the list was read to its end: {read}"
