"""Status line and key bar: what stays at every width."""

from __future__ import annotations

import pytest

from pettui.outbox.entries import EntryState
from pettui.outbox.stores.memory import MemoryEntryStore
from tests.outbox.scripted import an_entry
from tests.tui.driving import check_screen, open_app, resized
from tests.tui.scripted_service import ScriptedService, error


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
