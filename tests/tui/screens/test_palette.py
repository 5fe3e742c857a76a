"""The palette: every action by its name, narrowed down as it is typed."""

from __future__ import annotations

import pytest

from tests.tui.driving import open_app


@pytest.mark.parametrize("key", [":", "ctrl+p"])
async def test_the_palette_has_every_action_by_name_and_runs_one(key: str) -> None:
    async with open_app() as driver:
        await driver.press(key, *"add", "enter", *"Rex")
        assert "Rex" in driver.line_with("Name")


async def test_the_palette_narrows_down_as_it_is_typed() -> None:
    async with open_app() as driver:
        await driver.press(":")
        await driver.sees("Add", "All pages", "Show sold")
        await driver.press(*"theme")
        await driver.sees("Theme: light")
        assert "All pages" not in driver.text
        await driver.press(*" xyz")
        await driver.sees("no command matches")
        await driver.press("enter", "escape")
        await driver.sees_no("Run")


async def test_the_palette_says_what_to_type_and_leaves_out_movement_and_itself() -> None:
    for keys in ((), ("enter",), ("o",)):
        async with open_app(size=(80, 50)) as driver:
            await driver.press(*keys, ":")
            assert "search for a command" in driver.text
            lines = driver.lines
            for _ in range(5):
                await driver.press("pagedown")
                lines += driver.lines
            inside = [line.split("│")[1] for line in lines if line.count("│") == 2]
            names = {line.strip(" ▌").split("  ")[0] for line in inside}
            assert "Help" in names
            assert names.isdisjoint(
                {"Up", "Down", "Page up", "Page down", "Top", "End", "Commands", "Command"}
            )


async def test_the_palette_filters_by_the_arrows_and_the_mouse_too() -> None:
    async with open_app() as driver:
        await driver.press(":", *"show", "down", "enter")
        await driver.until(lambda: driver.service.requests[-1].query.get("status") == "available")
        await driver.press(":", *"show")
        await driver.pilot.click("CommandList", offset=(5, 3))
        await driver.until(lambda: driver.service.requests[-1].query.get("status") == "sold")


async def test_the_palette_can_be_opened_and_closed_faster_than_it_is_drawn() -> None:
    async with open_app() as driver:
        keys = [":", "pagedown", "up", "escape", ":", "enter", "escape", ":", "f1", "escape"] * 3
        await driver.press(*keys, "j")
        assert driver.screen.table.cursor == 1


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("csv", "Export  csv"),
        ("exit", "Quit  exit"),
        ("undo", "Take back  undo"),
        ("next page", "More  next, page"),
        ("total", "Receipt  total"),
        ("log", "What happened  log"),
        ("yank", "Copy id  yank"),
    ],
)
async def test_an_action_is_found_by_other_peoples_words(typed: str, found: str) -> None:
    async with open_app() as driver:
        await driver.press(":", *typed)
        await driver.sees(found)


async def test_what_cannot_be_done_now_stands_there_and_enter_says_why() -> None:
    async with open_app(size=(100, 40)) as driver:
        await driver.press(":", *"undo")
        line = driver.line_with("Take back")
        assert "F8" in line
        await driver.press("enter")
        await driver.sees("nothing has been added here yet")
        await driver.press("escape", "/", *"zzz", "enter", ":", *"open", "enter")
        await driver.sees("there is no animal here")


async def test_in_the_outbox_a_key_that_does_something_else_now_is_not_called_idle() -> None:
    async with open_app(size=(100, 40)) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape", "o")
        await driver.until(lambda: driver.entries[-1].pet_id)
        await driver.press(":")
        await driver.sees("Open", "Forget")
        names = [line.split("│")[1].strip(" ▌") for line in driver.lines if line.count("│") == 2]
        assert {"Show", "Edit"}.isdisjoint(name.split("  ")[0] for name in names)


async def test_the_help_finds_by_other_peoples_words_too() -> None:
    async with open_app(size=(100, 40)) as driver:
        await driver.press("f1", "/", *"csv")
        await driver.sees("Export")
        await driver.sees_no("Take back")
