"""F6 shows the whole of whatever a screen had to cut, on every screen that cuts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.tui.driving import PRODUCTION, open_app
from tests.tui.scripted_service import Response, error, pet

if TYPE_CHECKING:
    from tests.tui.driving import Driver

REASON = "The catalogue is being counted, " * 30 + "until noon."
NOTICE = (
    ("deprecation", "@1764892800"),
    ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"),
    ("link", f'</v1/{"animals/" * 60}the-last>; rel="successor-version"'),
)
LONG_DIRECTORY = "where-the-shop-keeps-what-it-counted-in-the-year-before-the-last"


async def read_to_the_end(driver: Driver) -> str:
    """Return all that stands in the box, from its top to its end, without what breaks lines."""
    texts = []
    driver.app.animation_level = "none"  # a page is there at once
    await driver.press("f6")
    box = driver.screen.box
    while True:
        inside = box.content_region
        lines = driver.lines[inside.y : inside.bottom]
        texts.append("".join(line[inside.x : inside.right].strip(" ▁▂▃▄▅▆▇█") for line in lines))
        if box.scroll_offset.y == box.max_scroll_y:
            break
        await turn_page(driver)
    await driver.press("escape")
    return "".join(texts).replace(" ", "")


async def turn_page(driver: Driver) -> None:
    """Go on by a page; it scrolls after the key is done."""
    box = driver.screen.box
    before = box.scroll_offset.y
    driver.type("pagedown")
    await driver.until(lambda: box.scroll_offset.y > before)
    await driver.settled()


@pytest.mark.parametrize("where", ["list", "detail"])
async def test_the_banner_and_the_notice_are_shown_whole(where: str) -> None:
    async with open_app(size=(40, 12)) as driver:
        operation = "listPets" if where == "list" else "getPet"
        driver.service.next(operation, Response(body=pet(60) if where == "detail" else [pet(60)],
                                              headers=NOTICE))  # fmt: skip
        driver.service.next(operation, error(423, "locked", REASON))
        await driver.press("r" if where == "list" else "enter")
        await driver.until(lambda: len(driver.screen.notice_bar.notices) == 1)
        await driver.until(lambda: "animals/" in driver.screen.notice_bar.notices[0])
        await driver.press("f5")
        await driver.sees("✖ 423 locked", "F6 Full text")
        whole = await read_to_the_end(driver)
        assert "untilnoon." in whole
        assert "the-last" in whole


async def test_the_reason_of_an_entry_is_shown_whole_in_outbox_and_form() -> None:
    reason = "categoryId 99 does not exist, as the store's catalogue of 2026 has it, page 7, below"
    reason += " the picture of a very small dog, where the ink is faint"
    async with open_app(size=(40, 12)) as driver:
        driver.service.next("createPet", error(400, "invalid_value", reason))
        await driver.press("a", *"Rex", "tab", *"99", "enter", *"Tim")
        await driver.until(lambda: driver.screen.error_banner.failure)
        await driver.press("escape")
        assert "faint" not in driver.text
        assert "F6 Full text" in driver.text
        whole = await read_to_the_end(driver)
        assert "theinkisfaint" in whole
        await driver.press("f9")
        await driver.sees("Rex", "refused")
        assert "faint" not in driver.text
        whole = await read_to_the_end(driver)
        assert "theinkisfaint" in whole


@pytest.mark.parametrize("where", ["list", "receipt"])
async def test_why_nothing_was_exported_is_shown_whole(where: str) -> None:
    async with open_app(size=(40, 12)) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.until(lambda: driver.entries[0].pet_id)
        await driver.press("escape", *(["R"] if where == "receipt" else []), "e", "ctrl+u")
        await driver.press(*f"{LONG_DIRECTORY}/pets.csv", "enter")
        await driver.until(lambda: "F6" in driver.line_with("Export"))
        whole = await read_to_the_end(driver)
        assert LONG_DIRECTORY in whole
        assert "nosuch" in whole
        await driver.press("!")
        assert driver.screen.query_one("PromptField").value.endswith("pets.csv!")
        assert "F6" not in driver.line_with("Export")


async def test_f6_is_not_offered_where_nothing_is_cut(driver: Driver) -> None:
    driver.service.next("listPets", error(400, "odd", "A reason of some forty characters or so."))
    await driver.press("r")
    await driver.sees("✖ 400 odd", "or so.")
    assert "F6" not in driver.text
    await driver.press("f6")
    assert driver.screen.error_banner.failure is not None


async def test_warnings_that_have_no_room_are_counted_and_shown_whole() -> None:
    warnings = tuple(f"Warning {number}" for number in range(30))
    async with open_app(profile=replace(PRODUCTION, warnings=warnings), size=(80, 24)) as driver:
        assert "… and 22 more · F6" in driver.text
        await driver.press("f6", "end")
        await driver.sees("Warning 29")
