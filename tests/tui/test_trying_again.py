"""What fails and passes: the countdown, another key, and a service that comes back."""

from __future__ import annotations

import socket

import httpx
import pytest

from pettui.client import PetClient
from tests.exhaustive import exhaustive
from tests.tui.driving import KEY, QUICK_LIMITS, ids_of, open_app
from tests.tui.scripted_service import UNAUTHORIZED, Response, ScriptedService, error, html

SLOW = (("retry-after", "25"),)
OTHER = "another-key-of-the-tests"


async def test_the_screen_counts_down_to_the_next_attempt() -> None:
    """With the try, how many there are, and why; the rows stay."""
    async with open_app() as driver:
        rows = ids_of(driver.lines)
        driver.service.next("listPets", Response(503, b"", SLOW))
        await driver.press("r")
        await driver.sees("retrying in 25 s (attempt 2 of 4), esc stops: 503 from the service")
        await driver.sees("retrying in 24 s (attempt 2 of 4)")
        assert ids_of(driver.lines) == rows


async def test_a_small_screen_shows_the_seconds_beside_the_hints() -> None:
    async with open_app(size=(40, 12)) as driver:
        driver.service.next("listPets", Response(503, b"", SLOW))
        await driver.press("r")
        await driver.sees("retry: 25 s… · m: more · F6 Full text")


async def test_esc_stops_the_wait_and_f5_retries_at_once() -> None:
    """The reason stands in the banner then."""
    async with open_app() as driver:
        driver.service.next("listPets", Response(503, b"", SLOW))
        await driver.press("r")
        await driver.sees("retrying in 25 s")
        await driver.press("escape")
        await driver.sees("503 from the service, no Error body", "F5 Retry", "all as of 12:01:03")
        await driver.sees_no("retrying in")
        await driver.press("f5")
        await driver.sees_no("503 from the service")
        assert len(driver.service.requests) == 3


async def test_esc_also_stops_waiting_for_a_response() -> None:
    """Once the screen says that it waits; what comes later is dropped."""
    async with open_app() as driver:
        rows = ids_of(driver.lines)
        gate = driver.service.hold("listPets")
        driver.service.next("listPets", Response(body=[]))
        await driver.press("r")
        await driver.sees("loading all animals…")
        await driver.press("escape")
        await driver.sees("✖ Stopped", "there was no response yet", "F5 Retry", "all as of")
        gate.set()
        await driver.press("f5")
        await driver.sees_no("✖ Stopped")
        assert ids_of(driver.lines) == rows


async def test_f5_during_the_countdown_retries_at_once() -> None:
    """It cuts the pause short."""
    async with open_app() as driver:
        driver.service.next("listPets", Response(503, b"", SLOW))
        await driver.press("r")
        await driver.sees("retrying in 25 s")
        await driver.press("f5")
        await driver.until(lambda: len(driver.service.requests) == 3)
        await driver.until(lambda: not driver.screen.header.spinner)
        assert "retrying in" not in driver.text
        assert driver.screen.error_banner.failure is None


async def test_a_new_query_during_the_countdown_replaces_it() -> None:
    """A filter, say."""
    async with open_app() as driver:
        driver.service.next("listPets", Response(503, b"", SLOW))
        await driver.press("r")
        await driver.sees("retrying in 25 s")
        await driver.press("2")
        await driver.until(lambda: driver.screen.listing.query.status == "available")
        assert "retrying in" not in driver.text


async def test_a_read_is_retried_automatically_and_succeeds() -> None:
    """Nothing is left on the screen of a failure that passed."""
    async with open_app() as driver:
        driver.service.next("listPets", html(502), Response(error=httpx.ReadError("")), html(504))
        await driver.press("2")
        await driver.until(lambda: driver.screen.listing.query.status == "available")
        assert driver.screen.error_banner.failure is None
        assert len(driver.service.requests) == 5


