"""Moving past the last row loads what is behind it, and the cursor goes on to there."""

from __future__ import annotations

import asyncio

import pytest

from pettui.settings import Limits
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, pets


def page(first: int, rows: int, *, last: bool = False, **others: object) -> Response:
    link = () if last else (("link", f'</v1/pets?cursor={first}>; rel="next"'),)
    return Response(body=pets(rows, first), headers=link, **others)


def scripted(*answers: Response) -> ScriptedService:
    service = ScriptedService([])
    service.next("listPets", *answers)
    return service


def cursor(driver: Driver) -> int:
    return int(driver.screen.table.cursor)


def asked(driver: Driver) -> int:
    return len(driver.service.requests_for("listPets"))


@pytest.mark.parametrize(
    ("keys", "cursor_then"),
    [(["G", "j"], 20), (["end", "end"], 39)],
    ids=str,
)
async def test_a_key_that_goes_past_the_last_row_loads_the_next_page(
    keys: list[str], cursor_then: int
) -> None:
    service = scripted(page(200, 20), page(150, 20, last=True))
    async with open_app(service, size=(80, 24)) as driver:
        await driver.press(*keys)
        await driver.until(lambda: len(driver.screen.table.rows) == 40)
        assert (asked(driver), cursor(driver)) == (2, cursor_then)


@pytest.mark.parametrize(("key", "part"), [("pagedown", 1), ("ctrl+d", 0.5)])
async def test_a_page_of_rows_goes_on_into_the_next_page_of_the_list(key: str, part: float) -> None:
    service = scripted(page(200, 20), page(150, 40, last=True))
    async with open_app(service, size=(80, 24)) as driver:
        rows = int(part * (driver.screen.table.size.height - 1))
        await driver.press("G", "k", "k", key)
        await driver.until(lambda: len(driver.screen.table.rows) == 60)
        assert cursor(driver) == 17 + rows


@pytest.mark.parametrize("keys", [["G", "k", "j"], ["end", "k", "G"]], ids=str)
async def test_a_key_that_stays_on_the_list_loads_nothing(keys: list[str]) -> None:
    async with open_app(scripted(page(200, 20))) as driver:
        await driver.press(*keys)
        assert (asked(driver), cursor(driver)) == (1, 19)


async def test_a_held_key_asks_for_one_page() -> None:
    gate = asyncio.Event()
    service = scripted(page(200, 20), page(150, 20, gate=gate), page(100, 20))
    async with open_app(service) as driver:
        await driver.press("G", *["j"] * 30)
        gate.set()
        await driver.until(lambda: len(driver.screen.table.rows) == 40)
        assert (asked(driver), cursor(driver)) == (2, 20)


async def test_a_cursor_that_was_moved_meanwhile_stays() -> None:
    gate = asyncio.Event()
    async with open_app(scripted(page(200, 20), page(150, 20, gate=gate))) as driver:
        await driver.press("G", "j", "g")
        gate.set()
        await driver.until(lambda: len(driver.screen.table.rows) == 40)
        assert cursor(driver) == 0


async def test_without_a_link_the_next_larger_limit_is_asked_for() -> None:
    service = scripted(Response(body=pets(20, 100)), Response(body=pets(40, 80)))
    async with open_app(service, limit=20) as driver:
        await driver.press("G", "j")
        await driver.until(lambda: len(driver.screen.table.rows) == 40)
        assert service.requests[-1].query["limit"] == "40"
        assert cursor(driver) == 20


async def test_at_the_end_of_the_whole_list_nothing_is_asked_or_said() -> None:
    async with open_app(scripted(page(1, 7, last=True))) as driver:
        await driver.press("G", "j", "pagedown", "G")
        assert asked(driver) == 1
        assert "that is all" not in driver.text


async def test_a_service_that_fails_is_not_asked_at_each_press() -> None:
    service = scripted(page(200, 20), error(500, "internal", "no"), page(150, 20, last=True))
    async with open_app(service, limits=Limits(tries=0)) as driver:
        await driver.press("G", "j")
        await driver.sees("500 internal")
        await driver.press(*["j"] * 9)
        assert asked(driver) == 2
        await driver.press("f5")
        await driver.until(lambda: len(driver.screen.table.rows) == 40)
