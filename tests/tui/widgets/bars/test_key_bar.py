"""The key bar: what is typed into comes first, and it uses the words of the line above it."""

from __future__ import annotations

import re

import pytest

from pettui.transfer.journal import Journal
from tests.tui.driving import KEY, open_app
from tests.tui.scripted_service import ScriptedService, error


@pytest.mark.parametrize(
    ("key", "first"),
    [
        ("/", "↵ Keep  esc Clear  F2 Mark  F5 Refresh"),
        ("e", "↵ Write  tab Complete  esc Close  F2 Copy  F3 All pages  F5 Refresh"),
        ("i", "↵ Read  tab Complete  esc Close  F5 Refresh"),
        ("f7", "↵ Use this key  esc Cancel  F5 Refresh"),
    ],
)
async def test_the_keys_of_an_open_line_come_first_in_its_own_words(key: str, first: str) -> None:
    async with open_app(open_journal=Journal.in_memory) as driver:
        await driver.press(key)
        assert driver.lines[-1].strip().startswith(first)
        if "esc Cl" in first and key != "e":
            assert re.search("esc [A-Z][a-z]+", first)[0].lower() in driver.lines[-3].lower()


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
    service = ScriptedService(keys=[KEY])
    service.always(
        "createPet", error(401, "unauthorized", f"Missing or invalid API key {'y' * 80}")
    )
    async with open_app(service, size=(columns, 24)) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.sees("✖ 401 unauthorized")
        await driver.press("escape")
        await driver.sees("waiting, F5 tries now: 401")
        await driver.until(lambda: driver.lines[-1].strip() == keys)
