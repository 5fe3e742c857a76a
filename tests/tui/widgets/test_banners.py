"""The notices of what ends: whole once, then a line that a key puts away."""

from __future__ import annotations

from tests.tui.driving import PRODUCTION, open_app, resized
from tests.tui.scripted_service import Response, listing, pet, pets

WHOLE = "getPet is deprecated. It goes away on 5 December 2030"
BRIEF = "▲ getPet ends 5 December 2030 · F6"
ENDING = ("deprecation", "@1764892800"), ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT")


async def test_the_end_of_getpet_is_whole_once_in_a_session_and_then_one_line() -> None:
    async with open_app(size=(80, 24)) as driver:
        await driver.press("enter")
        await driver.sees("confirmed", WHOLE, "GET /pets with the status filter")
        await driver.press("r")
        await driver.sees("confirmed", WHOLE)
        await driver.press("escape", "j", "enter")
        await driver.sees("confirmed", BRIEF)
        assert WHOLE not in driver.text
        await driver.press("f6")
        await driver.sees(WHOLE, "GET /pets with the status filter")


async def test_on_a_short_screen_the_notice_is_always_one_line() -> None:
    async with open_app(size=(40, 12)) as driver:
        for _ in range(2):
            await driver.press("enter")
            await driver.sees("confirmed", BRIEF)
            assert "replacement" not in driver.text
            assert sum("▲" in line for line in driver.lines) == 1
            await driver.press("escape")
        await driver.press("enter")
        await resized(driver, (80, 24))
        await driver.sees(WHOLE)
        await resized(driver, (40, 12))
        await driver.sees(BRIEF)


async def test_another_date_is_shown_whole_again() -> None:
    async with open_app(size=(80, 24)) as driver:
        await driver.press("enter")
        await driver.sees("confirmed", WHOLE)
        driver.service.always("getPet", Response(body=pet(60), headers=ENDING))
        await driver.press("escape", "enter")
        await driver.sees("It goes away on 1 January 2027 (in 41 days)")
        await driver.press("escape", "enter")
        await driver.sees("▲ getPet ends 1 January 2027 · F6")


async def test_esc_puts_the_notices_of_the_list_away() -> None:
    service = listing(Response(body=pets(3), headers=ENDING))
    profile = PRODUCTION._replace(warnings=("The key travels in the clear.",))
    async with open_app(service, profile=profile) as driver:
        await driver.sees("▲ The key travels in the clear.", "▲ listPets is deprecated.")
        await driver.press("escape")
        await driver.sees_no("travels in the clear", "listPets is deprecated")
        await driver.press("r")
        await driver.until(lambda: len(service.requests) == 2)
        await driver.settled()
        assert "deprecated" not in driver.text
        service.always("listPets", Response(body=pets(3), headers=ENDING[:1]))
        await driver.press("r")
        await driver.sees("▲ listPets is deprecated.")


async def test_a_notice_that_was_seen_is_one_muted_line_on_the_next_animal() -> None:
    async with open_app(size=(80, 24)) as driver:
        await driver.press("enter")
        await driver.sees("confirmed", WHOLE)
        await driver.press("j")
        await driver.sees("confirmed", BRIEF)
        bar = driver.screen.notice_bar
        ((sign, style), (text, text_style), *_), *more = bar.lines(78)
        assert (sign.strip(), text) == ("▲", "getPet ends 5 December 2030")
        assert {style, text_style} == {"muted"}
        assert more == []
