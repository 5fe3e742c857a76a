"""A category that was kept after an add is replaced by what is typed, and nothing else is."""

from __future__ import annotations

import pytest

from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import ScriptedService

ADDED = ("a", *"Bim", "tab", "5", "enter", *"Bam", "tab")  # and then the cursor is in Category


def categories(driver: Driver) -> list[int]:
    """Return the categories of all entries, the oldest first."""
    return [entry.category_id for entry in driver.entries]


@pytest.mark.parametrize(
    ("keys", "category"),
    [
        (["2", "1"], 21),
        ([], 5),
        (["right", "2"], 52),
        (["backspace", "2"], 2),
        (["tab", "shift+tab", "2"], 2),
    ],
    ids=str,
)
async def test_a_kept_category_is_replaced_by_typing_and_edited_by_moving_in_it(
    keys: list[str], category: int
) -> None:
    """Another category costs Tab, its digits and Enter."""
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press(*ADDED, *keys, "enter")
        assert categories(driver) == [5, category]


async def test_it_is_said_what_was_kept_until_it_is_another() -> None:
    """Of the category and of the status, each for itself."""
    async with open_app(ScriptedService([]), delay=3600, size=(80, 24)) as driver:
        await driver.press("a", *"Bim", "tab", "3", "tab", "s")
        assert "kept" not in driver.text
        await driver.press("enter")
        assert "Dogs" in driver.line_with("Category")
        assert "kept" in driver.line_with("Category")
        assert "kept" in driver.line_with("Status")
        await driver.press(*"Bam", "tab", "7")
        assert "kept" not in driver.line_with("Category")
        assert "kept" in driver.line_with("Status")
        await driver.press("tab", "p")
        assert "kept" not in driver.text


async def test_a_category_that_an_add_left_is_replaced_also_when_the_form_was_closed() -> None:
    """Nothing was typed since: it is no draft."""
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", *"Bim", "tab", "5", "enter", "escape")
        await driver.press("a", *"Bam", "tab", "2", "enter")
        assert categories(driver) == [5, 2]


async def test_a_draft_that_came_back_is_continued() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", "tab", "1", "escape", "a", *"B", "tab", "2", "enter")
        assert categories(driver) == [12]
