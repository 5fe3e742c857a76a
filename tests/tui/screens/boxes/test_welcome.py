"""What a demo begins with: it stands there until a key, and a key means nothing else in it."""

from __future__ import annotations

import pytest

from tests.exhaustive import exhaustive
from tests.tui.demos import open_demo
from tests.tui.driving import check_screen

TEXT = ("Welcome to our animals!", "", "  one", "  two")
ESCAPES = ("\x1b[31mred\x1b[0m \x1b]0;title\x07", "\u202eevil\u202c [b]bold[/b]", "\x9b2J \u200b")


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
    """Also in one packet, before the welcome was ever drawn: no key but the first is lost."""
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
    """Whole: every line was in sight before the list is."""
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


@pytest.mark.parametrize("size", [(40, 12), (80, 24)], ids=str)
async def test_nothing_in_the_text_steers_the_terminal(size: tuple[int, int]) -> None:
    async with open_demo(welcome=ESCAPES, size=size) as driver:
        check_screen(driver, "welcome")
        await driver.sees("␛[31mred", "<U+202E>evil", "[b]bold[/b]")
