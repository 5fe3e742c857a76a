"""The requests and what came back: listed, found, shown whole, and copied without the key."""

from __future__ import annotations

import asyncio

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
from tests.tui.scripted_service import KEY, ScriptedService, error


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
