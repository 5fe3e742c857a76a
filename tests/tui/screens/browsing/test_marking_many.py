"""Many rows are marked at once: all, the others, a range, what is found; and looked at alone."""

from __future__ import annotations

import pytest

from tests.tui.driving import Driver, check_screen, ids_of, open_app
from tests.tui.scripted_service import Response, ScriptedService, pet

STATUSES = {6: "sold", 5: "available", 4: "sold", 3: "available", 2: "pending", 1: "available"}
ANIMALS = [pet(number, f"Animal {number}", status=status) for number, status in STATUSES.items()]
SIZES = [(120, 30), (40, 12)]


def listing() -> ScriptedService:
    service = ScriptedService([])
    service.always("listPets", Response(body=ANIMALS))
    return service


def marked(driver: Driver) -> list[int]:
    """Return the ids of the rows that have the sign of a mark."""
    return ids_of([line.replace("■", " ") for line in driver.lines if line[2:3] == "■"])


def shown(driver: Driver) -> list[int]:
    return ids_of([line.replace("■", " ") for line in driver.lines])


async def test_all_that_are_shown_are_marked_and_a_find_shows_which() -> None:
    async with open_app(listing()) as driver:
        await driver.press("/", *"sold", "enter", "A", "escape")
        assert marked(driver) == [6, 4]
        await driver.press("A")
        await driver.sees("6 marked")
        await driver.press("A")
        await driver.sees("all 6 are marked already")


async def test_the_marks_of_the_rows_that_are_shown_are_inverted() -> None:
    async with open_app(listing()) as driver:
        await driver.press("space", "j", "space", "I")
        assert marked(driver) == [5, 3, 2, 1]
        await driver.press("/", *"sold", "enter", "I", "escape", "y")
        assert driver.app.clipboard == "6\n5\n4\n3\n2\n1"


async def test_f2_marks_what_is_found_and_the_next_find_marks_more() -> None:
    async with open_app(listing()) as driver:
        await driver.press("/", *"pending", "f2", "/", *"sold", "f2")
        assert marked(driver) == [6, 4, 2]
        assert len(shown(driver)) == 6
        await driver.press("/", *"nobody", "f2")
        assert "nothing to mark" in driver.line_with("nobody")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_range_goes_with_the_cursor_and_a_second_key_ends_it(size: tuple[int, int]) -> None:
    async with open_app(listing(), size=size) as driver:
        await driver.press("j", "v", "j", "j", "k")
        assert marked(driver) == [5, 4]
        check_screen(driver, "a range")
        await driver.press("g")
        assert marked(driver) == [6, 5]
        await driver.press("v", "G")
        assert marked(driver) == [6, 5]
        await driver.press("v", "k", "y")
        assert driver.app.clipboard == "6\n5\n2\n1"


async def test_esc_takes_only_the_range_back() -> None:
    async with open_app(listing()) as driver:
        await driver.press("space", "space", "v", "j", "j", "escape")
        assert marked(driver) == [6, 5]
        await driver.press("G")
        assert marked(driver) == [6, 5]


async def test_a_range_ends_where_rows_move_by_themselves_or_another_screen_opens() -> None:
    async with open_app(listing()) as driver:
        await driver.press("v", "j", "S", "s", "S", "G")
        assert marked(driver) == [6, 5]
        await driver.press("escape", "g", "v", "enter", "j", "escape")
        await driver.until(lambda: driver.app.screen.table)
        assert len(marked(driver)) == 1


async def test_a_range_goes_on_in_the_pages_that_it_loads() -> None:
    service = ScriptedService()
    async with open_app(service, limit=20) as driver:
        await driver.press("G", "k", "v", "G", "G")
        await driver.sees("m: more")
        await driver.until(lambda: len(driver.screen.table.rows) > 20)
        await driver.settled()
        assert driver.screen.marked.count == len(driver.screen.table.rows) - 18


async def test_only_the_marked_ones_are_shown_until_the_key_or_esc() -> None:
    async with open_app(listing()) as driver:
        await driver.press("V")
        await driver.sees("nothing is marked: space marks a row")
        await driver.press("/", *"sold", "f2", "V")
        assert shown(driver) == [6, 4]
        assert "2 of 6 loaded · only marked" in driver.bottom
        await driver.press("g", "space")
        assert (shown(driver), marked(driver)) == ([6, 4], [4])  # a slip is mended by space
        await driver.press("/", *"6", "enter")
        assert shown(driver) == [6]
        await driver.press("escape")
        assert shown(driver) == [6, 4]
        await driver.press("escape")
        assert (len(shown(driver)), marked(driver)) == (6, [4])


async def test_keys_for_many_marks_wait_for_the_first_animals() -> None:
    service = listing()
    first_response = service.hold("listPets")
    async with open_app(service, loaded=False) as driver:
        driver.type("j", "v", "j", "v", "I")
        first_response.set()
        await driver.until(lambda: marked(driver) == [6, 3, 2, 1])
    first_response = service.hold("listPets")
    async with open_app(service, loaded=False) as driver:
        driver.type("/", *"sold", "f2", "j")
        first_response.set()
        await driver.until(lambda: marked(driver) == [6, 4])
