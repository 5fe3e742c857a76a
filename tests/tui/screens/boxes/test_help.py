"""F1: the keys in groups, and a find among them."""

from __future__ import annotations

import pytest

from pettui import actions
from pettui.actions import HELP_GROUPS
from tests.tui.driving import Driver, check_screen, open_app


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


def test_all_of_the_list_s_other_keys_are_in_a_group() -> None:
    own = {each.name for each in actions.PET_LIST if not each.group}
    others = {"outbox", "import_file", "profiles", "receipt"}
    assert own == {"add", "open", "take_back"} | others


@pytest.mark.parametrize("size", [(120, 30), (80, 24), (40, 12)], ids=str)
async def test_a_find_narrows_the_keys_and_esc_ends_it_first(size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await driver.press("f1", "/", *"sort")
        check_screen(driver, "help")
        assert {"s Sort", "z Sort by a column"} <= {*keys_shown(driver)}
        assert "# Go to an id" not in keys_shown(driver)
        await driver.press("enter", "j", "escape")
        assert "a Add" in keys_shown(driver)
        await driver.press("escape")
        await driver.sees("1 All")


async def test_a_group_is_found_by_its_title_and_nothing_is_said() -> None:
    async with open_app() as driver:
        await driver.press("?", "/", *"taking")
        assert "V Only the marked ones" in keys_shown(driver)
        await driver.press(*"xyz")
        await driver.sees("no key matches")
        await driver.press("escape", "q")
        await driver.sees("1 All")
