"""What was done: the receipt of this session, what happened, and the requests."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta

import pytest

from pettui.client import PetClient
from pettui.settings.settings import Limits
from tests.tui.driving import PRODUCTION, Driver, check_screen, ids_of, open_app
from tests.tui.scripted_service import KEY, Response, ScriptedService, error, pet

# The receipt


async def add_four(driver: Driver) -> None:
    """Add four animals from the list, and go back there."""
    keys = ["a", *"Rex", "tab", "3", "enter", *"Luna", "enter", *"Mimi", "tab", "1", "tab", "p"]
    await driver.press(*keys, "enter", *"Tiny", "tab", *"99", "tab", "s", "enter", "escape")
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
            ["1", "Cats", "1", "1", "━" * 12],
            ["3", "Dogs", "2", "2", "━" * 24],
            ["99", "1", "1", "━" * 12],
        ]


async def test_numbers_stand_under_the_head_of_their_status() -> None:
    async with open_app(ScriptedService([]), size=(120, 30)) as driver:
        await add_four(driver)
        await driver.press("R")
        head, row = driver.line_with("pending  ○ sold"), driver.line_with(" All ")
        ends = [head.rindex(title) + len(title) for title in ("◐ pending", "○ sold", "– not set")]
        assert [row[end - 1] for end in ends] == ["1", "1", "2"]


async def test_before_anything_was_added_it_says_so_and_offers_nothing(driver: Driver) -> None:
    await driver.press("R")
    await driver.sees("Nothing has been added in this session", "0 added this session")
    assert "Open" not in driver.lines[-1]
    await driver.press("enter", "y", "Y", "escape")
    await driver.sees("1 All")


async def test_what_is_added_meanwhile_joins_and_the_cursor_stays(driver: Driver) -> None:
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


# Errors, notices and requests


async def fail_to_refresh(driver: Driver, code: str) -> None:
    """Refresh while the service fails."""
    driver.service.next("listPets", error(500, code, f"The cause is {code}"))
    await driver.press("r")
    await driver.sees(code)


async def test_errors_are_listed_with_their_times_the_newest_first(driver: Driver) -> None:
    await fail_to_refresh(driver, "first_cause")
    driver.clock.time += timedelta(minutes=1)
    await fail_to_refresh(driver, "second_cause")
    await driver.press("f12")
    await driver.sees("What happened")
    shown = driver.words
    assert shown.index("12:02:03 · 500 second_cause") < shown.index("12:01:03 · 500 first_")


async def test_the_same_error_again_is_counted(driver: Driver) -> None:
    await fail_to_refresh(driver, "again")
    await driver.press("escape")
    await fail_to_refresh(driver, "again")
    await driver.press("exclamation_mark")
    await driver.sees("500 again (2 times)")


async def test_a_notice_and_a_refused_animal_are_among_them(driver: Driver) -> None:
    driver.service.next("createPet", error(400, "invalid_value", "No such category"))
    await driver.press("enter")
    await driver.sees("getPet is deprecated")
    await driver.press("escape", "a", *"Rex", "tab", "3", "enter")
    await driver.sees("No such category")
    await driver.press("f12")
    await driver.sees("Refused: Rex", "No such category", "getPet is deprecated")


async def test_before_anything_happened_it_says_so(driver: Driver) -> None:
    await driver.press("f12")
    await driver.sees("No error and no notice so far.")


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


async def test_from_what_happened_the_same_key_leads_to_the_requests(driver: Driver) -> None:
    await driver.press("f12", "f3")
    await driver.sees("Requests")
    await driver.sees_no("What happened")


async def test_what_the_service_sent_is_safe_to_draw(driver: Driver) -> None:
    hostile = pet(7, "R\x1b[31m\u202ex")
    answer = Response(body=[hostile], headers=(("X-Odd", "a\x1b]0;b"),))
    driver.service.next("listPets", answer)
    await driver.press("r", "f3", "enter")
    await driver.sees("GET 200")
    check_screen(driver, "a request")


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
