"""What was done: the receipt of this session, and what happened."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tests.tui.driving import (
    Case,
    Driver,
    case,
    fits,
    has_copied,
    on,
    open_app,
    responds,
    sees,
    sees_no,
    table,
)  # fmt: skip
from tests.tui.form.steps import on_empty, outbox_has
from tests.tui.scripted_service import UNAUTHORIZED, Response, ScriptedService, error, pet

if TYPE_CHECKING:
    from tests.tui.driving import Step

REX = ("a", *"Rex", "tab", "3", "enter")

# The receipt


async def add_four(driver: Driver) -> None:
    """Add four animals from the list, and go back there."""
    keys = ["a", *"Rex", "tab", "3", "enter", *"Luna", "enter", *"Mimi", "tab", "1", "tab", "p"]
    await driver.press(*keys, "enter", *"Tiny", "tab", *"99", "tab", "s", "enter")
    await driver.press("f10", "escape")
    await driver.until(lambda: driver.app.session.receipt.count == 4)
    await driver.settled()


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


EXACT = b'{"id":  7, "name":"Rex","categoryId":3.0, "price": 1.10, "status": "available"}'
JSON = (("content-type", "application/json"),)


@table(
    case("it shows what was added, and fits", on_empty(size=(40, 12)), add_four, "R",
        sees("Tiny", "Rex", "4 added"), fits, "escape", sees("1 All")),
    case("its animals are what the service answered, to the last digit", on_empty(),
        responds("createPet", Response(201, EXACT, JSON)), *REX, "escape",
        outbox_has("Rex 3 added"), "R", "Y", has_copied(EXACT.decode()), "y", has_copied("7")),
    case("an animal opens, and the cursor follows to where it is left", on_empty(), add_four,
        "R", "enter", sees("confirmed"), "j", "j", "escape", "Y", has_copied('"name":"Luna"')),
)  # fmt: skip
async def test_the_receipt(case: Case) -> None:
    await case.run()


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
        "escape", *REX, sees("No such category"),
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
    await driver.press(*REX, "f12")
    await driver.sees("No error and no notice so far.")
    gate.set()
    await driver.sees("Adds wait", "401 unauthorized")
