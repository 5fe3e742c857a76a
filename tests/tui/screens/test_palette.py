"""The palette: every action by its name, narrowed down as it is typed."""

from __future__ import annotations

from itertools import chain
from unittest.mock import AsyncMock

from pettui.tui.screens.palette import PaletteCommand, found
from tests.tui.driving import Case, case, on, open_app, sees, sees_no, table

OTHER_WORDS = {
    "csv": "Export  csv", "exit": "Quit  exit", "undo": "Take back  undo",
    "next page": "More  next, page", "total": "Receipt  total", "log": "What happened  log",
    "yank": "Copy id  yank",
}  # fmt: skip
TALL = on(size=(100, 40))


@table(
    case("an action runs by its name", on(), ":", *"add", "enter", *"Rex", sees("Add an animal", "Rex ")),
    case("Textual's key opens it too", on(), "ctrl+p", *"add", "enter", sees("Add an animal")),
    case("it narrows down as it is typed", on(), ":", sees("Add", "All pages", "Show sold"),
        *"theme", sees("Theme: light"), sees_no("All pages"),
        *" xyz", sees("no command matches"),
        "enter", "escape", sees_no("Run")),
    case("an action is found by other people's words", on(), *chain.from_iterable(
            (":", *typed, sees(found), "escape") for typed, found in OTHER_WORDS.items()
        )),
    case("the help finds by other people's words too", TALL,
        "f1", "/", *"csv", sees("Export"), sees_no("Take back")),
    case("what cannot be done now stands there, and Enter says why", TALL,
        ":", *"undo", sees("F8", "Take back"), "enter", sees("nothing has been added here yet")),
    case("where there is no animal, Enter says so", TALL,
        "/", *"zzz", "enter", ":", *"open", "enter", sees("there is no animal here")),
)  # fmt: skip
async def test_the_palette(case: Case) -> None:
    await case.run()


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


def test_commands_that_start_with_the_word_come_first() -> None:
    names = ("Show all", "Add", "Add and next", "Larger limit", "Refresh")
    commands = [PaletteCommand(name, "", AsyncMock()) for name in names]
    assert [each.name for each in found(commands, "")] == list(names)
    assert [each.name for each in found(commands, "ADD")] == ["Add", "Add and next"]
    assert [each.name for each in found(commands, "al")] == ["Show all"]
    assert [each.name for each in found(commands, "l")] == ["Larger limit", "Show all"]
    assert [each.name for each in found(commands, "next add")] == ["Add and next"]
    assert [each.name for each in found(commands, "lgrl")] == ["Larger limit"]
    assert found(commands, "xyz") == []
