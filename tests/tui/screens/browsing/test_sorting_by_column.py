"""A key and a letter sort by a column at once, and by a second one where the first is equal."""

from __future__ import annotations

import pytest

from pettui.transfer.last_lists import LastLists, SeenLists
from tests.tui.driving import check_screen, ids_of, open_app
from tests.tui.scripted_service import Response, ScriptedService, pet

ANIMALS = [
    pet(5, "Luna", 3, status="sold"),
    pet(4, "Rex", 1, status="available"),
    pet(3, "Mimi", 3, status="available"),
    pet(2, "Tiny", 1, status="sold"),
    pet(1, "Bo", 3, status="pending"),
]


def listing() -> ScriptedService:
    service = ScriptedService([])
    service.always("listPets", Response(body=ANIMALS))
    return service


async def test_a_letter_sorts_by_its_column_and_again_reverses() -> None:
    async with open_app(listing()) as driver:
        await driver.press("z", "n", "g", "y")  # in one packet
        assert ids_of(driver.lines) == [1, 5, 3, 4, 2]
        assert driver.app.clipboard == "1"
        await driver.press("z", "n")
        assert ids_of(driver.lines) == [2, 4, 3, 5, 1]
        assert "by name ▼" in driver.lines[1]
        await driver.press("z", "u")
        assert ids_of(driver.lines) == [5, 4, 3, 2, 1]


async def test_a_second_column_decides_where_the_first_is_equal() -> None:
    async with open_app(listing()) as driver:
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


@pytest.mark.parametrize("size", [(120, 30), (40, 12)], ids=str)
async def test_the_box_names_the_letters_and_what_is_sorted_by(size: tuple[int, int]) -> None:
    async with open_app(listing(), size=size) as driver:
        await driver.press("z", "c", "Z")
        check_screen(driver, "the box")
        assert "Then by" in driver.text
        assert "c  Category ▲" in driver.line_with("c  Category")
        await driver.press("x", "escape")
        await driver.sees("1 All")


async def test_the_second_column_is_there_after_a_restart() -> None:
    async with open_app(listing()) as driver:
        await driver.press("z", "c", "Z", "s", "Z", "s")
        left = driver.app.session.seen.left
    async with open_app(listing(), seen=SeenLists(LastLists(view=left))) as driver:
        assert "by category ▲, status ▽" in driver.lines[1]
