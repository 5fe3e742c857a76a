"""What fails and passes: the countdown, another key, and a service that comes back."""

from __future__ import annotations

import pytest

from tests.tui.driving import KEY, ids_of, open_app
from tests.tui.scripted_service import UNAUTHORIZED, Response, ScriptedService, error, html

SLOW = (("retry-after", "25"),)
OTHER = "another-key-of-the-tests"


async def test_the_screen_counts_down_to_the_next_attempt() -> None:
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
    async with open_app() as driver:
        driver.service.next("listPets", Response(503, b"", SLOW))
        await driver.press("r")
        await driver.sees("retrying in 25 s")
        await driver.press("f5")
        await driver.until(lambda: len(driver.service.requests) == 3)
        await driver.until(lambda: not driver.screen.header.spinner)
        assert "retrying in" not in driver.text
        assert driver.screen.error_banner.failure is None


@pytest.mark.parametrize("screen", ["listPets", "getPet"])
async def test_a_service_that_is_back_behind_its_proxy_says_so(screen: str) -> None:
    async with open_app() as driver:
        driver.service.always(screen, html(502))
        await driver.press("r" if screen == "listPets" else "enter")
        await driver.sees("502 from the service", "F5 Retry")
        driver.service.always(screen, None)
        await driver.press("f5")
        await driver.sees("the service is back")
        await driver.press("f5")
        await driver.sees_no("the service is back")


# Change API key


async def test_a_changed_key_retries_the_request() -> None:
    service = ScriptedService(keys=[KEY, OTHER])
    service.next("listPets", UNAUTHORIZED)
    async with open_app(service) as driver:
        await driver.sees("401 unauthorized", "Missing or invalid API key", "F7 Change API key")
        await driver.press("f7", *OTHER, "enter")
        await driver.sees_no("401 unauthorized", "Key ")
        assert service.requests[-1].key == OTHER


async def test_a_key_is_pasted_with_whatever_line_ends_are_around_it() -> None:
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
    async with open_app() as driver:
        driver.service.next("listPets", UNAUTHORIZED)
        await driver.press("r")
        await driver.sees("F7 Change API key")
        await driver.press("f7", *"two words", "enter")
        await driver.sees("✖ Invalid API key", "one word of visible ASCII", "F7 Change API key")
        assert "two words" not in driver.text
        assert len(driver.service.requests) == 2


async def test_the_key_is_never_on_the_screen() -> None:
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
