"""F6 shows the whole of whatever a screen had to cut, on every screen that cuts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import exhaustive
from tests.tui.driving import PRODUCTION, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, pet

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tui.driving import Driver

REASON = "The catalogue is being counted, " * 30 + "until noon."
NOTICE = (
    ("deprecation", "@1764892800"),
    ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"),
    ("link", f'</v1/{"animals/" * 60}the-last>; rel="successor-version"'),
)
SIZES = [(40, 12), *exhaustive((80, 24), (120, 30))]


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


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("where", ["list", "detail"])
async def test_the_banner_and_the_notice_are_shown_whole(where: str, size: tuple[int, int]) -> None:
    """Both, each under its title; F6 is named beside what is cut."""
    async with open_app(size=size) as driver:
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


@pytest.mark.parametrize("size", SIZES)
async def test_the_reason_of_an_entry_is_shown_whole_in_outbox_and_form(
    size: tuple[int, int],
) -> None:
    """Where its row is cut, and nowhere else is the whole of it."""
    reason = "categoryId 99 does not exist, as the store's catalogue of 2026 has it, page 7, below"
    reason += " the picture of a very small dog, where the ink is faint"
    async with open_app(size=size) as driver:
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


@pytest.mark.parametrize("size", SIZES)
async def test_a_name_and_a_field_that_are_cut_are_shown_whole(size: tuple[int, int]) -> None:
    """In the detail."""
    animal = pet(7, "Wolfgang " * 100 + "Amadeus", note="quiet " * 200 + "and kind")
    service = ScriptedService([])
    service.always("listPets", Response(body=[animal]))
    service.always("getPet", Response(body=animal))
    async with open_app(service, size=size) as driver:
        await driver.press("enter")
        await driver.sees("Wolfgang")
        await driver.until(lambda: not driver.screen.header.spinner)
        whole = await read_to_the_end(driver)
        assert "Amadeus" in whole
        assert "andkind" in whole


LONG_DIRECTORY = "where-the-shop-keeps-what-it-counted-in-the-year-before-the-last"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("where", ["list", "receipt"])
async def test_why_nothing_was_exported_is_shown_whole(where: str, size: tuple[int, int]) -> None:
    """The key stands beside what is cut, and the line is there again when the box is closed."""
    async with open_app(size=size) as driver:
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


async def test_all_choices_of_a_path_are_shown(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"choice-{number:02}").mkdir()
    async with open_app(size=(80, 24)) as driver:
        await driver.press("e", "ctrl+u", *f"{tmp_path}/ch", "tab")
        await driver.until(lambda: "F6" in driver.line_with("Export"))
        assert "choice-59" in await read_to_the_end(driver)


async def test_f6_is_not_offered_where_nothing_is_cut() -> None:
    """A short reason stands there whole."""
    async with open_app() as driver:
        driver.service.next(
            "listPets", error(400, "odd", "A reason of some forty characters or so.")
        )
        await driver.press("r")
        await driver.sees("✖ 400 odd", "or so.")
        assert "F6" not in driver.text
        await driver.press("f6")
        assert driver.screen.error_banner.failure is not None


async def test_warnings_that_have_no_room_are_counted_and_shown_whole() -> None:
    """The count of those that are left out stands there, and the key."""
    warnings = tuple(f"Warning {number}" for number in range(30))
    async with open_app(profile=replace(PRODUCTION, warnings=warnings), size=(80, 24)) as driver:
        assert "… and 22 more · F6" in driver.text
        await driver.press("f6", "end")
        await driver.sees("Warning 29")


@pytest.mark.parametrize(
    ("keys", "row"),
    [
        (("j",) * 10, 10),
        (("G", "g"), 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
async def test_the_help_scrolls_by_the_keys_of_the_table(keys: tuple[str, ...], row: int) -> None:
    async with open_app(ScriptedService(), size=(80, 16)) as driver:
        await driver.press("f1")
        await driver.sees("Keys")
        await driver.press(*keys)
        box = driver.app.screen.box
        await driver.until(lambda: box.scroll_offset.y == row)
