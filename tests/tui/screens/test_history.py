"""What was done: the receipt of this session, and what happened."""

from __future__ import annotations

import json
import socket
from datetime import timedelta
from typing import TYPE_CHECKING

from pettui.client import PetClient
from tests.tui.driving import (
    KEY,
    QUICK_LIMITS,
    Case,
    Driver,
    case,
    check_screen,
    fits,
    ids_of,
    on,
    open_app,
    responds,
    sees,
    sees_no,
    table,
)  # fmt: skip
from tests.tui.scripted_service import UNAUTHORIZED, Response, ScriptedService, error, pet

if TYPE_CHECKING:
    from tests.tui.driving import Step

# The receipt


async def add_four(driver: Driver) -> None:
    """Add four animals from the list, and go back there."""
    keys = ["a", *"Rex", "tab", "3", "enter", *"Luna", "enter", *"Mimi", "tab", "1", "tab", "p"]
    await driver.press(*keys, "enter", *"Tiny", "tab", *"99", "tab", "s", "enter")
    await driver.press("f10", "escape")
    await driver.until(lambda: driver.app.session.receipt.count == 4)
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
        check_screen(driver, "the receipt")
        await driver.press("escape")
        await driver.sees("1 All")


async def test_each_category_has_its_name_its_count_and_its_statuses() -> None:
    async with open_app(ScriptedService([]), size=(80, 24)) as driver:
        await add_four(driver)
        await driver.press("R")
        totals = [line.split() for line in driver.lines[-7:-2]]
        assert totals == [
            ["◐", "pending", "○", "sold", "–", "not", "set"],
            ["All", "4", "1", "1", "2"],
            ["1", "Cats", "1", "1", "╍" * 12],
            ["3", "Dogs", "2", "2", "┄" * 24],
            ["99", "1", "1", "─" * 12],
        ]


async def test_numbers_stand_under_the_head_of_their_status() -> None:
    async with open_app(ScriptedService([]), size=(120, 30)) as driver:
        await add_four(driver)
        await driver.press("R")
        head, row = driver.line_with("pending  ○ sold"), driver.line_with(" All ")
        ends = [head.rindex(title) + len(title) for title in ("◐ pending", "○ sold", "– not set")]
        assert [row[end - 1] for end in ends] == ["1", "1", "2"]


async def test_its_animals_are_what_the_service_answered_to_the_last_digit(driver: Driver) -> None:
    body = b'{"id":  7, "name":"Rex","categoryId":3.0, "price": 1.10, "status": "available"}'
    driver.service.next("createPet", Response(201, body, (("content-type", "application/json"),)))
    await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
    await driver.until(lambda: driver.app.session.receipt.count)
    await driver.press("R", "Y")
    assert driver.app.clipboard == body.decode()
    await driver.press("y")
    assert driver.app.clipboard == "7"
    assert words(driver, "▏ All ").endswith("All 1 1")


async def test_an_animal_opens_and_the_cursor_follows_to_where_it_is_left(driver: Driver) -> None:
    await add_four(driver)
    await driver.press("R", "enter")
    await driver.sees("confirmed")
    await driver.press("j", "j", "escape", "Y")
    assert json.loads(driver.app.clipboard)["name"] == "Luna"


# Errors and notices


FIRST, SECOND = (error(500, code, f"The cause is {code}") for code in ("first", "second"))
HOSTILE = Response(body=[pet(7, "R\x1b[31m\u202ex")], headers=(("X-Odd", "a\x1b]0;b"),))


def stand_in_order(first: str, second: str) -> Step:
    async def check(driver: Driver) -> None:
        assert driver.words.index(first) < driver.words.index(second)

    return check


async def a_minute_later(driver: Driver) -> None:
    driver.clock.time += timedelta(minutes=1)


@table(
    case("before anything happened it says so", on(),
        "f12", sees("No error and no notice so far.")),
    case("errors are listed with their times, the newest first", on(),
        responds("listPets", FIRST, SECOND),
        "r", sees("500 first"), a_minute_later, "r", sees("500 second"),
        "f12", stand_in_order("12:02:03 · 500 second", "12:01:03 · 500 first")),
    case("the same error again is counted", on(), responds("listPets", FIRST, FIRST),
        "r", sees("500 first"), "escape", sees_no("500 first"), "r", sees("500 first"),
        "exclamation_mark", sees("500 first (2 times)")),
    case("a notice and a refused animal are among them", on(),
        responds("createPet", error(400, "invalid_value", "No such category")),
        "enter", sees("getPet is deprecated"),
        "escape", "a", *"Rex", "tab", "3", "enter", sees("No such category"),
        "f12", sees("Refused: Rex", "No such category", "getPet is deprecated")),
    case("its key leads from there to the requests", on(),
        "f12", "f3", sees("Requests"), sees_no("What happened")),
    case("what the service sent is safe to draw", on(),
        responds("listPets", HOSTILE), "r", "f3", "enter", sees("GET 200"), fits),
)  # fmt: skip
async def test_what_happened(case: Case) -> None:
    await case.run()


async def test_what_adds_wait_for_comes_into_the_open_box(driver: Driver) -> None:
    gate = driver.service.hold("createPet")
    driver.service.always("createPet", UNAUTHORIZED)
    await driver.press("a", *"Rex", "tab", "3", "enter", "f12")
    await driver.sees("No error and no notice so far.")
    gate.set()
    await driver.sees("Adds wait", "401 unauthorized")


async def test_that_no_service_responds_to_adds_is_there_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        nobody = PetClient(address, KEY, limits=QUICK_LIMITS)
        async with open_app(ScriptedService([]), client=nobody) as driver:
            await driver.press("a", *"Rex", "tab", "3", "enter")
            await driver.sees("waiting, F5 tries now: ")
            await driver.press(*"Mimi", "enter", "f12")
            await driver.sees("Adds wait", "connection refused")
            waits = [each for each in driver.app.session.history if each.title == "Adds wait"]
            assert [each.times for each in waits] == [1]
