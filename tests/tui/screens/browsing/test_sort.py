"""Sort: by a column and then another, from either end, and back to the service's own order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.transfer.last_lists import LastLists, SeenLists
from tests.tui.driving import Driver, check_screen, ids_of, open_app
from tests.tui.scripted_service import Response, listing, pet

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ANIMALS = [
    pet(9, "zoe", 10, status="sold"),
    pet(4, "Äbbe", 3, status="available"),
    pet(30, "Abel", 3, status=None),
    pet(2, "ZOE", 9, status="pending"),
]
OWN = [9, 4, 30, 2]
LINKED = Response(body=ANIMALS, headers=(("link", '</v1/pets?limit=4&cursor=c>; rel="next"'),))
EQUALS = [
    pet(5, "Luna", 3, status="sold"),
    pet(4, "Rex", 1, status="available"),
    pet(3, "Mimi", 3, status="available"),
    pet(2, "Tiny", 1, status="sold"),
    pet(1, "Bo", 3, status="pending"),
]


@pytest.fixture
async def driver() -> AsyncIterator[Driver]:
    """The list of these animals."""
    async with open_app(listing(LINKED)) as driver:
        yield driver


async def test_s_goes_from_column_to_column_and_back_to_the_services_own_order(
    driver: Driver,
) -> None:
    for ids, words, head in (
        ([2, 4, 9, 30], "by id ▲ · 4 rows", "Id ▲"),
        ([4, 30, 2, 9], "by name ▲ · 4 rows", "Name ▲"),
        ([4, 30, 2, 9], "by category ▲ · 4 rows", "Category ▲"),
        ([4, 2, 9, 30], "by status ▲ · 4 rows", "Status ▲"),
    ):
        await driver.press("s")
        assert ids_of(driver.lines) == ids, words
        await driver.sees(words, head)
    await driver.press("s")
    assert ids_of(driver.lines) == OWN
    assert "by " not in driver.lines[1]


async def test_capital_s_turns_the_order_round_and_what_is_missing_stays_last(
    driver: Driver,
) -> None:
    await driver.press("s", "s", "s", "s", "S")
    assert ids_of(driver.lines) == [9, 2, 4, 30]
    await driver.sees("by status ▼")


async def test_the_services_own_order_is_not_reversed_and_that_is_said(driver: Driver) -> None:
    await driver.press("S")
    assert ids_of(driver.lines) == OWN
    await driver.sees("not sorted: the service's own order")


async def test_a_click_on_a_head_sorts_and_a_second_one_turns_round() -> None:
    async with open_app(listing(LINKED), size=(40, 12)) as driver:
        head = next(line for line in driver.lines if " Name " in line)
        column = head.index("Name") + 1
        row = driver.lines.index(head)
        await driver.pilot.click(offset=(column, row))
        await driver.sees("by name ▲")
        assert ids_of(driver.lines) == [4, 30, 2, 9]
        await driver.pilot.click(offset=(column, row))
        await driver.sees("by name ▼")
        await driver.pilot.click(offset=(head.index("Cat") + 1, row))
        await driver.sees("by category ▲")
        await driver.pilot.click(offset=(head.index("Id") + 1, row))
        await driver.sees("by id ▲")


async def test_the_next_animal_of_the_detail_is_the_next_one_as_it_is_shown(driver: Driver) -> None:
    await driver.press("s", "g", "enter")
    await driver.sees("ZOE")
    await driver.press("j")
    await driver.sees("Äbbe")


async def test_a_letter_sorts_by_its_column_and_again_reverses() -> None:
    async with open_app(listing(EQUALS)) as driver:
        await driver.press("z", "n", "g", "y")  # in one packet
        assert ids_of(driver.lines) == [1, 5, 3, 4, 2]
        assert driver.app.clipboard == "1"
        await driver.press("z", "n")
        assert ids_of(driver.lines) == [2, 4, 3, 5, 1]
        assert "by name ▼" in driver.lines[1]
        await driver.press("z", "u")
        assert ids_of(driver.lines) == [5, 4, 3, 2, 1]


async def test_a_second_column_decides_where_the_first_is_equal() -> None:
    async with open_app(listing(EQUALS)) as driver:
        await driver.press("z", "c", "Z", "s", "Z", "i")
        assert ids_of(driver.lines) == [2, 4, 1, 3, 5]
        await driver.press("Z", "s")
        assert ids_of(driver.lines) == [4, 2, 3, 1, 5]
        assert "by category ▲, status △" in driver.lines[1]
        assert "Status △" in driver.line_with("Category ▲")
        await driver.press("Z", "s", "S")
        assert ids_of(driver.lines) == [5, 1, 3, 2, 4]
        assert "by category ▼, status ▽" in driver.lines[1]
        await driver.press("Z", "u")
        assert ids_of(driver.lines) == [5, 3, 1, 4, 2]
        await driver.press("Z", "c")
        assert "by category ▲ " in driver.lines[1]


async def test_the_box_names_the_letters_and_what_is_sorted_by() -> None:
    async with open_app(listing(EQUALS), size=(40, 12)) as driver:
        await driver.press("z", "c", "Z")
        check_screen(driver, "the box")
        assert "Then by" in driver.text
        assert "c  Category ▲" in driver.line_with("c  Category")
        await driver.press("x", "escape")
        await driver.sees("1 All")


async def test_the_second_column_is_there_after_a_restart() -> None:
    async with open_app(listing(EQUALS)) as driver:
        await driver.press("z", "c", "Z", "s", "Z", "s")
        left = driver.app.session.seen.left
    async with open_app(listing(EQUALS), seen=SeenLists(LastLists(view=left))) as driver:
        assert "by category ▲, status ▽" in driver.lines[1]
