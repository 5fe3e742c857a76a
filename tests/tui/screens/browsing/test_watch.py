"""The watch: refreshes by itself, says so, rests while something is typed, backs off on failures."""

from __future__ import annotations

import re

import httpx
import pytest

from pettui.tui.lists.refreshing import RefreshPace
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.scripted_service import Response, ScriptedService, pets

DROPPED = Response(error=httpx.ReadError("dropped"))
SHORT = RefreshPace(first=0.02, longest=0.1, longest_watch=0.1)
LONG = RefreshPace(first=30.0, longest=30.0, longest_watch=60.0)
NEXT_ATTEMPT = re.compile(r"next attempt in (\d+) s")


def asked(driver: Driver) -> int:
    return len(driver.service.requests_for("listPets"))


def next_attempt(driver: Driver) -> int:
    """Return the seconds that the header names; 0 where it names none."""
    found = NEXT_ATTEMPT.search(driver.lines[1])
    return int(found[1]) if found else 0


async def some_more(driver: Driver, count: int = 5) -> None:
    before = asked(driver)
    await driver.until(lambda: asked(driver) >= before + count)


async def test_w_refreshes_again_and_again_and_says_so() -> None:
    service = ScriptedService([])
    service.always("listPets", Response(body=pets(3)))
    async with open_app(service, watch=0.05) as driver:
        assert "watch" not in driver.lines[1]
        await driver.press("w")
        await driver.sees("watching: refreshing every 0.05 s")
        assert "watch 0.05 s" in driver.lines[1]
        await some_more(driver)
        service.always("listPets", Response(body=pets(4)))
        await driver.sees("4 shown", "1 new")


async def test_w_again_ends_it() -> None:
    async with open_app(watch=0.05) as driver:
        await driver.press("w")
        await some_more(driver)
        await driver.press("w")
        await driver.sees("no longer watching")
        assert "watch 0.05 s" not in driver.text
        await driver.until(lambda: not driver.screen.is_requesting)
        before = asked(driver)
        await driver.press(*["j", "k"] * 5)
        assert asked(driver) == before


@pytest.mark.parametrize("keys", [["/", "l"], ["f1"]], ids=str)
async def test_it_rests_while_something_is_typed_or_another_screen_is_on_top(
    keys: list[str],
) -> None:
    async with open_app(watch=0.05) as driver:
        await driver.press("w")
        await some_more(driver)
        await driver.press(*keys)
        await driver.until(lambda: not driver.app.screen_stack[0].is_requesting)
        before = asked(driver)
        await driver.press(*["left", "right"] * 5)
        assert asked(driver) <= before + 1  # what was on its way
        await driver.press("escape", "escape")
        await some_more(driver, 2)


async def test_it_says_that_it_rests() -> None:
    async with open_app(watch=5.0) as driver:
        await driver.press("w", "/")
        assert "watch paused" in driver.lines[1]
        await driver.press("escape")
        assert "watch 5 s" in driver.lines[1]


async def test_a_failure_is_said_with_the_time_of_the_next_attempt() -> None:
    async with open_app(watch=5.0, pace=LONG) as driver:
        await driver.press("w")
        driver.service.always("listPets", DROPPED)
        await driver.press("r")
        await driver.until(lambda: next_attempt(driver))
        seconds = next_attempt(driver)
        await driver.until(lambda: 0 < next_attempt(driver) < seconds)


async def test_it_continues_when_the_service_is_back() -> None:
    async with open_app(watch=0.05, pace=SHORT) as driver:
        await driver.press("w")
        await some_more(driver)
        driver.service.always("listPets", DROPPED)
        await driver.sees("No response")
        await some_more(driver, 2)
        driver.service.always("listPets", None)
        await driver.sees_no("No response")
        await some_more(driver)
        assert "watch 0.05 s" in driver.lines[1]


async def test_it_asks_for_the_first_page_alone_and_keeps_what_is_loaded() -> None:
    async with open_app(limit=20, watch=0.05) as driver:
        await driver.press("m")
        await driver.until(lambda: len(driver.screen.table.rows) == 40)
        await driver.press("G", "w")
        before = asked(driver)
        await some_more(driver)
        queries = [each.query for each in driver.service.requests_for("listPets")[before:]]
        assert all(query.get("limit") == "20" and len(query) == 1 for query in queries)
        assert len(driver.screen.table.rows) == 40
        assert driver.screen.table.cursor == 39


@pytest.mark.parametrize("size", [(40, 12), (100, 30)], ids=str)
async def test_the_note_has_room_or_goes(size: tuple[int, int]) -> None:
    async with open_app(size=size, watch=5.0) as driver:
        await driver.press("w")
        check_screen(driver, "watched")
        assert "watch 5 s" in driver.lines[1]
        await driver.press("s", "s")
        check_screen(driver, "watched and sorted")
        assert ("watch 5 s" in driver.lines[1]) == (size[0] >= 100)
        assert "by name" in driver.lines[1]


async def test_it_goes_on_after_all_pages_took_its_turn_and_were_stopped() -> None:
    async with open_app(limit=20, watch=0.05) as driver:
        await driver.press("w")
        gate = driver.service.hold("listPets")
        await driver.until(lambda: driver.screen.is_requesting)
        await driver.press("M")
        await driver.sees("loading: 0 rows")
        await driver.press("escape")
        await driver.sees("stopped after 0 rows")
        gate.set()
        await some_more(driver)
