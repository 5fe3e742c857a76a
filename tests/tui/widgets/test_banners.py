"""The notices of what ends: whole once, then a line that a key puts away."""

from __future__ import annotations

from tests.tui.driving import (
    PRODUCTION,
    Case,
    case,
    on,
    open_app,
    resized,
    responds,
    sees,
    sees_no,
    table,
)
from tests.tui.scripted_service import Response, listing, pet, pets

WHOLE = "getPet is deprecated. It goes away on 5 December 2030"
BRIEF = "▲ getPet ends 5 December 2030 · F6"
ENDING = ("deprecation", "@1764892800"), ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT")


@table(
    case("the end of getPet is whole once in a session, and then one line", on(size=(80, 24)),
        "enter", sees("confirmed", WHOLE, "GET /pets with the status filter"),
        "r", sees("confirmed", WHOLE),
        "escape", "j", "enter", sees("confirmed", BRIEF), sees_no(WHOLE),
        "f6", sees(WHOLE, "GET /pets with the status filter")),
    case("another date is shown whole again", on(size=(80, 24)),
        "enter", sees("confirmed", WHOLE),
        responds("getPet", *[Response(body=pet(60), headers=ENDING)] * 2),
        "escape", "enter", sees("It goes away on 1 January 2027 (in 41 days)"),
        "escape", "enter", sees("▲ getPet ends 1 January 2027 · F6")),
)  # fmt: skip
async def test_notices(case: Case) -> None:
    await case.run()


async def test_on_a_short_screen_the_notice_is_always_one_line() -> None:
    async with open_app(size=(40, 12)) as driver:
        await driver.press("enter")
        await driver.sees("confirmed", BRIEF)
        await resized(driver, (80, 24))
        await driver.sees(WHOLE)
        await resized(driver, (40, 12))
        await driver.sees(BRIEF)
        assert sum("▲" in line for line in driver.lines) == 1


async def test_esc_puts_the_notices_of_the_list_away() -> None:
    service = listing(Response(body=pets(3), headers=ENDING))
    profile = PRODUCTION._replace(warnings=("The key travels in the clear.",))
    async with open_app(service, profile=profile) as driver:
        await driver.sees("▲ The key travels in the clear.", "▲ listPets is deprecated.")
        await driver.press("escape")
        await driver.sees_no("travels in the clear", "listPets is deprecated")
        await driver.press("r")
        await driver.until(lambda: len(service.requests) == 2)
        await driver.settled()
        assert "deprecated" not in driver.text
        service.always("listPets", Response(body=pets(3), headers=ENDING[:1]))
        await driver.press("r")
        await driver.sees("▲ listPets is deprecated.")
