"""The preview stands beside the list where it has more to show than that, and nowhere else."""

from __future__ import annotations

import pytest

from tests.tui.driving import Driver, open_app
from tests.tui.resizing import resized
from tests.tui.scripted_service import Response, ScriptedService, pet, pets

PLAIN = pets(3)
TAGGED = [pet(4, "Tom", tags=["a"]), *PLAIN]


def listing(*answers: list[dict[str, object]]) -> ScriptedService:
    """Return a service that lists these, one answer after the other, the last one for ever."""
    service = ScriptedService([])
    service.next("listPets", *(Response(body=rows) for rows in answers[:-1]))
    service.always("listPets", Response(body=answers[-1]))
    return service


def has_preview(driver: Driver) -> bool:
    return bool(driver.screen.preview.region.width > 0)


async def test_there_is_none_that_would_only_repeat_the_table() -> None:
    """The animals of a demo have nothing more to show."""
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
    """Wherever the cursor is."""
    async with open_app(listing([*PLAIN, row])) as driver:
        assert has_preview(driver)
        for _ in range(4):
            await driver.press("j")
            assert has_preview(driver)


async def test_a_size_that_shows_the_whole_name_has_none() -> None:
    async with open_app(listing([pet(9, "N" * 100), *PLAIN]), size=(120, 30)) as driver:
        assert has_preview(driver)
        await resized(driver, (160, 30))
        assert not has_preview(driver)
        assert "N" * 100 in driver.text
        await driver.press("j")
        await resized(driver, (120, 30))
        assert "▏ Animal 3 " in driver.text


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


async def test_where_it_comes_the_cursor_stays_on_its_row() -> None:
    rows = pets(60)
    more = [pet(61, "Tom", tags=["a"]), *rows]
    async with open_app(listing(rows, more), limit=100) as driver:
        await driver.press("G")
        at = next(y for y, line in enumerate(driver.lines) if "▌" in line)
        driver.screen.refresh_first_page()
        await driver.until(lambda: len(driver.screen.table.rows) == 61)
        await driver.settled()
        assert has_preview(driver)
        assert "Animal 1 " in driver.lines[at]
        assert driver.lines[at].startswith("▌")
