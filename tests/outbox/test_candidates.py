"""Which listed animals an add could be: read from any list, in the same memory, and not concluded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import pytest

from pettui.client import NoAnswerError, PetPage, UnreadablePet
from pettui.client.requests import Request
from pettui.outbox.candidates import BARREN_PAGES_MAXIMUM, KEPT, CandidateSearch, likeness
from tests.animals import a_pet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pettui.models.pets import Pet

REQUEST = Request("listPets", "GET", "", expected_status=200)
REX = likeness("Rex", 3)
CUT_AT_100 = "the list was read no further than 100 animals on 1 page"
NEXT = "http://store.invalid/v1/pets?page=2"
CUT = "the service links its next page to http://127.0.0.1:9: not followed"


class Listed:
    """Stands in for PetClient: a list of pages, each made when it is asked for."""

    def __init__(
        self,
        count: int,
        rows: Callable[[int], Sequence[Pet | UnreadablePet]],
        *,
        is_cut: bool = False,
    ) -> None:
        self._count, self._rows, self._is_cut = count, rows, is_cut
        self.asked: list[int] = []
        self.fails = False

    async def list_pets(self, limit: int, *, on_wait: Any, is_endless: bool) -> PetPage:
        assert (limit, is_endless, on_wait) == (100, True, None)
        return self._page(0)

    async def list_next_pets(self, page: PetPage, *, on_wait: Any) -> PetPage:
        assert on_wait is None
        return self._page(len(page.request.visited) + 1)

    def _page(self, number: int) -> PetPage:
        self.asked.append(number)
        if self.fails:
            raise NoAnswerError("cannot connect to", "http://store.invalid", "refused")
        is_last = number + 1 == self._count
        request = REQUEST._replace(visited=("",) * number)
        page = PetPage(tuple(self._rows(number)), (), 0.0, None if is_last else NEXT, request)
        return page._replace(is_cut=True, remarks=(CUT,)) if is_last and self._is_cut else page


async def searched(client: Any, *sought: tuple[str, int]) -> CandidateSearch:
    search = CandidateSearch(sought or (REX,))
    while not search.is_over:
        await search.read_page(client)
    return search


def ids(search: CandidateSearch, sought: tuple[str, int] = REX) -> list[int]:
    return [each.id for each in search.found[sought].pets]


def rows_of(pets: Iterable[Pet | UnreadablePet]) -> Callable[[int], Sequence[Pet | UnreadablePet]]:
    rows = tuple(pets)
    return lambda _: rows


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Rex ", "Rex"), ("Rex", "\tRex\u00a0"), ("Max  und Moritz", "Max und Moritz"), ("REX", "rex"),
        (normalize("NFD", "Zoë"), normalize("NFC", "Zoë")), ("Straße", "STRASSE"), ("ῼ", "ωι"),
        (normalize("NFD", "ΰ"), "ΰ"),
    ],
)  # fmt: skip
def test_what_a_service_makes_of_a_name_is_alike(typed: str, stored: str) -> None:
    assert likeness(typed, 3) == likeness(stored, 3)
    assert likeness(typed, 3) != likeness(stored, 4)


async def test_it_is_found_whatever_the_order_of_the_list_and_whatever_its_status() -> None:
    for order in (range(1, 6), range(5, 0, -1), (3, 900, 1, 2, 5)):
        pets = [a_pet(n, "rex " if n % 2 else "Mimi") for n in order]
        search = await searched(Listed(1, rows_of(pets)), REX, likeness("Mimi", 3))
        assert ids(search) == [n for n in order if n % 2]
        assert ids(search, likeness("Mimi", 3)) == [n for n in order if not n % 2]


async def test_an_animal_that_is_on_two_pages_is_one() -> None:
    search = await searched(Listed(2, rows_of([a_pet(7)])))
    assert ids(search) == [7]


async def test_very_many_alike_take_no_more_memory_and_are_counted() -> None:
    client = Listed(1_000, lambda number: [a_pet(100 * number + row) for row in range(100)])
    alike = (await searched(client)).found[REX]
    assert alike.count == 100_000
    assert len(alike.pets) == KEPT
    assert [alike.pets[0].id, alike.pets[-1].id] == [0, 99_999]


async def test_a_page_that_failed_is_read_again_and_those_before_it_are_not() -> None:
    client = Listed(3, lambda number: [a_pet(number)])
    search = CandidateSearch([REX])
    await search.read_page(client)
    client.fails = True
    with pytest.raises(NoAnswerError):
        await search.read_page(client)
    assert search.sentence == "1 animal on 1 page of the list read so far"
    client.fails = False
    while not search.is_over:
        await search.read_page(client)
    assert client.asked == [0, 1, 1, 2]
    assert ids(search) == [0, 1, 2]
    assert search.sentence == "the list was read to its end: 3 animals on 3 pages"


@pytest.mark.parametrize(
    ("client", "sentence"),
    [
        (Listed(1, rows_of([])), "the list was read to its end: 0 animals on 1 page"),
        (
            Listed(1, rows_of(map(a_pet, range(100)))),
            f"{CUT_AT_100}: the service links to no further page",
        ),
        (
            Listed(1, rows_of(map(a_pet, range(20)))),  # it may list no more at once
            f"{CUT_AT_100.replace('100', '20')}: the service links to no further page",
        ),
        (
            Listed(1, rows_of(map(a_pet, range(19)))),
            "the list was read to its end: 19 animals on 1 page",
        ),
        (
            Listed(2, rows_of([a_pet(1)]), is_cut=True),
            f"the list was read no further than 2 animals on 2 pages: {CUT}",
        ),
        (
            Listed(1, rows_of([a_pet(1), UnreadablePet(1, "no id", "{}")])),
            "the list was read to its end: 2 animals on 1 page, 1 of them unreadable",
        ),
    ],
    ids=["empty", "no link", "a cap", "few", "not followed", "unreadable"],
)
async def test_it_is_said_how_far_the_list_was_read(client: Listed, sentence: str) -> None:
    assert (await searched(client)).sentence == sentence


async def test_pages_that_are_linked_without_end_and_bring_nothing_end() -> None:
    client = Listed(10**9, rows_of([a_pet(7)]))
    search = await searched(client)
    assert search.pages == BARREN_PAGES_MAXIMUM + 1
    assert f"its last {BARREN_PAGES_MAXIMUM} pages brought no further animal" in search.sentence
