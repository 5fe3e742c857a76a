"""Sort: by a column, from either end, and back to the service's own order."""

from __future__ import annotations

import pytest

from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, ids_of, open_app
from tests.tui.scripted_service import Response, ScriptedService, pet

ANIMALS = [
    pet(9, "zoe", 10, status="sold"),
    pet(4, "Äbbe", 3, status="available"),
    pet(30, "Abel", 3, status=None),
    pet(2, "ZOE", 9, status="pending"),
]
OWN = [9, 4, 30, 2]
LINKED = (("link", '</v1/pets?limit=4&cursor=c>; rel="next"'),)


def listing(*answers: Response) -> ScriptedService:
    service = ScriptedService([])
    service.next("listPets", Response(body=ANIMALS, headers=LINKED), *answers)
    return service


def cursor_id(driver: Driver) -> int:
    """Return the id of the row that the cursor stands on."""
    return int(next(line for line in driver.lines if line.startswith("▌")).split()[1])


async def test_s_goes_from_column_to_column_and_back_to_the_services_own_order() -> None:
    async with open_app(listing()) as driver:
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


async def test_capital_s_turns_the_order_round_and_what_is_missing_stays_last() -> None:
    async with open_app(listing()) as driver:
        await driver.press("s", "s", "s", "s", "S")
        assert ids_of(driver.lines) == [9, 2, 4, 30]
        await driver.sees("by status ▼")


async def test_the_services_own_order_is_not_reversed_and_that_is_said() -> None:
    async with open_app(listing()) as driver:
        await driver.press("S")
        assert ids_of(driver.lines) == OWN
        await driver.sees("not sorted: the service's own order")


@pytest.mark.parametrize("size", [(40, 12), *exhaustive((120, 30), (80, 24))])
async def test_a_click_on_a_head_sorts_and_a_second_one_turns_round(size: tuple[int, int]) -> None:
    async with open_app(listing(), size=size) as driver:
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


async def test_the_next_animal_of_the_detail_is_the_next_one_as_it_is_shown() -> None:
    async with open_app(listing()) as driver:
        await driver.press("s", "g", "enter")
        await driver.sees("ZOE")
        await driver.press("j")
        await driver.sees("Äbbe")


async def test_the_cursor_is_in_sight_where_a_page_makes_the_rows_more_than_the_screen_has() -> (
    None
):
    async with open_app(limit=6, size=(80, 12)) as driver:
        await driver.press("G", "G")
        await driver.until(lambda: len(driver.screen.table.rows) == 12)
        assert driver.screen.table.cursor == 11
        assert cursor_id(driver) == driver.screen.table.rows[11].id
