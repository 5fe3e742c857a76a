"""The keys of a screen, by F1: in groups, found by words, and those that do something now."""

from __future__ import annotations

import pytest

from pettui.keyboard.actions import HELP_GROUPS, OWN
from tests.exhaustive import exhaustive
from tests.tui.driving import (
    Case,
    Driver,
    case,
    fits,
    on,
    open_app,
    responds,
    sees,
    sees_no,
    table,
)
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


@table(
    case("where there is room all groups are seen at once in columns", on(size=(120, 30)), "f1",
         sees("On this screen", *GROUPS), fits, "/", *"outbox", sees_no("Everywhere"),
         sees("o Outbox")),
    case("a key behind the Enter of a find is not typed into it", on(), "f1", "/", *"sort",
         "enter", "G", sees("sort"), sees_no("sortG")),
    case("a find narrows the keys, and Esc ends it first", on(size=(40, 12)), "f1", "/", *"sort",
         fits, sees("s Sort", "z Sort by a column"), sees_no("Go to an id"),
         "enter", "j", "escape", sees("a Add"), "escape", sees("1 All")),
    case("a group is found by its title, and nothing is said", on(), "?", "/", *"taking",
         sees("V Only the marked ones"), *"xyz", sees("no key matches"),
         "escape", "q", sees("1 All")),
    case("no key that does nothing now is offered", on(), "f1", sees_no("Full text"),
         responds("listPets", html(401)), "escape", "r", sees("401 from the service"),  # F6 is for
         "f1", sees("F6", "Full text", "F7", "Change API key")),  # what is cut
)  # fmt: skip
async def test_the_keys(case: Case) -> None:
    await case.run()


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
