"""All pages: loaded one after the other, stopped, failed in the middle, and gone on with."""

from __future__ import annotations

import asyncio
import re

import pytest

from pettui.models import NewPet
from pettui.settings import Limits
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, pets

UNAVAILABLE = error(500, "internal", "no")
ONCE = Limits(tries=0)


def page(first: int, *, last: bool = False, rows: int = 100) -> Response:
    """Return a page of animals whose ids begin with a number, linked to the next one."""
    link = () if last else (("link", f'</v1/pets?limit=100&cursor={first}>; rel="next"'),)
    return Response(body=pets(rows, first), headers=link)


def scripted(*answers: Response) -> ScriptedService:
    service = ScriptedService([])
    service.next("listPets", *answers)
    return service


def asked(driver: Driver) -> list[tuple[str | None, str | None]]:
    """Return limit and cursor of each request."""
    queries = [each.query for each in driver.service.requests_for("listPets")]
    return [(query.get("limit"), query.get("cursor")) for query in queries]


def loaded(driver: Driver) -> int:
    return len(driver.screen.table.rows)


async def test_all_pages_are_loaded_at_the_largest_limit() -> None:
    service = ScriptedService([NewPet(name=f"Rex {n}", category_id=3) for n in range(250)])
    async with open_app(service, limit=20) as driver:
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 250)
        await driver.until(lambda: not driver.screen.header.spinner)
        assert [limit for limit, _ in asked(driver)] == ["20", "100", "100", "100"]
        assert [row.id for row in driver.screen.table.rows] == [*range(250, 0, -1)]
        assert "m: more" not in driver.bottom
        await driver.press("M")
        await driver.sees("that is all the service lists")
        assert len(asked(driver)) == 4


async def test_each_page_is_shown_as_it_comes_with_what_came_so_far() -> None:
    gate = asyncio.Event()
    held = Response(body=pets(50), gate=gate)
    service = scripted(page(500), page(400), page(300), held)
    async with open_app(service, limit=100) as driver:
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 300)
        await driver.sees("loading: 200 rows, 2 pages")
        assert "esc: stop" in driver.bottom
        gate.set()
        await driver.until(lambda: loaded(driver) == 350)
        await driver.sees_no("loading:")


async def test_rows_a_second_and_the_time_are_shown_after_a_second() -> None:
    gate = asyncio.Event()
    async with open_app(scripted(page(300), Response(gate=gate)), limit=100) as driver:
        await driver.press("M")
        await driver.until(lambda: re.search(r"0 rows, 0 pages, 0 rows/s, \d s", driver.text))
        gate.set()


async def test_a_refresh_of_many_pages_says_how_many_came_of_how_many() -> None:
    """The rows stay until all have come."""
    gate = asyncio.Event()
    pages = [page(500), page(400), page(300, last=True)]
    again = [*pages[:2], Response(body=pets(50, 300), gate=gate)]
    async with open_app(scripted(*pages, *again), limit=100) as driver:
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 300)
        await driver.press("r")
        await driver.sees("loading: 200 rows, 2 of 3 pages")
        assert "esc: stop" in driver.bottom
        assert loaded(driver) == 300
        gate.set()
        await driver.until(lambda: loaded(driver) == 250)
        await driver.sees_no("loading:")


@pytest.mark.parametrize("key", ["M", "r"])
async def test_while_pages_come_esc_is_named_for_stopping_them_and_then_for_the_find(
    key: str,
) -> None:
    service = scripted(page(500), page(400, last=key == "r"), Response(gate=asyncio.Event()))
    async with open_app(service, limit=100) as driver:
        if key == "r":
            await driver.press("M")
            await driver.until(lambda: loaded(driver) == 200)
        await driver.press("/", "r", "enter", key)
        await driver.sees("loading:", "esc: stop")
        assert "esc: clear" not in driver.text
        await driver.press("escape")
        await driver.sees("esc: clear")
        assert "esc: stop" not in driver.text


async def test_esc_stops_and_keeps_what_came() -> None:
    gate = asyncio.Event()
    service = scripted(page(500), page(400), Response(gate=gate), page(300), page(200, last=True))
    async with open_app(service, limit=100) as driver:
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 200)
        await driver.press("escape")
        await driver.sees("stopped after 100 rows, 1 page M continues")
        assert not driver.screen.header.spinner
        assert loaded(driver) == 200
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 400)
        assert [cursor for _, cursor in asked(driver)] == [None, "500", "400", "400", "300"]


