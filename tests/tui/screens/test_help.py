"""The keys of a screen, by F1: in groups, found by words, and those that do something now."""

from __future__ import annotations

import pytest

from pettui.keyboard.actions import HELP_GROUPS, OWN
from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.scripted_service import html

GROUPS = [each for each in HELP_GROUPS if each not in ("", OWN)]  # of who has no own commands


def keys_shown(driver: Driver) -> list[str]:
    """Return the rows of the box, with single spaces."""
    inside = (line.split("│")[1] for line in driver.lines if line.count("│") == 2)
    return [" ".join(each.strip("▕ ").split()) for each in inside]


async def test_the_groups_stand_there_in_order_and_the_screen_s_own_keys_first() -> None:
    async with open_app(size=(60, 80)) as driver:
        await driver.press("f1")
        rows = keys_shown(driver)
        assert rows[:2] == ["On this screen", "a Add"]
        assert [row for row in rows if row in HELP_GROUPS and row] == GROUPS
        assert rows[rows.index("Everywhere") - 1] == ""


async def test_where_there_is_room_all_groups_are_seen_at_once_in_columns() -> None:
    async with open_app(size=(120, 30)) as driver:
        await driver.press("f1")
        await driver.sees("On this screen", *GROUPS)
        assert driver.line_with("On this screen") == driver.line_with("Moving")
        check_screen(driver, "help")
        await driver.press("/", *"outbox")
        await driver.sees_no("Everywhere")
        assert "o Outbox" in keys_shown(driver)


async def test_a_key_behind_the_enter_of_a_find_is_not_typed_into_it(driver: Driver) -> None:
    await driver.press("f1", "/", *"sort", "enter", "G")
    assert driver.screen.line.value == "sort"


async def test_a_find_narrows_the_keys_and_esc_ends_it_first() -> None:
    async with open_app(size=(40, 12)) as driver:
        await driver.press("f1", "/", *"sort")
        check_screen(driver, "help")
        assert {"s Sort", "z Sort by a column"} <= {*keys_shown(driver)}
        assert "# Go to an id" not in keys_shown(driver)
        await driver.press("enter", "j", "escape")
        assert "a Add" in keys_shown(driver)
        await driver.press("escape")
        await driver.sees("1 All")


async def test_a_group_is_found_by_its_title_and_nothing_is_said(driver: Driver) -> None:
    await driver.press("?", "/", *"taking")
    assert "V Only the marked ones" in keys_shown(driver)
    await driver.press(*"xyz")
    await driver.sees("no key matches")
    await driver.press("escape", "q")
    await driver.sees("1 All")


@pytest.mark.parametrize("field", [(), *exhaustive(("tab", "r"), ("tab", "tab"))], ids=str)
async def test_help_shows_the_keys_of_every_field_of_the_form(field: tuple[str, ...]) -> None:
    async with open_app(size=(80, 50)) as driver:
        await driver.press("a", *field, "f1")
        takes_up = "Previous field" if field else "Name before"
        takes_down = "Next matching category" if field == ("tab", "r") else "Next field"
        for keys, what in (
            ("tab", "Next field"), ("↑", takes_up),
            ("↓", takes_down), ("←", "Previous status"), ("→ space", "Next status"),
            ("n", "Not set"), ("a", "Available"), ("p", "Pending"), ("s", "Sold"),
            ("← → home end", "Move in the text"), ("F4", "Clear"),
        ):  # fmt: skip
            lines = [line for line in driver.lines if what in line]
            assert any(keys in line for line in lines), f"{what}: {driver.text}"


async def test_help_offers_no_key_that_does_nothing_now() -> None:
    """F6 belongs to what is cut."""
    async with open_app() as driver:
        await driver.press("f1")
        assert "Full text" not in driver.text
        driver.service.next("listPets", html(401))
        await driver.press("escape", "r")
        await driver.sees("401 from the service")
        await driver.press("f1")
        await driver.sees("F6", "Full text", "F7", "Change API key")
