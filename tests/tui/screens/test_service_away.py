"""A service that is away is asked again by itself, and without a word, until it is back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.backoff import Backoff
from pettui.client import PetClient
from pettui.tui.lists.refreshing import RefreshPace
from tests.client.hostile.server import HostileServer
from tests.client.hostile.usual import UsualService
from tests.exhaustive import exhaustive
from tests.tui.driving import QUICK_LIMITS, open_app
from tests.tui.scripted_service import (
    KEY,
    UNAUTHORIZED,
    Response,
    ScriptedService,
    error,
    html,
    pets,
)

if TYPE_CHECKING:
    from tests.tui.driving import Driver

SOON = RefreshPace(first=0.02, longest=0.1)
DROPPED = Response(error=httpx.ReadError("dropped"))
AWAY = {
    "a dropped line": DROPPED,
    "its own word": error(503, "unavailable", "Back soon"),
}


def asked(driver: Driver) -> int:
    """Count the requests of the list."""
    return len(driver.service.requests_for("listPets"))


async def several_more(driver: Driver) -> None:
    """Wait until the list was asked for some more times."""
    before = asked(driver)
    await driver.until(lambda: asked(driver) > before + 12)


@pytest.mark.parametrize("answer", AWAY.values(), ids=AWAY)
async def test_a_service_that_is_back_is_noticed_without_a_key(answer: Response) -> None:
    service = ScriptedService()
    service.always("listPets", answer)
    async with open_app(service, pace=SOON) as driver:
        assert driver.screen.error_banner.failure is not None
        service.always("listPets", None)
        await driver.sees("20 shown", "the service is back")
        assert driver.screen.error_banner.failure is None


@pytest.mark.parametrize("answer", [UNAUTHORIZED, html(200)], ids=str)
async def test_an_error_that_another_attempt_would_not_change_is_not_asked_for_again(
    answer: Response,
) -> None:
    service = ScriptedService()
    service.always("listPets", answer)
    async with open_app(service, pace=SOON) as driver:
        assert driver.screen.refreshing.next_in is None


async def test_a_banner_that_was_dismissed_does_not_come_back_by_itself() -> None:
    service = ScriptedService()
    service.always("listPets", DROPPED)
    async with open_app(service, pace=SOON) as driver:
        await driver.until(lambda: not driver.screen.is_requesting)
        driver.screen.clear_failure()
        await several_more(driver)
        assert driver.screen.error_banner.failure is None
        service.always("listPets", None)
        await driver.sees("20 shown")


async def test_while_another_screen_is_on_top_it_rests() -> None:
    service = ScriptedService()
    service.always("listPets", DROPPED)
    async with open_app(service, pace=SOON) as driver:
        await driver.press("f1")
        await driver.until(lambda: not driver.app.screen_stack[0].is_requesting)
        service.always("listPets", None)
        before = asked(driver)
        await driver.until(lambda: driver.app.screen_stack[0].refreshing.next_in == 0.0)
        assert asked(driver) == before
        await driver.press("escape")
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


# ── what waits in the outbox ─────────────────────────────────────────────────────────────────────

PATIENT = Backoff(first=1000.0, longest=1000.0)
ADD = ("a", *"Rex", "tab", "3", "enter")


async def test_a_refresh_that_happens_by_itself_sends_what_no_connection_could() -> None:
    async with HostileServer() as server:
        server.steps = [UsualService(server)]
        server.stop_listening()
        client = PetClient(server.base_url, KEY, limits=QUICK_LIMITS)
        async with open_app(client=client, pace=SOON, backoff=PATIENT) as driver:
            await driver.press(*ADD, "escape")
            await driver.sees("1 unsent: no service", "connection refused")
            await server.listen_again()
            await driver.sees("added this session: 1")


@pytest.mark.parametrize("size", [(120, 30), *exhaustive((80, 24), (40, 12))], ids=str)
async def test_after_a_lost_response_the_line_says_how_long_adds_wait_and_what_tries_now(
    size: tuple[int, int],
) -> None:
    service = ScriptedService()
    service.always("createPet", DROPPED)
    backoff = Backoff(first=60.0, longest=1000.0)  # the first wait is half of that
    async with open_app(service, size=size, backoff=backoff) as driver:
        await driver.press(*ADD, *"Mimi", "enter", "escape")
        await driver.sees("adds wait ", "o, F5: try now")
        assert ("the service answers, adds wait " in driver.text) == (size[0] > 80)
        first = re.search(r"adds wait (\d+) s", driver.text)
        assert first is not None
        await driver.until(lambda: f"adds wait {int(first[1]) - 1} s" in driver.text)
        service.always("createPet", None)
        await driver.press("o")
        await driver.sees("adds wait ", "F5 tries now")
        await driver.press("f5")
        await driver.sees("Mimi", "added", "unknown")


async def test_a_wait_that_the_service_asked_for_is_shown_with_its_time_and_a_key_ends_it() -> None:
    service = ScriptedService()
    years = (("Retry-After", "999999999"),)
    service.next("createPet", error(503, "unavailable", "Later.", headers=years))
    async with open_app(service) as driver:
        await driver.press(*ADD, *"Mimi", "enter", "escape", "o")
        await driver.sees("adds wait 77 min, F5 tries now", "Mimi", "waiting")
        await driver.press("f5")
        await driver.sees("1 unknown", "added")
