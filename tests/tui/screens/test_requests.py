"""The requests and what came back: listed, found, shown whole, and copied without the key."""

from __future__ import annotations

import asyncio

import pytest

from pettui.client import PetClient
from pettui.settings.settings import Limits
from tests.tui.driving import PRODUCTION, Driver, check_screen, open_app
from tests.tui.scripted_service import KEY, ScriptedService, error


@pytest.mark.parametrize("size", [(120, 30), (80, 24), (40, 12)])
async def test_requests_are_listed_and_shown_without_the_key(size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await driver.press("f3")
        await driver.sees("Requests", "200")
        check_screen(driver, "the requests")
        await driver.press("enter")
        await driver.sees("GET 200", "http://store.example/v1/pets")
        text = " ".join(run for line in check_screen(driver, "a request") for run in line.split())
        assert KEY not in text
        await driver.press("escape", "escape")
        await driver.sees("1 All") if size[1] > 12 else await driver.sees_no("Requests")


async def test_a_request_is_copied_as_curl(driver: Driver) -> None:
    await driver.press("f3", "y")
    await driver.sees("copied as curl, if this terminal allows it")
    assert "$PETTUI_API_KEY" in driver.app.clipboard
    assert "http://store.example/v1/pets?limit=20" in driver.app.clipboard
    assert KEY not in driver.app.clipboard


async def test_a_request_as_curl_names_the_profiles_own_variable() -> None:
    async with open_app(profile=PRODUCTION._replace(key_variable="SHOP_KEY")) as driver:
        await driver.press("f3", "y")
        await driver.sees("copied as curl")
        assert '"$SHOP_KEY"' in driver.app.clipboard


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


async def test_find_narrows_the_requests_to_those_that_contain_the_words(driver: Driver) -> None:
    driver.service.next("listPets", error(404, "not_found", "Nobody is here"))
    await driver.press("r")
    await driver.sees("Nobody is here")
    await driver.press("f3", "/", *"nobody", "enter")
    await driver.sees("Requests: 1 of 2", "404")
    await driver.press("enter")
    await driver.sees("GET 404", '"message": "Nobody is here"')
    await driver.press("escape", "escape")
    await driver.sees("200")
    await driver.press("escape")
    await driver.sees_no("Requests")


async def test_json_is_indented_and_headers_stand_in_columns(driver: Driver) -> None:
    await driver.press("f3", "enter")
    await driver.sees("200 OK", "Sent", "Received", "Body", '    "id": 60,')
    lines = [driver.line_with(name) for name in ("Accept ", "User-Agent")]
    assert (
        len(
            {
                line.index(value)
                for line, value in zip(lines, ("application/json", "pettui"), strict=True)
            }
        )
        == 1
    )


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
