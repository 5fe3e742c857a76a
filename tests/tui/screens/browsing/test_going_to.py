"""Going to an id, to a limit, and from one animal to the next across pages."""

from __future__ import annotations

import asyncio

import pytest

from pettui.settings import Limits
from tests.exhaustive import product
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, pets


def scripted(*answers: Response) -> ScriptedService:
    service = ScriptedService([])
    service.next("listPets", *answers)
    return service


def page(first: int, rows: int, *, last: bool = False) -> Response:
    link = () if last else (("link", f'</v1/pets?cursor={first}>; rel="next"'),)
    return Response(body=pets(rows, first), headers=link)


def cursor_id(driver: Driver) -> int:
    return int(driver.screen.table.highlighted.id)


# An id


async def test_the_cursor_goes_to_an_id_that_is_loaded() -> None:
    async with open_app() as driver:
        await driver.press("#", *"47", "enter")
        assert cursor_id(driver) == 47
        assert "#" not in driver.bottom
        await driver.press("j")
        assert cursor_id(driver) == 46
        assert not driver.service.requests_for("getPet")


async def test_keys_in_one_packet_go_there_and_on() -> None:
    async with open_app() as driver:
        driver.send(b"#47\rk\x1b#\x1b[200~ 52\n\x1b[201~\rj")
        await driver.settled()
        assert cursor_id(driver) == 51


async def test_an_id_that_is_not_loaded_is_asked_for_by_get_pet() -> None:
    async with open_app() as driver:
        gate = driver.service.hold("getPet")
        await driver.press("#", *"7", "enter")
        await driver.sees("Animal 7")
        assert "(no name)" not in driver.text
        gate.set()
        await driver.sees("confirmed", "Id        7")
        assert "changed" not in driver.text
        assert "Next" not in driver.text  # there is no other one here
        await driver.press("escape")
        assert cursor_id(driver) == 60


async def test_an_id_that_was_not_found_among_the_rows_opens_with_what_is_loaded() -> None:
    async with open_app() as driver:
        driver.service.hold("getPet")
        name = next(row.name for row in driver.screen.table.rows if row.id == 47)
        await driver.press("/", *"luna", "enter", "#", *"47", "enter")
        await driver.sees(name, "from the list")


async def test_an_id_of_no_animal_is_reported_by_the_error() -> None:
    async with open_app() as driver:
        await driver.press("#", *"99999", "enter")
        await driver.sees("404", "there is no such animal")
        assert "(no name)" not in driver.text
        await driver.press("y")
        await driver.sees("there is no animal here to copy")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x", "an id is a whole number"),
        ("9" * 400, "this number is too large"),
    ],
    ids=lambda text: text[:20],
)
async def test_what_is_no_id_is_said_and_stays_to_be_edited(text: str, reason: str) -> None:
    async with open_app(size=(80, 24)) as driver:
        await driver.press("#")
        driver.paste(text)
        await driver.press("enter")
        await driver.sees(reason)
        check_screen(driver, text)
        await driver.press("end", "ctrl+u", *"50", "enter")
        assert cursor_id(driver) == 50


@pytest.mark.parametrize(
    ("opens", "keys"), product(["#", "L"], [["escape"], ["enter"], ["5", "escape"]])
)
async def test_a_line_is_left_without_anything_being_done(opens: str, keys: list[str]) -> None:
    async with open_app() as driver:
        await driver.press(opens, *keys, "j")
        assert cursor_id(driver) == 59
        assert len(driver.service.requests) == 1


@pytest.mark.parametrize(("opens", "size"), product(["#", "L"], [(40, 12), (120, 30)]))
async def test_the_line_has_room_at_every_size(opens: str, size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await driver.press(opens)
        check_screen(driver, opens)
        assert any("↵" in line for line in driver.lines[-3:])
        assert len([line for line in driver.lines if "●" in line or "◐" in line]) > 1


# A limit


async def test_a_limit_is_typed() -> None:
    async with open_app() as driver:
        await driver.press("L", *"35", "enter")
        await driver.until(lambda: len(driver.screen.table.rows) == 35)
        assert [asked.query["limit"] for asked in driver.service.requests] == ["20", "35"]


@pytest.mark.parametrize("text", ["101", "x"])
async def test_what_is_no_limit_is_said_and_stays_to_be_edited(text: str) -> None:
    async with open_app() as driver:
        await driver.press("L", *text, "enter")
        await driver.sees("a whole number from 1 to 100")
        await driver.press("end", "ctrl+u", "5", "enter")
        await driver.until(lambda: len(driver.screen.table.rows) == 5)


# From one animal to the next


async def test_j_in_detail_goes_on_into_the_next_page() -> None:
    service = scripted(page(50, 3), page(40, 2, last=True))
    service.always("getPet", Response(body=[], gate=asyncio.Event()))
    async with open_app(service, limit=3) as driver:
        await driver.press("G", "enter")
        await driver.sees("3 of 3")
        await driver.press("j")
        await driver.sees("4 of 5", "Animal 41")
        await driver.press("j", "j", "j")
        await driver.sees("5 of 5", "Animal 40")
        assert len(service.requests_for("listPets")) == 2
        await driver.press("escape")
        await driver.until(lambda: hasattr(driver.screen, "table"))
        assert cursor_id(driver) == 40


async def test_j_in_detail_at_a_page_that_fails_stays_and_the_list_says_why() -> None:
    service = scripted(page(50, 3), error(500, "internal", "no"))
    service.always("getPet", Response(body=[], gate=asyncio.Event()))
    async with open_app(service, limit=3, limits=Limits(tries=0)) as driver:
        await driver.press("G", "enter", "j")
        await driver.until(lambda: len(service.requests_for("listPets")) == 2)
        await driver.settled()
        assert "3 of 3" in driver.text
        await driver.press("escape")
        await driver.sees("500 internal")


async def test_j_in_detail_of_rows_that_were_found_loads_nothing() -> None:
    async with open_app(limit=20) as driver:
        await driver.press("/", *"luna", "enter", "enter")
        await driver.press(*["j"] * 30)
        assert len(driver.service.requests_for("listPets")) == 1
