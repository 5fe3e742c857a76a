"""A prompt line: its keys, and the texts that give way to them."""

from __future__ import annotations

from pettui.tui.widgets.prompt import PromptLine
from tests.tui.driving import check_screen, open_app, resized


async def test_a_click_on_the_line_leaves_its_keys_and_a_key_elsewhere_is_not_typed() -> None:
    async with open_app(size=(80, 24)) as driver:
        await driver.press("/", "a")
        driver.screen.set_focus(None)
        await driver.press("y")
        assert (driver.app.clipboard, driver.screen.query_one(PromptLine).text) == ("60", "a")
        assert "clear" not in driver.line_with("/ ")
        await driver.pilot.click(PromptLine, offset=(8, 0))
        await driver.settled()
        assert "clear" in driver.line_with("/ ")


async def test_a_text_gives_way_to_the_keys() -> None:
    async with open_app(size=(120, 30)) as driver:
        await driver.press("#")
        for width, shown in (
            (120, "3 of 240 loaded · ↵ go · esc close"),
            (54, "3 of 240 · ↵ go · esc close"),
            (40, "3 of 240 · ↵ go"),
        ):
            await resized(driver, (width, 12))
            driver.screen.query_one(PromptLine).describe("3 of 240 loaded", "3 of 240")
            await driver.settled()
            check_screen(driver, str(width))
            assert shown in driver.line_with("# ")
        await resized(driver, (54, 12))
        driver.screen.query_one(PromptLine).describe(
            "something far too long for this line of few cells"
        )
        await driver.settled()
        assert driver.line_with("# ").rstrip().endswith("▐" + " " * 18 + "↵ go · esc close")


async def test_a_key_that_is_typed_has_cells_at_every_width() -> None:
    async with open_app(size=(20, 6)) as driver:
        await driver.press("f7", *"abc")
        assert "••• " in driver.line_with("Key")


async def test_esc_clears_the_first_find_and_goes_back_from_a_later_one() -> None:
    async with open_app(size=(100, 24)) as driver:
        await driver.press("/", "a")
        assert "esc clear" in driver.line_with("/ ")
        await driver.press("enter", "/")
        assert "esc back" in driver.line_with("/ ")


async def test_all_pages_are_not_offered_where_all_rows_are_loaded() -> None:
    async with open_app(size=(120, 24), limit=100) as driver:
        await driver.press("/")
        await driver.sees("60 of 60 loaded · ↵ keep · F2 mark · esc clear")