@pytest.mark.parametrize("key", ["f5", "M"])
async def test_a_failure_in_the_middle_keeps_the_loaded_pages_and_is_retried_from_there(
    key: str,
) -> None:
    pages = (page(500), page(400), UNAVAILABLE, page(300), page(200, last=True))
    async with open_app(scripted(*pages), limit=100, limits=ONCE) as driver:
        await driver.press("M")
        await driver.sees("500 internal")
        assert loaded(driver) == 200
        await driver.press(key)
        await driver.until(lambda: loaded(driver) == 400)
        await driver.sees_no("500 internal")
        assert [cursor for _, cursor in asked(driver)] == [None, "500", "400", "400", "300"]


async def test_f5_goes_on_from_a_failure_before_as_many_came_as_were_there() -> None:
    small = [page(901, rows=60), page(841, rows=60), page(781, rows=60)]
    service = scripted(*small, page(861), UNAVAILABLE, page(761, last=True))
    async with open_app(service, limit=60, limits=ONCE) as driver:
        await driver.press("m", "m")
        await driver.until(lambda: loaded(driver) == 180)
        await driver.press("M")
        await driver.sees("500 internal")
        assert loaded(driver) == 180
        await driver.press("f5")
        await driver.until(lambda: loaded(driver) == 200)
        assert [cursor for _, cursor in asked(driver)][3:] == [None, "861", "861"]


async def test_a_refresh_after_another_query_does_not_go_on_from_an_old_failure() -> None:
    service = scripted(page(500), UNAVAILABLE, page(300, rows=3, last=True))
    service.always("listPets", page(700, rows=2, last=True))
    async with open_app(service, limit=100, limits=ONCE) as driver:
        await driver.press("M")
        await driver.sees("500 internal")
        await driver.press("2")
        await driver.until(lambda: loaded(driver) == 3)
        await driver.press("f5")
        await driver.until(lambda: loaded(driver) == 2)
        assert [cursor for _, cursor in asked(driver)] == [None, "500", None, None]


async def test_a_filter_that_failed_after_an_old_failure_is_what_f5_retries() -> None:
    only = Response(body=pets(3, 300, status="available"))
    service = scripted(page(500), UNAVAILABLE, UNAVAILABLE, only)
    async with open_app(service, limit=100, limits=ONCE) as driver:
        await driver.press("M")
        await driver.sees("500 internal")
        await driver.press("2")
        await driver.until(lambda: len(asked(driver)) == 3)
        await driver.until(lambda: not driver.screen.header.spinner)
        await driver.press("f5")
        await driver.until(lambda: loaded(driver) == 3)
        assert driver.service.requests_for("listPets")[-1].query.get("status") == "available"


async def test_without_a_link_a_hundred_are_asked_for_and_filters_are_named() -> None:
    service = ScriptedService([])
    service.next("listPets", Response(body=pets(20)), Response(body=pets(100)))
    async with open_app(service, limit=20) as driver:
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 100)
        await driver.sees("no more than 100 of one list; status filters show more")
        await driver.press("M")
        assert asked(driver) == [("20", None), ("100", None)]


async def test_the_bound_on_rows_ends_the_loading_and_is_said() -> None:
    pages = [page(number) for number in range(900, 0, -100)]
    limits = Limits(tries=0, rows=250)
    async with open_app(scripted(*pages), limit=100, limits=limits) as driver:
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 250)
        await driver.sees("more than 250 animals in this list: the rest is not loaded")
        assert len(asked(driver)) == 3


async def test_pages_that_bring_nothing_new_are_not_followed_for_ever() -> None:
    again = [
        Response(body=pets(100), headers=(("link", f'</v1/pets?cursor={n}>; rel="next"'),))
        for n in range(9)
    ]
    async with open_app(scripted(*again), limit=100) as driver:
        await driver.press("M")
        await driver.sees("stopped after 100 rows, 1 page: the last page had nothing new")
        assert loaded(driver) == 100
        assert len(asked(driver)) == 2
        await driver.press("j")
        await driver.sees_no("nothing new")


async def test_another_filter_ends_the_loading() -> None:
    gate = asyncio.Event()
    service = scripted(page(500), page(400), Response(gate=gate), page(1, rows=7, last=True))
    async with open_app(service, limit=100) as driver:
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 200)
        await driver.press("4")
        await driver.until(lambda: loaded(driver) == 7)
        await driver.sees_no("loading:")
        assert driver.service.requests[-1].query["status"] == "sold"
