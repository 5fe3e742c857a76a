"""What happened: the errors and notices of this session."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tests.tui.driving import (
    Case,
    Driver,
    case,
    fits,
    on,
    responds,
    sees,
    sees_no,
    table,
)  # fmt: skip
from tests.tui.scripted_service import UNAUTHORIZED, Response, error, pet

if TYPE_CHECKING:
    from tests.tui.driving import Step

REX = ("a", *"Rex", "tab", "3", "enter")

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
