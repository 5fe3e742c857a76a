"""Find in the outbox: the line of the list, on entries."""

from __future__ import annotations

import re

import pytest

from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.scripted_service import Response, ScriptedService, error

REFUSED = error(400, "invalid_value", "name is taken")
SIZES = [(120, 30), (40, 12)]


async def added(driver: Driver) -> None:
    """Add Rex, which is refused, a bird and a cat; then open the outbox."""
    driver.service.next("createPet", REFUSED)
    await driver.press("a", *"Rex", "tab", "3", "enter", *"Zoë", "tab", "2", "enter")
    await driver.press(*"Luna", "tab", "1", "tab", "p", "enter")
    states = {"waiting", "sending"}
    await driver.until(lambda: not states & {entry.state.value for entry in driver.entries})
    await driver.press("f4", "f4", "escape", "escape", "o")
    await driver.sees("Outbox")


def names(driver: Driver) -> list[str]:
    """Return the names in the rows."""
    found = (re.match(r" [ ▌] [^\w\s] (\w+) ", line) for line in driver.lines)
    return [match[1] for match in found if match]


@pytest.mark.parametrize(
    ("typed", "found"),
    [("zoe", ["Zoë"]), ("dogs", ["Rex"]), ("pend", ["Luna"]), ("taken", ["Rex"])],
)
async def test_words_are_found_in_what_an_entry_says(typed: str, found: list[str]) -> None:
    async with open_app(ScriptedService([])) as driver:
        await added(driver)
        await driver.press("/", *typed)
        assert names(driver) == found
        assert "1 of 3 entries" in driver.line_with("/ ")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_enter_keeps_the_find_and_esc_undoes_one_thing_at_a_time(
    size: tuple[int, int],
) -> None:
    async with open_app(ScriptedService([]), size=size) as driver:
        await added(driver)
        await driver.press("/", *"added", "enter")
        check_screen(driver, "found")
        assert names(driver) == ["Luna", "Zoë"]
        assert "2 of 3 entries · /added" in driver.bottom
        await driver.press("j", "/", *" zoe", "escape")
        assert names(driver) == ["Luna", "Zoë"]
        await driver.press("escape")
        assert names(driver) == ["Luna", "Zoë", "Rex"]
        await driver.press("escape")
        await driver.sees("1 All")


async def test_nothing_found_says_so_and_what_clears() -> None:
    async with open_app(ScriptedService([])) as driver:
        await added(driver)
        await driver.press("/", *"xyz", "enter")
        await driver.sees("No matches in 3. esc clears.")
        await driver.press("enter", "x", "X")
        await driver.sees("no entry here was added")


async def test_the_next_refused_one_is_looked_for_among_those_found_and_that_is_said() -> None:
    async with open_app(ScriptedService([])) as driver:
        await added(driver)
        await driver.press("/", *"luna", "enter", "n")
        await driver.sees("no entry among those found is refused or unknown")


async def test_what_is_found_alone_is_forgotten_and_a_list_s_find_is_offered_again() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("/", *"luna", "enter", "escape")
        await added(driver)
        await driver.press("/", "up", "enter", "X", "escape")
        assert names(driver) == ["Zoë", "Rex"]


async def test_a_find_goes_on_while_an_entry_is_looked_for() -> None:
    service = ScriptedService([])
    async with open_app(service) as driver:
        service.next("createPet", Response(500, b"", (("content-type", "text/html"),)))
        await driver.press("a", *"Tim", "tab", "3", "enter")
        await driver.until(lambda: {entry.state.value for entry in driver.entries} == {"unknown"})
        await driver.press("escape", "o")
        held = service.hold("listPets")
        driver.type("l", "/", *"tim", "enter")
        await driver.sees("1 of 1 entry · /tim")
        held.set()
        await driver.sees("is not among the newest 100")
