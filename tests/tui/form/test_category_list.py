"""The categories beside the form: filtered, offered and taken while one is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual import events

from tests.tui.driving import PRODUCTION, Driver, open_app
from tests.tui.scripted_service import ScriptedService

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
def service() -> ScriptedService:
    """It has no animals."""
    return ScriptedService([])


def added(driver: Driver) -> list[tuple[str, int]]:
    """Return names and categories of all entries, the oldest first."""
    return [(entry.name, entry.category_id) for entry in driver.entries]


@pytest.fixture
async def narrow(service: ScriptedService) -> AsyncIterator[Driver]:
    """A terminal without room for the categories beside the form."""
    async with open_app(service, size=(100, 30)) as driver:
        yield driver


def beside_the_form(driver: Driver) -> list[str]:
    """Return the categories beside the form, with the sign of the one that is meant."""
    place = driver.screen.query_one("CategoryList").region
    texts = [line[place.x : place.right].split() for line in driver.lines[place.y : place.bottom]]
    return [" ".join(text) for text in texts if text]


def under_category(driver: Driver) -> str:
    """Return the row under the field."""
    row = next(index for index, line in enumerate(driver.lines) if "Category" in line)
    return driver.lines[row + 1].strip("│ ")


async def test_a_category_is_typed_by_name_with_its_spaces(driver: Driver) -> None:
    await driver.press("a", *"Bim", "tab", *"small", "space", "p", "enter")
    assert added(driver) == [("Bim", 7)]


async def test_keys_of_one_packet_take_a_name_as_they_do_slowly(driver: Driver) -> None:
    await driver.press("a")
    driver.send(b"Bim\tdog\x1b[C\rBam\tca\rTim\r")
    await driver.settled()
    assert added(driver) == [("Bim", 3), ("Bam", 1), ("Tim", 1)]


async def test_number_and_name_are_both_shown_while_either_is_typed(narrow: Driver) -> None:
    driver = narrow
    await driver.press("a", "tab", "3")
    assert "Dogs" in driver.line_with("Category")
    await driver.press("backspace", *"dog")
    assert "3 Dogs" in driver.line_with("Category")
    await driver.press("backspace", "backspace", "backspace", "r")
    assert under_category(driver) == "→ 5 Rabbits · 6 Reptiles"


async def test_what_is_typed_filters_the_categories_beside_the_form(driver: Driver) -> None:
    await driver.press("a")
    assert beside_the_form(driver) == [
        *("1 Cats", "2 Birds", "3 Dogs", "4 Fish", "5 Rabbits", "6 Reptiles", "7 Small pets"),
        "8 Horses",
    ]
    await driver.press("tab", "r")
    assert beside_the_form(driver) == ["5 Rabbits", "6 Reptiles"]
    await driver.press("e")
    assert beside_the_form(driver) == ["▌ 6 Reptiles"]
    await driver.press("x")
    assert beside_the_form(driver) == ["no known category"]


async def test_a_long_number_takes_no_room_from_the_names(driver: Driver) -> None:
    await driver.press("a", *"Bim", "tab", *"9007199254740993", "enter")
    await driver.press("f10", "tab")
    assert "▌ 90071…" in beside_the_form(driver)
    assert "│        7  Small pets " in driver.text


async def test_a_click_takes_a_category(driver: Driver) -> None:
    await driver.press("a", *"Bim")
    await driver.pilot.click("CategoryList", offset=(5, 3))
    await driver.press("enter")
    assert added(driver) == [("Bim", 4)]


async def test_the_arrows_take_a_category_and_go_back_to_what_was_typed(driver: Driver) -> None:
    await driver.press("a", *"Bim", "tab", "r", "down", "down")
    assert driver.screen.form.draft.category == "6"
    assert beside_the_form(driver) == ["5 Rabbits", "▌ 6 Reptiles"]
    await driver.press("up", "up")
    assert driver.screen.form.draft.category == "r"
    await driver.press("down", "enter")
    assert added(driver) == [("Bim", 5)]


async def test_the_arrow_leaves_an_empty_category_empty(driver: Driver) -> None:
    await driver.press("a", *"Bim", "down", "down", "p")
    assert (driver.screen.form.draft.category, driver.screen.form.draft.status) == ("", "pending")


@pytest.mark.parametrize("typed", ["3", "dogs"])
async def test_the_arrows_change_no_category_that_is_complete(narrow: Driver, typed: str) -> None:
    await narrow.press("a", *"Bim", "tab", *typed, "down", "space", "enter")
    assert [(each.category_id, each.status) for each in narrow.entries] == [(3, "available")]


async def test_the_last_used_categories_are_offered_first(narrow: Driver) -> None:
    driver = narrow
    await driver.press("a", *"A", "tab", "6", "enter", *"B", "tab", *"99", "enter")
    await driver.press("f10")
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


async def test_an_add_leaves_the_number_of_what_was_typed_by_name(narrow: Driver) -> None:
    driver = narrow
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


@pytest.mark.parametrize(
    ("keys", "category"),
    [
        (["2", "1"], 21),
        (["right", "2"], 52),
        (["backspace", "2"], 2),
        (["tab", "shift+tab", "2"], 2),
    ],
    ids=str,
)
async def test_a_kept_category_is_replaced_by_typing_and_edited_by_moving_in_it(
    driver: Driver, keys: list[str], category: int
) -> None:
    await driver.press("a", *"Bim", "tab", "5", "enter", *"Bam", "tab", *keys, "enter")
    await driver.press("f10")
    assert added(driver) == [("Bim", 5), ("Bam", category)]


@pytest.mark.parametrize(
    ("keys", "category"),
    [(["2"], 2), ([*"ca"], 1), (["right", "2"], 12), (["shift+tab", "tab", "2"], 2)],
    ids=str,
)
async def test_the_category_of_what_f8_took_back_is_replaced_by_typing(
    service: ScriptedService, keys: list[str], category: int
) -> None:
    async with open_app(service, delay=3600) as driver:
        await driver.press("a", *"Molly", "tab", "1", "enter", "f8", "space", "1", "tab")
        assert under_category(driver).startswith("type to replace, → to edit")
        await driver.press(*keys, "enter")
        await driver.press("f10")
        assert added(driver) == [("Molly 1", category)]


async def test_the_category_of_what_f3_brought_back_is_gone_on_with(
    service: ScriptedService,
) -> None:
    async with open_app(service, delay=3600) as driver:
        await driver.press("a", *"Molly", "tab", "1", "enter", "f8", "escape", "a", "f3")
        await driver.press("tab", "2", "enter")
        await driver.press("f10")
        assert added(driver) == [("Molly", 12)]


async def test_an_unknown_category_is_asked_about_once_in_a_session(driver: Driver) -> None:
    await driver.press("a", *"Bim", "tab", *"99", "f10", "enter")
    assert under_category(driver) == "▲ F10 adds it anyway: 99 is not a known category"
    assert added(driver) == []
    await driver.press("f10", *"Bam", "enter")
    assert added(driver) == [("Bim", 99), ("Bam", 99)]
    await driver.press(*"Tim", "tab", *"98", "enter")
    await driver.press("f10")
    assert added(driver)[2:] == [("Tim", 98)]


async def test_what_is_typed_behind_that_question_is_another_category(driver: Driver) -> None:
    await driver.press("a", *"Bim", "tab", *"33", "up", "enter", "3", "enter")
    assert added(driver) == [("Bim", 3)]


async def test_where_no_category_has_a_name_none_is_unknown(service: ScriptedService) -> None:
    async with open_app(service, profile=PRODUCTION._replace(categories={})) as driver:
        await driver.press("a", *"Bim", "tab", *"99", "enter")
        assert added(driver) == [("Bim", 99)]


async def test_the_list_beside_the_form_keeps_the_profiles_order_and_down_follows_it(
    driver: Driver,
) -> None:
    await driver.press("a", *"A", "tab", "6", "enter", *"B", "tab", "r")
    assert beside_the_form(driver) == ["5 Rabbits", "6 Reptiles"]
    await driver.press("down", "enter")
    assert added(driver)[1:] == [("B", 5)]


async def test_down_follows_what_stands_under_the_field_where_no_list_does(narrow: Driver) -> None:
    await narrow.press("a", *"A", "tab", "6", "enter", *"B", "tab", "r")
    assert under_category(narrow) == "→ 6 Reptiles · 5 Rabbits"
    await narrow.press("down", "enter")
    assert added(narrow)[1:] == [("B", 6)]


@pytest.mark.parametrize("size", [(120, 30), (100, 30), (80, 24)])
async def test_kept_stands_beside_its_field(size: tuple[int, int]) -> None:
    async with open_app(ScriptedService([]), size=size) as driver:
        await driver.press("a", *"A", "tab", "6", "enter")
        field = driver.screen.form.category_input.region
        assert driver.lines[field.y][field.right :].split()[0] == "kept"
        assert driver.lines[field.y].index("kept") == field.right + 1


async def test_another_window_and_back_selects_nothing_anew(driver: Driver) -> None:
    await driver.press("a", *"Bim", "tab", "5", "enter", *"Bam", "tab", "right")
    driver.post(events.AppBlur())
    driver.post(events.AppFocus())
    await driver.settled()
    await driver.press("2")
    assert driver.screen.form.draft.category == "52"
