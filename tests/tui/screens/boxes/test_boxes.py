"""Boxes over a screen: help with its find, the welcome of a demo, and a resize below one."""

from __future__ import annotations

import pytest

from pettui.actions import HELP_GROUPS
from tests.exhaustive import exhaustive
from tests.tui.demos import open_demo
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.resizing import resized

TEXT = ("Welcome to our animals!", "", "  one", "  two")
ESCAPES = ("\x1b[31mred\x1b[0m \x1b]0;title\x07", "\u202eevil\u202c [b]bold[/b]", "\x9b2J \u200b")


@pytest.mark.exhaustive
@pytest.mark.parametrize("keys", [("f1",), (":",), ("a", *"Rex", "f1"), ("enter", "f1")], ids=str)
async def test_the_screen_below_a_box_grows_with_the_terminal(keys: tuple[str, ...]) -> None:
    async with open_app(size=(40, 12)) as driver:
        await driver.press(*keys)
        await driver.sees("Close ─╯")
        await resized(driver, (120, 30))
        await driver.press("escape")
        await driver.sees_no("Close ─╯")
        await driver.settled()
        assert "F1 Help" in driver.lines[-1]


def keys_shown(driver: Driver) -> list[str]:
    """Return the rows of the box, with single spaces."""
    inside = (line.split("│")[1] for line in driver.lines if line.count("│") == 2)
    return [" ".join(each.strip("▁▂▃▄▅▆▇█ ").split()) for each in inside]


async def test_the_groups_stand_there_in_order_and_the_screen_s_own_keys_first() -> None:
    async with open_app(size=(80, 80)) as driver:
        await driver.press("f1")
        rows = keys_shown(driver)
        assert rows[0] == "a Add"
        assert [row for row in rows if row in HELP_GROUPS and row] == [*HELP_GROUPS[1:]]
        assert rows[rows.index("Everywhere") - 1] == ""


async def test_a_key_behind_the_enter_of_a_find_is_not_typed_into_it() -> None:
    async with open_app() as driver:
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


async def test_the_welcome_stands_over_the_list() -> None:
    async with open_demo(welcome=TEXT) as driver:
        await driver.sees("─ Welcome ─", *TEXT, "any key continues", "Mitzi")


@pytest.mark.parametrize(
    "key", ["q", *exhaustive("a", "enter", "escape", "space", "f1", "down", ":")]
)
async def test_any_key_puts_it_away_and_means_nothing_else(key: str) -> None:
    async with open_demo(welcome=TEXT) as driver:
        await driver.press(key)
        await driver.sees("▌    60  Mitzi", "20 shown")
        assert len(driver.app.screen_stack) == 1


async def test_what_is_typed_behind_that_key_is_the_lists() -> None:
    async with open_demo(welcome=TEXT, loaded=False) as driver:
        await driver.press("x", "a", *"Rex")
        await driver.sees("Add an animal")
        assert driver.form_text() == "Rex"


async def test_a_paste_and_a_click_go_on_too() -> None:
    async with open_demo(welcome=TEXT) as driver:
        driver.paste("Rex\nTim")
        await driver.settled()
        await driver.sees_no("─ Welcome ─")
    async with open_demo(welcome=TEXT) as driver:
        await driver.pilot.click(".box")
        await driver.sees_no("─ Welcome ─")


async def test_ctrl_q_quits_and_ctrl_c_says_how() -> None:
    async with open_demo(welcome=TEXT) as driver:
        await driver.press("ctrl+c")
        await driver.sees("ctrl+q quits")
        driver.type("ctrl+q")
        await driver.until(lambda: driver.app.return_code == 0)


async def test_a_text_that_has_no_room_is_read_page_by_page() -> None:
    text = tuple(
        f"This is line {number} of twenty, and it is wider than forty cells" for number in range(20)
    )
    async with open_demo(welcome=text, size=(40, 12)) as driver:
        seen = ""
        while "any key shows more" in driver.text:
            seen += driver.text
            await driver.press("enter")
        seen += driver.text
        assert all(f"line {number} of" in seen for number in range(20))
        await driver.sees("any key continues")
        await driver.press("enter")
        await driver.sees_no("─ Welcome ─")


async def test_nothing_in_the_text_steers_the_terminal() -> None:
    async with open_demo(welcome=ESCAPES, size=(40, 12)) as driver:
        check_screen(driver, "welcome")
        await driver.sees("␛[31mred", "<U+202E>evil", "[b]bold[/b]")
