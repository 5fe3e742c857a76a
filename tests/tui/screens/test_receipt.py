"""The receipt: what was added in this session, with totals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.tui.driving import Driver, check_screen, ids_of, open_app
from tests.tui.scripted_service import Response, ScriptedService

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def driver() -> AsyncIterator[Driver]:
    """The app on a service without animals."""
    async with open_app(ScriptedService([])) as driver:
        yield driver


async def add_four(driver: Driver) -> None:
    """Add four animals from the list, and go back there."""
    keys = ["a", *"Rex", "tab", "3", "enter", *"Luna", "enter", *"Mimi", "tab", "1", "tab", "p"]
    await driver.press(*keys, "enter", *"Tiny", "tab", *"99", "tab", "s", "enter", "escape")
    await all_are_added(driver, 4)


async def all_are_added(driver: Driver, count: int) -> None:
    await driver.until(lambda: driver.app.session.added == count)
    await driver.settled()


def words(driver: Driver, text: str) -> str:
    """Return the row that holds a text with single spaces."""
    return " ".join(driver.line_with(text).split())


async def test_it_shows_what_was_added_with_totals_and_fits() -> None:
    async with open_app(ScriptedService([]), size=(40, 12)) as driver:
        await add_four(driver)
        await driver.press("R")
        await driver.sees("Tiny", "Rex", "4 added")
        assert ids_of(driver.lines) == [4, 3, 2, 1]
        assert "◐ 1" in words(driver, " All ")
        assert "– 2" in words(driver, " All ")
        check_screen(driver, "the receipt")
        await driver.press("escape")
        await driver.sees("1 All")


async def test_each_category_has_its_name_its_count_and_its_statuses() -> None:
    async with open_app(ScriptedService([]), size=(80, 24)) as driver:
        await add_four(driver)
        await driver.press("R")
        assert words(driver, " All ") == "All 4 ◐ 1 pending ○ 1 sold – 2 not set"
        totals = [" ".join(line.split()) for line in driver.lines[-6:-2]]
        assert totals[1:] == ["1 Cats 1 ◐ 1 pending", "3 Dogs 2 – 2 not set", "99 1 ○ 1 sold"]


async def test_before_anything_was_added_it_says_so_and_offers_nothing(driver: Driver) -> None:
    await driver.press("R")
    await driver.sees("Nothing has been added in this session", "0 added this session")
    assert "Open" not in driver.lines[-1]
    await driver.press("enter", "y", "Y", "escape")
    await driver.sees("No animals yet")


async def test_what_is_added_meanwhile_joins_and_the_cursor_stays_on_its_animal(
    driver: Driver,
) -> None:
    await add_four(driver)
    gate = driver.service.hold("createPet")
    await driver.press("a", *"Late", "enter", "escape", "R", "j")
    assert driver.screen.target.name == "Mimi"
    gate.set()
    await driver.sees("5 added this session", "Late")
    assert driver.screen.target.name == "Mimi"


async def test_its_animals_are_what_the_service_answered_to_the_last_digit(driver: Driver) -> None:
    body = b'{"id":  7, "name":"Rex","categoryId":3.0, "price": 1.10, "status": "available"}'
    driver.service.next("createPet", Response(201, body, (("content-type", "application/json"),)))
    await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
    await all_are_added(driver, 1)
    await driver.press("R", "Y")
    assert driver.app.clipboard == body.decode()
    await driver.press("y")
    assert driver.app.clipboard == "7"
    assert "● 1" in words(driver, " All ")


async def test_an_animal_opens_from_it_and_the_cursor_follows_to_where_it_is_left(
    driver: Driver,
) -> None:
    await add_four(driver)
    await driver.press("R", "enter")
    await driver.sees("confirmed")
    await driver.press("j", "j", "escape", "Y")
    assert json.loads(driver.app.clipboard)["name"] == "Luna"
