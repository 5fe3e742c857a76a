"""What fails and passes: the countdown, another key, and a service that comes back."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tests.tui.driving import Driver, ids_of, open_app
from tests.tui.scripted_service import Response, html

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LEFT = r"retry(?:ing in|:) (\d+) s"


@asynccontextmanager
async def retrying(size: tuple[int, int] = (120, 30)) -> AsyncIterator[Driver]:
    """Open the app, and refresh from a service that asks for 25 seconds."""
    async with open_app(size=size) as driver:
        driver.service.next("listPets", Response(503, b"", (("retry-after", "25"),)))
        await driver.press("r")
        await driver.until(lambda: driver.number(LEFT))
        yield driver


async def test_the_screen_counts_down_to_the_next_attempt() -> None:
    async with retrying() as driver:
        rows = ids_of(driver.lines)
        assert len(rows) == 20
        await driver.sees("s (attempt 2 of 4), esc stops: 503 unavailable")
        left = driver.number(LEFT)
        assert 0 < left <= 25
        await driver.until(lambda: 0 < driver.number(LEFT) < left)
        assert ids_of(driver.lines) == rows


async def test_a_small_screen_shows_the_seconds_beside_the_hints() -> None:
    async with retrying((40, 12)) as driver:
        await driver.sees("s… · m: more · F6 Full text")


async def test_f5_during_the_countdown_retries_at_once() -> None:
    async with retrying() as driver:
        await driver.press("f5")
        await driver.until(lambda: len(driver.service.requests) == 3)
        await driver.until(lambda: not driver.screen.header.spinner)
        assert "retrying in" not in driver.text
        assert driver.screen.error_banner.failure is None


async def test_a_service_that_is_back_behind_its_proxy_says_so_until_the_next_entry_id() -> None:
    async with open_app() as driver:
        driver.service.always("getPet", html(502))
        await driver.press("enter")
        await driver.sees("502 from the service", "F5 Retry")
        driver.service.always("getPet", None)
        await driver.press("f5")
        await driver.sees("the service is back")
        await driver.press("f5")
        await driver.sees_no("the service is back")
