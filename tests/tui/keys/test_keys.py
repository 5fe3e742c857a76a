"""Help, palette, key bar and rebound keys: all read off the same bindings."""

from __future__ import annotations

import pytest

from pettui.tui.widgets.command_list import Command, found
from tests.exhaustive import exhaustive
from tests.tui.driving import open_app
from tests.tui.scripted_service import ScriptedService, html


@pytest.mark.parametrize("key", ["f1", "?"])
async def test_help_shows_the_keys_of_the_list(key: str) -> None:
    async with open_app(size=(120, 80)) as driver:
        await driver.press(key)
        lines = driver.lines
        assert any("Keys" in line for line in lines)
        for keys, what in (("a", "Add"), ("r F5", "Refresh"), ("F1 ?", "Help"), ("+", "Larger limit"),
                           ("end G", "End"), ("4", "sold")):  # fmt: skip
            assert any(keys in line and what in line for line in lines), what
        await driver.press("escape")
        await driver.sees_no("Larger limit")


@pytest.mark.parametrize("field", [(), *exhaustive(("tab",), ("tab", "tab"))], ids=str)
async def test_help_shows_the_keys_of_every_field_of_the_form(field: tuple[str, ...]) -> None:
    async with open_app(size=(80, 50)) as driver:
        await driver.press("a", *field, "f1")
        for keys, what in (
            ("tab", "Next field"), ("↑", "Previous field"),
            ("↓", "Next field"), ("←", "Previous status"), ("→ space", "Next status"),
            ("n", "Not set"), ("a", "Available"), ("p", "Pending"), ("s", "Sold"),
            ("← → home end", "Move in the text"), ("F4", "Clear"),
        ):  # fmt: skip
            lines = [line for line in driver.lines if what in line]
            assert any(keys in line for line in lines), f"{what}: {driver.text}"


async def test_help_offers_no_key_that_does_nothing_now() -> None:
    """F6 and F7 belong to a failure."""
    async with open_app() as driver:
        await driver.press("f1")
        assert "Full text" not in driver.text
        assert "Change API key" not in driver.text
        driver.service.next("listPets", html(401))
        await driver.press("escape", "r")
        await driver.sees("401 from the service")
        await driver.press("f1")
        await driver.sees("F6", "Full text", "F7", "Change API key")


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


async def test_a_rebound_key_is_in_the_key_bar_and_in_help() -> None:
    async with open_app(keys={"add": "n,f12", "refresh": "ctrl+r"}) as driver:
        assert " n Add " in driver.lines[-1]
        await driver.press("a")
        assert "Add an animal" not in driver.text
        await driver.press("f1")
        await driver.sees("n F12", "Add", "^r", "Refresh")
        await driver.press("escape", "n")
        await driver.sees("Add an animal")


async def test_hints_name_the_rebound_key() -> None:
    keys = {"refresh": "f3", "add": "n", "more": "w", "filter_all": "0", "enter_key": "f12"}
    service = ScriptedService([])
    service.next("listPets", html(401))
    async with open_app(service, keys=keys) as driver:
        await driver.sees("F3 Retry", "F12 Change API key", "F3 retries")
        await driver.press("f3")
        await driver.sees("No animals yet. n adds one.")
        await driver.press("4")
        await driver.sees("No sold animals. 0 shows all, n adds one.")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"add": "j"}, "j: Add and Down share this key"),
        ({"add": "x", "more": "x"}, "x: Add and More share this key"),
    ],
)
async def test_a_key_of_two_actions_is_reported(keys: dict[str, str], said: str) -> None:
    async with open_app(keys=keys) as driver:
        await driver.sees(said)


@pytest.mark.parametrize("action", ["quit_anywhere", "clear"])
async def test_a_letter_that_an_action_is_bound_to_is_typed_in_a_field(action: str) -> None:
    async with open_app(keys={action: "é"}) as driver:
        await driver.press("a", *"André")
        assert driver.form_text() == "André"
        assert " é " not in driver.lines[-1]
        await driver.press("tab", "tab", "x")
        assert (" é " in driver.lines[-1]) == (action != "quit_anywhere")


async def test_a_rebound_key_works_on_a_screen_that_is_shown_again() -> None:
    async with open_app(keys={"close": "f3", "add": "n"}) as driver:
        for _ in range(2):
            await driver.press("n", *"ab", "f3")
            await driver.sees("1 All")
        await driver.press("n")
        assert driver.form_text() == "abab"


def test_commands_that_start_with_the_word_come_first() -> None:
    async def nothing() -> None:
        """Do nothing."""

    names = ("Show all", "Add", "Add and next", "Larger limit", "Refresh")
    commands = [Command(name, "", nothing) for name in names]
    assert [each.name for each in found(commands, "")] == list(names)
    assert [each.name for each in found(commands, "ADD")] == ["Add", "Add and next"]
    assert [each.name for each in found(commands, "al")] == ["Show all"]
    assert [each.name for each in found(commands, "l")] == ["Larger limit", "Show all"]
    assert [each.name for each in found(commands, "next add")] == ["Add and next"]
    assert [each.name for each in found(commands, "lgrl")] == ["Larger limit"]
    assert found(commands, "xyz") == []


# Keys that do nothing


@pytest.mark.parametrize(
    ("before", "key", "name"),
    [
        ((), "f11", "F11"),
        ((), "tab", "tab"),
        (("o",), "ctrl+e", "^e"),
    ],
    ids=["list", "nowhere to go", "outbox"],
)
async def test_an_unbound_key_is_reported_once_and_until_the_next_key(
    before: tuple[str, ...], key: str, name: str
) -> None:
    async with open_app(size=(120, 40)) as driver:
        await driver.press(*before, key)
        assert f"{name} does nothing here" in driver.text
        await driver.press("ctrl+g")
        assert f"{name} does" not in driver.text
        await driver.press(key)
        assert "does nothing here" not in driver.text


@pytest.mark.parametrize("key", ["escape", "f6"])
async def test_a_key_that_is_disabled_at_the_moment_is_not_reported(key: str) -> None:
    async with open_app() as driver:
        await driver.press(key)
        assert "does nothing" not in driver.text


async def test_typed_text_is_not_reported() -> None:
    async with open_app() as driver:
        await driver.press("a", *"zZ%!é")
        assert "does nothing" not in driver.text
