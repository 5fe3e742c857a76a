"""What a screen says while it waits, of another attempt, and once the service is back."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from textual.screen import Screen

from pettui.appearance.glyphs import glyphs_for
from pettui.settings.settings import Glyphs
from pettui.tui.session.request import FRAME, SHOWN_AFTER, Request
from tests.clock import Clock
from tests.tui.driving import Case, Driver, case, ids_of, on, open_app, sees, sees_no, table
from tests.tui.outbox.test_leaving import always
from tests.tui.scripted_service import Response, html

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LEFT = r"retry(?:ing in|:) (\d+) s"


def seen(request: Request) -> str:
    request.look("esc", is_brief=False)
    return request.text


def test_the_spinner_turns_at_once_and_the_words_come_later() -> None:
    clock = Clock()
    request = Request(Screen(), glyphs_for(Glyphs.UNICODE), clock)
    with request.waiting("loading", is_shown_at_once=False):
        first = request.spinner
        assert first
        assert seen(request) == ""
        clock.now += max(SHOWN_AFTER, 3 * FRAME)
        assert request.spinner != first
        assert seen(request) == "loading…"


def test_whoever_looks_after_the_response_finds_nothing() -> None:
    request = Request(Screen(), glyphs_for(Glyphs.UNICODE), Clock())
    with request.waiting("loading", is_shown_at_once=True):
        assert request.look("", is_brief=False)
    assert (request.spinner, request.text, request.is_shown) == ("", "", False)
    assert not request.look("", is_brief=False)


def test_an_older_call_that_ends_leaves_the_newest_shown() -> None:
    request = Request(Screen(), glyphs_for(Glyphs.UNICODE), Clock())
    older = request.waiting("older", is_shown_at_once=True)
    older.__enter__()
    with request.waiting("newer", is_shown_at_once=True):
        older.__exit__(None, None, None)
        assert seen(request) == "newer…"


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
