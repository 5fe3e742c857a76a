"""The preview stands where it has more to show, or was chosen; the counts say what is listed."""

from __future__ import annotations

import pytest

from pettui.transfer.last_lists import LastLists, SeenLists
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.resizing import resized
from tests.tui.scripted_service import error, listing, pet, pets

ANIMALS = [
    pet(4, "Luna", 1, status="sold"),
    pet(3, "Rex", 3, status="available"),
    pet(2, "Mimi", 1, status="available"),
    pet(1, "Bo", 77, status="lost"),
]
PLAIN = pets(3)
TAGGED = [pet(4, "Tom", tags=["a"]), *PLAIN]


def left_by(driver: Driver) -> SeenLists:
    """Return what the next session starts with."""
    return SeenLists(LastLists(view=driver.app.session.seen.left))


def of_all(driver: Driver) -> str:
    """Return the counts of all rows, with single spaces; "" where they are not shown."""
    line = next((line for line in driver.lines[2:] if " All  " in line), "")
    return " ".join(line.partition(" All  ")[2].split())


async def test_a_preview_that_was_switched_on_stays_on_after_a_restart_too() -> None:
    async with open_app(listing(ANIMALS)) as driver:
        assert "Category  1 Cats" not in driver.text
        await driver.press("t", "j")
        assert "Category  3 Dogs" in driver.text
        await driver.press("/", *"luna", "enter")
        assert "Category  1 Cats" in driver.text
        left = left_by(driver)
    async with open_app(listing(ANIMALS), seen=left) as driver:
        assert "Category  1 Cats" in driver.text
        await driver.press("t")
        assert "Category  1 Cats" not in driver.text


async def test_on_a_narrow_screen_the_key_says_from_when_on_there_is_one() -> None:
    async with open_app(listing(ANIMALS), size=(80, 24)) as driver:
        await driver.press("t")
        assert "preview on: it is shown from 100 columns" in driver.bottom
        await resized(driver, (120, 30))
        assert "Category  1 Cats" in driver.text


@pytest.mark.parametrize("size", [(200, 50), (120, 30), (80, 24), (40, 12)], ids=str)
async def test_counts_are_of_what_is_listed_at_every_size(size: tuple[int, int]) -> None:
    async with open_app(listing(ANIMALS), size=size) as driver:
        await driver.press("t", "c")
        check_screen(driver, "counts")
        assert of_all(driver).startswith("4 ● 2")
        await driver.press("/", *"luna", "enter")
        assert of_all(driver).startswith("1 ○ 1")
        await driver.press("escape", "f6")
        if size == (40, 12):
            await driver.sees("77: 1 (1 lost)")
            await driver.press("escape")
        left = left_by(driver)
        await driver.press("c")
        assert not of_all(driver)
    async with open_app(listing(ANIMALS), size=size, seen=left) as driver:
        assert of_all(driver).startswith("4 ● 2")


async def test_they_say_that_pages_are_missing() -> None:
    async with open_app(limit=20) as driver:
        await driver.press("c")
        await driver.sees("further pages are not counted")
        await driver.press("M")
        await driver.sees_no("further pages are not counted")


async def test_rows_come_before_counts_where_a_banner_needs_the_room() -> None:
    async with open_app(listing(ANIMALS), size=(40, 12)) as driver:
        driver.service.next(
            "listPets", error(500, "internal", "The database is being repaired " * 5)
        )
        await driver.press("c", "r")
        await driver.sees("✖ 500")
        assert not of_all(driver)
        assert all(each["name"] in driver.text for each in ANIMALS)


async def test_the_keys_of_rows_and_panes_work_while_a_request_is_under_way() -> None:
    async with open_app(listing(ANIMALS)) as driver:
        held = driver.service.hold("listPets")
        driver.type("r", "t", "c", "z", "n", "v", "j", "v", "V")
        await driver.until(lambda: "only marked" in driver.text)
        assert [int(line[3:7]) for line in driver.lines if line[2:3] == "■"] == [4, 2]
        await driver.until(lambda: of_all(driver).startswith("2 ● 1 "))
        assert "Category  1 Cats" in driver.text
        held.set()
        await driver.until(lambda: not driver.screen.header.spinner)
        await driver.settled()
        assert of_all(driver).startswith("2 ● 1 ")


def has_preview(driver: Driver) -> bool:
    return bool(driver.screen.preview.region.width > 0)


async def test_there_is_none_that_would_only_repeat_the_table() -> None:
    async with open_app(size=(100, 24), limit=100) as driver:
        assert not has_preview(driver)
        assert driver.screen.table.size.width == 100


@pytest.mark.parametrize(
    "row",
    [
        pet(9, "Rex", tags=["a"]),
        {"id": "nine"},
    ],
    ids=["another field", "no animal"],
)
async def test_it_stands_there_where_one_row_has_more_to_show(row: dict[str, object]) -> None:
    async with open_app(listing([*PLAIN, row])) as driver:
        assert has_preview(driver)
        for _ in range(4):
            await driver.press("j")
            assert has_preview(driver)


async def test_what_comes_by_itself_brings_it_and_takes_it_not_away() -> None:
    """With every refresh of a watched list it would come and go."""
    async with open_app(listing(PLAIN, TAGGED, PLAIN), watch=3600.0) as driver:
        assert not has_preview(driver)
        driver.screen.refresh_first_page()
        await driver.until(lambda: len(driver.screen.table.rows) == 4)
        await driver.settled()
        assert has_preview(driver)
        driver.screen.refresh_first_page()
        await driver.until(lambda: len(driver.screen.table.rows) == 3)
        await driver.settled()
        assert has_preview(driver)
        await driver.press("r")
        await driver.until(lambda: not has_preview(driver))
