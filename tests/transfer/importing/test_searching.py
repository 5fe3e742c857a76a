"""Which lines are duplicates, of each other and of what the service lists."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from pettui.client import PetClientError, PetPage
from pettui.client.requests import Request
from pettui.transfer.lines import GoodLine, check_import
from pettui.transfer.mapping import ReadingOptions
from pettui.transfer.searching import Duplicates, find_duplicates
from tests.animals import a_pet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.models.pets import Pet

REQUEST = Request("listPets", "GET", "", expected_status=200)


CUT = "the service links its next page to http://127.0.0.1:9: not followed"


class ListedPages:
    def __init__(self, *pages: Sequence[Pet], is_cut: bool = False) -> None:
        self.requested = 0
        self._pages = pages
        self._is_cut = is_cut

    async def list_pets(self, limit: int, **_: object) -> PetPage:
        assert limit == 100
        return self._page()

    async def list_next_pets(self, *_: object, **__: object) -> PetPage:
        return self._page()

    def _page(self) -> PetPage:
        pets = self._pages[self.requested]
        self.requested += 1
        is_last = self.requested == len(self._pages)
        link = None if is_last else "http://store.invalid/v1/pets?page=2"
        request = REQUEST._replace(visited=frozenset(range(self.requested - 1)))
        page = PetPage(tuple(pets), (), 0.0, link, request)
        return page._replace(is_cut=True, remarks=(CUT,)) if is_last and self._is_cut else page


class Failing(ListedPages):
    """A list whose second page cannot be loaded."""

    async def list_next_pets(self, *_: object, **__: object) -> PetPage:
        raise PetClientError


def preview(content: str) -> tuple[GoodLine, ...]:
    options = ReadingOptions(has_header=False)
    return check_import(io.BytesIO(content.encode()), "a.csv", {}, options=options).lines


async def duplicates_in(content: str, *pages: Sequence[Pet], **others: Any) -> Duplicates:
    is_cut = others.pop("is_cut", False)
    lines = preview(content)
    return await find_duplicates(ListedPages(*pages, is_cut=is_cut), lines, lines, **others)


def named(duplicates: Duplicates) -> list[tuple[int, str]]:
    return [(position.line, name) for position, name in duplicates.names.items()]


async def test_the_same_name_category_and_status_is_a_duplicate() -> None:
    pets = [
        a_pet(2, "Mimi", status="sold"),
        a_pet(1, " Rex ", status="sold"),
    ]  # blanks are seen by nobody
    duplicates = await duplicates_in("Rex,3,sold\nRex,3,pending\nRex,1,sold\n", pets)
    assert named(duplicates) == [(1, "id 1")]
    assert (duplicates.checked, duplicates.reason) == (2, None)


async def test_a_line_without_a_status_is_the_duplicate_of_any() -> None:
    assert named(await duplicates_in("Rex,3\nRex,4\n", [a_pet(1, status="sold")])) == [(1, "id 1")]


async def test_all_pages_are_checked() -> None:
    pages: list[int] = []
    listed = [a_pet(number, f"Rex {number}") for number in range(250, 0, -1)]
    lists = listed[:100], listed[100:200], listed[200:]
    duplicates = await duplicates_in("Rex 1,3\n", *lists, on_page=pages.append)
    assert named(duplicates) == [(1, "id 1")]
    assert (duplicates.checked, duplicates.reason, pages) == (250, None, [100, 200])
    assert duplicates.sentence == (
        "1 duplicate: 0 within the file, 1 among the 250 animals that the service lists"
    )


async def test_it_says_why_no_more_was_checked() -> None:
    duplicates = await duplicates_in("Mimi,3\nRex,3\n", [a_pet(2)], is_cut=True)
    assert named(duplicates) == [(2, "id 2")]
    assert (duplicates.checked, duplicates.reason) == (1, CUT)
    assert duplicates.sentence.endswith(f"1 among the first 1 animal of the list ({CUT})")


async def test_of_half_a_list_it_is_not_said_what_is_no_duplicate() -> None:
    lines = preview("Rex,3\n")
    with pytest.raises(PetClientError):
        await find_duplicates(Failing([a_pet(2, "Mimi")], [a_pet(1)]), lines, lines)


async def test_a_duplicate_names_its_original() -> None:
    lines = preview("Rex,3,sold\nMimi,1,sold\nRex,3,sold\nTiny,7\nTiny,7\n")
    duplicates = await find_duplicates(ListedPages([a_pet(1, status="sold")]), lines, lines)
    assert named(duplicates) == [(1, "id 1"), (3, "line 1"), (5, "line 4")]
    assert (len(duplicates.within), duplicates.checked) == (2, 1)
    of_the_last = await find_duplicates(ListedPages([]), lines, lines[3:])
    assert named(of_the_last) == [(5, "line 4")]
