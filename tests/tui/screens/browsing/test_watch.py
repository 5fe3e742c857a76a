"""The watch, and a service that is away: what is refreshed by itself, and what is said of it."""

from __future__ import annotations

import re

import httpx
import pytest

from pettui.backoff import Backoff
from pettui.tui.lists.refreshing import RefreshPace
from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import (
    Response,
    ScriptedService,
    error,
    listing,
    pets,
)

DROPPED = Response(error=httpx.ReadError("dropped"))
LONG = RefreshPace(first=30.0, longest=30.0, longest_watch=60.0)
NEXT_ATTEMPT = re.compile(r"next attempt in (\d+) s")
SOON = RefreshPace(first=0.02, longest=0.1)
AWAY = {
    "a dropped line": DROPPED,
    "its own word": error(503, "unavailable", "Back soon"),
}
ADD = ("a", *"Rex", "tab", "3", "enter")


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
    async with open_app(listing(pets(3)), watch=0.05) as driver:
        assert "watch" not in driver.lines[1]
        await driver.press("w")
        await driver.sees("watching: refreshing every 0.05 s")
        assert "watch 0.05 s" in driver.lines[1]
        await some_more(driver)
        driver.service.always("listPets", Response(body=pets(4)))
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


@pytest.mark.parametrize("answer", AWAY.values(), ids=AWAY)
async def test_a_service_that_is_back_is_noticed_without_a_key(answer: Response) -> None:
    service = ScriptedService()
    service.always("listPets", answer)
    async with open_app(service, pace=SOON) as driver:
        assert driver.screen.error_banner.failure is not None
        driver.service.always("listPets", None)
        await driver.sees("20 shown", "the service is back")
        assert driver.screen.error_banner.failure is None


async def test_a_banner_that_was_dismissed_does_not_come_back_by_itself() -> None:
    service = ScriptedService()
    service.always("listPets", DROPPED)
    async with open_app(service, pace=SOON) as driver:
        await driver.until(lambda: not driver.screen.is_requesting)
        driver.screen.clear_failure()
        await some_more(driver, 12)
        assert driver.screen.error_banner.failure is None
        driver.service.always("listPets", None)
        await driver.sees("20 shown")


async def test_a_page_further_down_that_failed_is_left_for_the_key_that_goes_on() -> None:
    service = ScriptedService()
    linked = Response(
        body=pets(20, 100), headers=(("Link", '</v1/pets?limit=20&after=100>; rel="next"'),)
    )
    service.next("listPets", linked)
    async with open_app(service, pace=SOON) as driver:
        service.always("listPets", DROPPED)
        await driver.press("m")
        await driver.sees("No response")
        await driver.until(lambda: driver.screen.refreshing.next_in == 0.0)
        before = asked(driver)
        service.always("listPets", Response(body=pets(20, 80)))
        await driver.press("f5")
        await driver.sees("40 shown")
        assert asked(driver) == before + 1
        assert "after" in service.requests[-1].query


@pytest.mark.parametrize("size", [(120, 30), *exhaustive((80, 24), (40, 12))], ids=str)
async def test_after_a_lost_response_the_line_says_how_long_adds_wait_and_what_tries_now(
    size: tuple[int, int],
) -> None:
    backoff = Backoff(first=60.0, longest=1000.0)  # the first wait is half of that
    async with open_app(ScriptedService(), size=size, backoff=backoff) as driver:
        driver.service.always("createPet", DROPPED)
        await driver.press(*ADD, *"Mimi", "enter", "escape")
        await driver.sees("adds wait ", "o, F5: try now")
        assert ("the service answers, adds wait " in driver.text) == (size[0] > 80)
        first = re.search(r"adds wait (\d+) s", driver.text)
        assert first is not None
        await driver.until(lambda: f"adds wait {int(first[1]) - 1} s" in driver.text)
        driver.service.always("createPet", None)
        await driver.press("o")
        await driver.sees("adds wait ", "F5 tries now")
        await driver.press("f5")
        await driver.sees("Mimi", "added", "unknown")


async def test_a_wait_that_the_service_asked_for_is_shown_with_its_time_and_a_key_ends_it() -> None:
    years = (("Retry-After", "999999999"),)
    async with open_app(ScriptedService()) as driver:
        driver.service.next("createPet", error(503, "unavailable", "Later.", headers=years))
        await driver.press(*ADD, *"Mimi", "enter", "escape", "o")
        await driver.sees("adds wait 77 min, F5 tries now", "Mimi", "waiting")
        await driver.press("f5")
        await driver.sees("1 unknown", "added")
