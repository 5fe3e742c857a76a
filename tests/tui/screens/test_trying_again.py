"""What fails and passes: the countdown, another key, and a service that comes back."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tests.tui.driving import Case, Driver, case, ids_of, on, open_app, sees, sees_no, table
from tests.tui.outbox.test_leaving import always
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


async def counts_down(driver: Driver) -> None:
    """Wait until fewer seconds are left; the rows stay."""
    rows, left = ids_of(driver.lines), driver.number(LEFT)
    assert len(rows) == 20
    assert 0 < left <= 25
    await driver.until(lambda: 0 < driver.number(LEFT) < left)
    assert ids_of(driver.lines) == rows


@table(
    case("the screen counts down to the next attempt", retrying,
         sees("s (attempt 2 of 4), esc stops: 503 unavailable"), counts_down),
    case("a small screen shows the seconds beside the hints", lambda: retrying((40, 12)),
         sees("s… · m: more · F6 Full text")),
    case("F5 during the countdown retries at once", retrying, "f5", sees_no("retrying in", "✖")),
    case("a service that is back behind its proxy says so until the next key", on(),
         always("getPet", html(502)), "enter", sees("502 from the service", "F5 Retry"),
         always("getPet", None), "f5", sees("the service is back"), "f5",
         sees_no("the service is back")),
)  # fmt: skip
async def test_trying_again(case: Case) -> None:
    await case.run()
