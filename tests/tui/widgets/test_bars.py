"""Key bar and notices, and a prompt line: what they say, at every width."""

from __future__ import annotations

import pytest

from pettui.outbox import EntryState, MemoryEntryStore
from pettui.tui.widgets.prompt import PromptLine
from tests.outbox.scripted import an_entry
from tests.tui.driving import PRODUCTION, check_screen, open_app
from tests.tui.resizing import resized
from tests.tui.scripted_service import Response, ScriptedService, error, listing, pet, pets


@pytest.mark.parametrize(
    ("columns", "keys"),
    [
        (80, "↵ Add and next  F8 Take back  esc Close  F1 Help  F7 Change API key"),
        (40, "↵ Add and next  F7 Change API key"),
    ],
)
async def test_the_first_key_of_a_screen_and_the_one_for_an_api_key_stay_longest(
    columns: int, keys: str
) -> None:
    service = ScriptedService()
    service.always("createPet", error(401, "unauthorized", f"Missing API key {'y' * 80}"))
    async with open_app(service, size=(columns, 24)) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.sees("✖ 401 unauthorized")
        await driver.press("escape")
        await driver.sees("waiting, F5 tries now: 401")
        await driver.until(lambda: driver.lines[-1].strip() == keys)


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ((120, 30), "1 refused · 3 unknown"),
        ((60, 20), "1 refused · 3 unknown"),
        ((40, 12), "4 to decide"),
    ],
)
async def test_what_a_clerk_must_decide_stands_out_and_stays_at_every_width(
    size: tuple[int, int], said: str
) -> None:
    store = MemoryEntryStore()
    for number in range(4):
        state = EntryState.UNKNOWN if number else EntryState.REFUSED
        store.add(an_entry(f"animal {number}", state, number))
    async with open_app(store=store, size=size) as driver:
        await driver.sees("20 shown", said)
        line = driver.screen.status_line
        assert (said, "notice") in line.lines(size[0])[0]
        check_screen(driver, "the list")
        await driver.press("y")
        await driver.sees("copied")


WHOLE = "getPet is deprecated. It goes away on 5 December 2030"
BRIEF = "▲ getPet ends on 5 December 2030 · F6"
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
        await driver.sees("▲ getPet ends on 1 January 2027 · F6")


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


async def test_a_click_on_the_line_leaves_its_keys_and_a_key_elsewhere_is_not_typed() -> None:
    async with open_app(size=(80, 24)) as driver:
        await driver.press("/", "a")
        driver.screen.set_focus(None)
        await driver.press("y")
        assert (driver.app.clipboard, driver.screen.query_one(PromptLine).text) == ("60", "a")
        assert "clear" not in driver.line_with("/ ")
        await driver.pilot.click(PromptLine, offset=(8, 0))
        await driver.settled()
        assert "clear" in driver.line_with("/ ")


async def test_a_text_gives_way_to_the_keys() -> None:
    async with open_app(size=(120, 30)) as driver:
        await driver.press("#")
        for width, shown in (
            (120, "3 of 240 loaded · ↵ go · esc close"),
            (54, "3 of 240 · ↵ go · esc close"),
            (40, "3 of 240 · ↵ go"),
        ):
            await resized(driver, (width, 12))
            driver.screen.query_one(PromptLine).describe("3 of 240 loaded", "3 of 240")
            await driver.settled()
            check_screen(driver, str(width))
            assert shown in driver.line_with("# ")
        await resized(driver, (54, 12))
        driver.screen.query_one(PromptLine).describe(
            "something far too long for this line of few cells"
        )
        await driver.settled()
        assert driver.line_with("# ").rstrip().endswith("▐" + " " * 18 + "↵ go · esc close")


async def test_the_key_for_full_texts_goes_once_nothing_but_its_hint_would_cut_a_text() -> None:
    async with open_app(size=(30, 8)) as driver:
        await driver.press("f2")
        await driver.sees("F2 does noth… · F6 Full text")
        await driver.press("j")
        await driver.until(lambda: driver.lines[-1].strip() == "20 shown · m: more")


async def test_a_remark_is_read_even_where_there_is_no_room_for_hints() -> None:
    async with open_app(size=(30, 10)) as driver:
        await driver.press("delete")
        assert driver.lines[-1].startswith(" del does not… · F6")
        await resized(driver, (20, 6))
        assert driver.lines[-1].strip() == "del does nothing…"


async def test_a_key_that_is_typed_has_cells_at_every_width() -> None:
    async with open_app(size=(20, 6)) as driver:
        await driver.press("f7", *"abc")
        assert "••• " in driver.line_with("Key")
