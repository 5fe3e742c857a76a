"""The receipt: what was added in this session, with totals."""

from __future__ import annotations

import json

import pytest

from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, check_screen, ids_of, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, html, pet

SIZES = [(40, 12), *exhaustive((120, 30), (80, 24))]


def empty() -> ScriptedService:
    """Return the real service, with no animals."""
    return ScriptedService([])


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


@pytest.mark.parametrize("size", SIZES)
async def test_it_shows_what_was_added_with_totals_and_fits(size: tuple[int, int]) -> None:
    async with open_app(empty(), size=size) as driver:
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
    async with open_app(empty(), size=(80, 24)) as driver:
        await add_four(driver)
        await driver.press("R")
        assert words(driver, " All ") == "All 4 ◐ 1 pending ○ 1 sold – 2 not set"
        totals = [" ".join(line.split()) for line in driver.lines[-6:-2]]
        assert totals[1:] == ["1 Cats 1 ◐ 1 pending", "3 Dogs 2 – 2 not set", "99 1 ○ 1 sold"]


async def test_totals_without_room_are_counted_and_f6_shows_them_whole() -> None:
    async with open_app(empty(), size=(40, 12)) as driver:
        await add_four(driver)
        await driver.press("R")
        await driver.sees("… 3 more categories · F6")
        await driver.press("f6")
        await driver.sees("3 Dogs: 2 (2 not set)", "99: 1 (1 sold)")


async def test_before_anything_was_added_it_says_so_and_offers_nothing() -> None:
    async with open_app(empty()) as driver:
        await driver.press("R")
        await driver.sees("Nothing has been added in this session", "0 added this session")
        assert "Open" not in driver.lines[-1]
        await driver.press("enter", "y", "Y", "escape")
        await driver.sees("No animals yet")


async def test_only_what_was_added_counts() -> None:
    service = empty()
    service.next(
        "createPet", error(400, "invalid_value", "no"), html(500), Response(201, pet(9, "C"))
    )
    async with open_app(service) as driver:
        await driver.press("a", "A", "tab", "3", "enter", "B", "enter")
        await driver.press("C", "enter")
        await all_are_added(driver, 1)
        await driver.press("f4", "escape", "R")
        await driver.sees("1 added this session", "1 unknown")
        assert ids_of(driver.lines) == [9]


async def test_what_is_added_meanwhile_joins_and_the_cursor_stays_on_its_animal() -> None:
    service = empty()
    async with open_app(service) as driver:
        await add_four(driver)
        gate = service.hold("createPet")
        await driver.press("a", *"Late", "enter", "escape", "R", "j")
        assert driver.screen.target.name == "Mimi"
        gate.set()
        await driver.sees("5 added this session", "Late")
        assert driver.screen.target.name == "Mimi"


async def test_more_than_the_outbox_keeps_stand_on_it() -> None:
    """The outbox forgets all but its newest hundred."""
    async with open_app(empty()) as driver:
        outbox = driver.app.session.outbox
        for number in range(103):
            await outbox.add(f"Animal {number}", 3, None)
        await all_are_added(driver, 103)
        await driver.press("R", "G")
        await driver.sees("103 added this session", "Animal 0 ")


async def test_its_animals_are_what_the_service_answered_to_the_last_digit() -> None:
    service = empty()
    body = b'{"id":  7, "name":"Rex","categoryId":3.0, "price": 1.10, "status": "available"}'
    service.next("createPet", Response(201, body, (("content-type", "application/json"),)))
    async with open_app(service) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
        await all_are_added(driver, 1)
        await driver.press("R", "Y")
        assert driver.app.clipboard == body.decode()
        await driver.press("y")
        assert driver.app.clipboard == "7"
        assert "● 1" in words(driver, " All ")


async def test_an_animal_opens_from_it_and_the_cursor_follows_to_where_it_is_left() -> None:
    async with open_app(empty()) as driver:
        await add_four(driver)
        await driver.press("R", "enter")
        await driver.sees("confirmed")
        await driver.press("j", "j", "escape", "Y")
        assert json.loads(driver.app.clipboard)["name"] == "Luna"
