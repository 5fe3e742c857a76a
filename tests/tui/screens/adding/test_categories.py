"""A category is typed by number or by name; one that was kept is replaced by typing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import ScriptedService

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ADDED = ("a", *"Bim", "tab", "5", "enter", *"Bam", "tab")  # and then the cursor is in Category


@pytest.fixture
async def driver() -> AsyncIterator[Driver]:
    """The app; what is added waits for an hour."""
    async with open_app(ScriptedService([]), delay=3600) as driver:
        yield driver


def added(driver: Driver) -> list[tuple[str, int]]:
    """Return names and categories of all entries, the oldest first."""
    return [(entry.name, entry.category_id) for entry in driver.entries]


def under_category(driver: Driver) -> str:
    """Return the row under the field."""
    row = next(index for index, line in enumerate(driver.lines) if "Category" in line)
    return driver.lines[row + 1].strip("│ ")


@pytest.mark.parametrize(
    ("typed", "category"),
    [
        ((*"ra", "right"), 5),
        (("right",), 1),
        ((*"small", "space", "p"), 7),
    ],
    ids=str,
)
async def test_a_category_is_added_by_number_or_by_name(
    driver: Driver, typed: tuple[str, ...], category: int
) -> None:
    await driver.press("a", *"Bim", "tab", *typed, "enter")
    assert added(driver) == [("Bim", category)]


async def test_keys_of_one_packet_take_a_name_as_they_do_slowly(driver: Driver) -> None:
    await driver.press("a")
    driver.send(b"Bim\tdog\x1b[C\rBam\tca\rTim\r")
    await driver.settled()
    assert added(driver) == [("Bim", 3), ("Bam", 1), ("Tim", 1)]


async def test_number_and_name_are_both_shown_while_either_is_typed() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", "tab", "3")
        assert "Dogs" in driver.line_with("Category")
        await driver.press("backspace", *"dog")
        assert "3 Dogs" in driver.line_with("Category")
        await driver.press("backspace", "backspace", "backspace", "r")
        assert under_category(driver) == "→ 5 Rabbits · 6 Reptiles"


async def test_the_last_used_categories_are_offered_first(driver: Driver) -> None:
    await driver.press("a", *"A", "tab", "6", "enter", *"B", "tab", *"99", "enter")
    await driver.press("f4", "tab")
    assert under_category(driver).startswith("→ 99 · 6 Reptiles · 1 Cats · 2 Birds")
    await driver.press("r")
    assert under_category(driver) == "→ 6 Reptiles · 5 Rabbits"
    await driver.press("right")
    assert driver.screen.form.draft.category == "Reptiles"
    assert under_category(driver) == ""


async def test_a_name_that_fits_several_is_no_fault_until_enter(driver: Driver) -> None:
    await driver.press("a", *"Bim", "tab", "r")
    assert "✖" not in driver.text
    await driver.press("enter")
    assert under_category(driver) == "✖ fits 5 Rabbits, 6 Reptiles"
    assert added(driver) == []
    await driver.press("e", "enter")
    assert added(driver) == [("Bim", 6)]


async def test_an_add_leaves_the_number_of_what_was_typed_by_name(driver: Driver) -> None:
    await driver.press("a", *"Bim", "tab", *"dog", "enter")
    line = driver.line_with("Category")
    assert driver.screen.form.draft.category == "3"
    assert "Dogs" in line
    assert "kept" in line
    await driver.press("escape", "a", *"Bam", "tab", "2", "enter")
    assert added(driver) == [("Bim", 3), ("Bam", 2)]


async def test_it_is_said_what_kept_means(driver: Driver) -> None:
    await driver.press("a", *"Bim", "tab", "3", "tab", "s", "enter", *"Bam", "tab")
    assert under_category(driver).startswith("kept: type to replace, → to edit · 1 Cats")
    await driver.press("right")
    assert driver.screen.form.draft.category == "3"
    await driver.press("tab")
    assert "kept from the previous animal" in driver.text
    await driver.press("left")
    assert "kept from the previous animal" not in driver.text
    assert "← → or its first letter" in driver.text


@pytest.mark.parametrize("size", [(40, 12), *exhaustive((120, 30), (80, 24))], ids=str)
async def test_what_may_be_typed_stands_in_the_empty_fields(size: tuple[int, int]) -> None:
    async with open_app(ScriptedService([]), size=size) as driver:
        await driver.press("a")
        assert "a name, or paste several" in driver.line_with("Name")
        assert "number or" in driver.line_with("Category")
        await driver.press(*"Rex", "tab", "d")
        assert "a name, or" not in driver.text
        assert "number or" not in driver.text
        assert "Dogs" in driver.line_with("Category")
        assert all(len(line) == size[0] for line in driver.lines)


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
    driver: Driver, keys: list[str], category: int
) -> None:
    await driver.press(*ADDED, *keys, "enter")
    assert categories(driver) == [5, category]


async def test_a_draft_that_came_back_is_continued(driver: Driver) -> None:
    await driver.press("a", "tab", "1", "escape", "a", *"B", "tab", "2", "enter")
    assert categories(driver) == [12]
