"""The requests and what came back: listed, found, shown whole, and copied without the key."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from pettui.client import PetClient
from pettui.settings.settings import Limits
from tests.exhaustive import first
from tests.tui.driving import (
    PRODUCTION,
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
from tests.tui.scripted_service import KEY, UNAUTHORIZED, Response, ScriptedService, error, pet

if TYPE_CHECKING:
    from tests.tui.driving import Step


@table(
    *first(*(
        case(f"requests are listed and shown at {size}", on(size=size),
            "f3", sees("Requests", "200"), fits,
            "enter", sees("GET 200", "http://store.example/v1/pets"), fits, sees_no(KEY),
            "escape", "escape", sees_no("Requests"))
        for size in ((40, 12), (120, 30), (80, 24))
    )),
    case("a request is copied as curl, without the key", on(),
        "f3", "y", sees("copied as curl, if this terminal allows it"),
        has_copied("$PETTUI_API_KEY", "http://store.example/v1/pets?limit=20")),
    case("a request as curl names the profile's own variable",
        on(profile=PRODUCTION._replace(key_variable="SHOP_KEY")),
        "f3", "y", sees("copied as curl"), has_copied('"$SHOP_KEY"')),
    case("a find narrows the requests to those that contain the words", on(),
        responds("listPets", error(404, "not_found", "Nobody is here")),
        "r", sees("Nobody is here"),
        "f3", "/", *"nobody", "enter", sees("Requests: 1 of 2", "404"),
        "enter", sees("GET 404", '"message": "Nobody is here"'),
        "escape", "escape", sees("200"), "escape", sees_no("Requests")),
    case("JSON is indented", on(),
        "f3", "enter", sees("200 OK", "Sent", "Received", "Body", '    "id": 60,')),
)  # fmt: skip
async def test_the_requests(case: Case) -> None:
    await case.run()


async def test_requests_that_follow_are_shown_and_the_cursor_stays(driver: Driver) -> None:
    await driver.press("r")
    await driver.until(lambda: len(driver.client.log.newest_first) == 2)
    await driver.press("f3", "down")
    highlighted = driver.screen.list.highlighted
    await driver.client.get_pet(60)
    await driver.sees("/pets/60")
    assert driver.screen.list.highlighted is highlighted


async def test_the_columns_of_the_requests_have_heads(driver: Driver) -> None:
    await driver.press("f3")
    await driver.sees("Requests", "200")
    head, row = driver.line_with("Method"), driver.line_with("/pets?limit")
    assert [head.index("Method"), head.index("Address")] == [row.index("GET"), row.index("/pets")]
    assert head.index("Status") + len("Status") == row.index("200") + len("200")


async def test_statuses_that_mean_something_else_look_different(driver: Driver) -> None:
    driver.service.next("listPets", error(404, "not_found", "x"), error(500, "bug", "x"))
    await driver.press("r", "r")
    await driver.until(lambda: len(driver.client.log.newest_first) == 3)
    await driver.press("f3", "G")
    await driver.sees("404", "500")
    table = driver.screen.list
    rows = [table.runs_of(each, " ", 100) for each in table.rows[:2]]
    assert len({style for row in rows for text, style in row if text in ("404", "500")}) == 2


async def test_headers_stand_in_columns(driver: Driver) -> None:
    await driver.press("f3", "enter")
    await driver.sees("Received")
    accept, agent = (driver.line_with(name) for name in ("Accept ", "User-Agent"))
    assert accept.index("application/json") == agent.index("pettui")


@pytest.mark.parametrize("key", ["f3", "f3 enter"])
async def test_the_requests_cover_what_is_behind_them_whole(driver: Driver, key: str) -> None:
    await driver.press(*key.split())
    await driver.sees("200")
    assert all(line[0] in "╭│╰" and line.rstrip()[-1] in "╮│╯" for line in driver.lines)


async def test_a_response_that_was_cut_off_is_no_good_one(service: ScriptedService) -> None:
    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(cut, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        client = PetClient(f"http://127.0.0.1:{port}/v1", KEY, limits=Limits(tries=0))
        async with open_app(service, client=client) as driver:
            await driver.press("f3")
            await driver.sees(" cut ")
            assert "200" not in driver.line_with("/pets?limit")
            await driver.press("enter")
            await driver.sees("200 OK, cut off", "closed in the middle of the response")


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
