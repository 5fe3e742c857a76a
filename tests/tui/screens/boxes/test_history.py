"""What happened: errors and notices with their times, and the requests with copies as curl."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.scripted_service import KEY, Response, error, pet

if TYPE_CHECKING:
    from tests.tui.driving import Driver

SIZES = [(120, 30), (80, 24), (40, 12)]


async def fail_to_refresh(driver: Driver, code: str) -> None:
    """Refresh while the service fails."""
    driver.service.next("listPets", error(500, code, f"The cause is {code}"))
    await driver.press("r")
    await driver.sees(code)


async def test_errors_are_listed_with_their_times_the_newest_first(driver: Driver) -> None:
    await fail_to_refresh(driver, "first_cause")
    driver.clock.time += timedelta(minutes=1)
    await fail_to_refresh(driver, "second_cause")
    await driver.press("f12")
    await driver.sees("What happened")
    shown = driver.words
    assert shown.index("12:02:03 · 500 second_cause") < shown.index("12:01:03 · 500 first_")
    await driver.press("escape")
    await driver.sees_no("What happened")


async def test_the_same_error_again_is_counted(driver: Driver) -> None:
    await fail_to_refresh(driver, "again")
    await driver.press("escape")
    await fail_to_refresh(driver, "again")
    await driver.press("exclamation_mark")
    await driver.sees("500 again (2 times)")


async def test_a_notice_and_a_refused_animal_are_among_them(driver: Driver) -> None:
    driver.service.next("createPet", error(400, "invalid_value", "No such category"))
    await driver.press("enter")
    await driver.sees("getPet is deprecated")
    await driver.press("escape", "a", *"Rex", "tab", "3", "enter")
    await driver.sees("No such category")
    await driver.press("f12")
    await driver.sees("What happened", "Refused: Rex", "No such category")
    await driver.sees("getPet is deprecated")


async def test_before_anything_happened_it_says_so(driver: Driver) -> None:
    await driver.press("f12")
    await driver.sees("No error and no notice so far.")


@pytest.mark.parametrize("size", SIZES)
async def test_requests_are_listed_and_shown_without_the_key(size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await driver.press("f3")
        await driver.sees("Requests", "200")
        check_screen(driver, "the requests")
        await driver.press("enter")
        await driver.sees("GET 200", "http://store.example/v1/pets")
        text = " ".join(run for line in check_screen(driver, "a request") for run in line.split())
        assert KEY not in text
        await driver.press("escape", "escape")
        await driver.sees("1 All") if size[1] > 12 else await driver.sees_no("Requests")


async def test_a_request_is_copied_as_curl(driver: Driver) -> None:
    await driver.press("f3", "y")
    await driver.sees("copied as curl, if this terminal allows it")
    assert "$PETTUI_API_KEY" in driver.app.clipboard
    assert "http://store.example/v1/pets?limit=20" in driver.app.clipboard
    assert KEY not in driver.app.clipboard


async def test_requests_that_follow_are_shown_and_the_cursor_stays_on_its_own(
    driver: Driver,
) -> None:
    await driver.press("r")
    await driver.until(lambda: len(driver.client.log.newest_first) == 2)
    await driver.press("f3", "down")
    highlighted = driver.screen.list.highlighted
    await driver.client.get_pet(60)
    await driver.sees("/pets/60")
    assert driver.screen.list.highlighted is highlighted


async def test_from_what_happened_the_same_key_leads_to_the_requests(driver: Driver) -> None:
    await driver.press("f12", "f3")
    await driver.sees("Requests")
    await driver.sees_no("What happened")


async def test_what_the_service_sent_is_safe_to_draw(driver: Driver) -> None:
    hostile = pet(7, "R\x1b[31m\u202ex")
    answer = Response(body=[hostile], headers=(("X-Odd", "a\x1b]0;b"),))
    driver.service.next("listPets", answer)
    await driver.press("r", "f3", "enter")
    await driver.sees("GET 200")
    check_screen(driver, "a request")