@pytest.mark.parametrize("screen", ["listPets", "getPet"])
async def test_a_service_that_is_back_behind_its_proxy_says_so(screen: str) -> None:
    """At the next refresh, on the list and on an animal."""
    async with open_app() as driver:
        driver.service.always(screen, html(502))
        await driver.press("r" if screen == "listPets" else "enter")
        await driver.sees("502 from the service", "F5 Retry")
        driver.service.always(screen, None)
        await driver.press("f5")
        await driver.sees("the service is back")
        await driver.press("f5")
        await driver.sees_no("the service is back")


async def test_a_service_that_is_not_there_is_named() -> None:
    """Which step, which address, why; and the app stays up."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
    client = PetClient(f"http://127.0.0.1:{port}/v1", KEY, limits=QUICK_LIMITS)
    async with open_app(client=client) as driver:
        await driver.sees(f"cannot connect to 127.0.0.1:{port}: connection refused", "F5 Retry")
        await driver.press("a")
        await driver.sees("Add an animal")


# Change API key


@pytest.mark.parametrize(
    "path", [(), *exhaustive(("enter",), ("o",))], ids=["list", "detail", "outbox"]
)
async def test_a_changed_key_retries_the_request(
    path: tuple[str, ...],
) -> None:
    """Masked, handed over once, and used from then on."""
    service = ScriptedService(keys=[KEY, OTHER])
    async with open_app(service) as driver:
        if path:
            service.next("getPet", UNAUTHORIZED)
            service.next("createPet", UNAUTHORIZED)
            await driver.press("a", *"Rex", "tab", "3", "enter", "escape", *path)
        else:
            service.next("listPets", UNAUTHORIZED)
            await driver.press("r")
        await driver.sees("401 unauthorized", "Missing or invalid API key", "F7 Change API key")
        before = len(service.requests)
        await driver.press("f7", *OTHER)
        assert "•" * len(OTHER) in driver.text
        assert OTHER not in driver.text
        await driver.press("enter")
        await driver.until(lambda: len(service.requests) > before)
        await driver.sees_no("401 unauthorized")
        assert {asked.key for asked in service.requests[before:]} == {OTHER}
        assert "Key " not in driver.text


async def test_a_key_is_pasted_with_whatever_line_ends_are_around_it() -> None:
    """As a password manager or another terminal gives it."""
    async with open_app(ScriptedService(keys=[KEY, OTHER])) as driver:
        driver.service.next("listPets", UNAUTHORIZED)
        await driver.press("r")
        await driver.sees("F7 Change API key")
        await driver.press("f7")
        driver.paste(f"\r\n {OTHER}\n")
        await driver.press("enter")
        await driver.sees_no("401 unauthorized")
        assert driver.service.requests[-1].key == OTHER


async def test_an_invalid_key_is_reported() -> None:
    """And not shown."""
    async with open_app() as driver:
        driver.service.next("listPets", UNAUTHORIZED)
        await driver.press("r")
        await driver.sees("F7 Change API key")
        await driver.press("f7", *"two words", "enter")
        await driver.sees("✖ Invalid API key", "one word of visible ASCII", "F7 Change API key")
        assert "two words" not in driver.text
        assert len(driver.service.requests) == 2


async def test_the_key_is_never_on_the_screen() -> None:
    """Not even when the service sends it back in every text."""
    async with open_app() as driver:
        driver.service.next("listPets", error(400, KEY, f"Bearer {KEY} is bad"))
        await driver.press("r")
        await driver.sees("400 ***", "Bearer *** is bad")
        driver.service.next("listPets", html(400, KEY.encode()))
        await driver.press("r")
        await driver.sees("no Error body")
        await driver.press("f6")
        await driver.sees("***")
        assert KEY not in driver.text


async def test_a_refresh_that_succeeds_sends_what_waited_for_another_key() -> None:
    async with open_app() as driver:
        driver.service.next("createPet", UNAUTHORIZED)
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.sees("401 unauthorized")
        await driver.press("escape", "escape")
        await driver.sees("1 unsent: API key needed")
        await driver.press("r")
        await driver.sees("added this session: 1")
