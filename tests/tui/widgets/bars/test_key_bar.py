"""The key bar: what is typed into comes first, and it uses the words of the line above it."""

from __future__ import annotations

import pytest

from pettui.transfer.journal import Journal
from tests.tui.driving import KEY, open_app
from tests.tui.scripted_service import UNAUTHORIZED, ScriptedService, error


@pytest.mark.parametrize(
    ("key", "first"),
    [
        ("/", "↵ Keep  esc Clear  F2 Mark  F5 Refresh"),
        ("e", "↵ Write  tab Complete  esc Close  F2 Copy  F3 All pages  F5 Refresh"),
        ("i", "↵ Read  tab Complete  esc Close  F5 Refresh"),
    ],
)
async def test_the_keys_of_an_open_line_come_first_in_its_own_words(key: str, first: str) -> None:
    async with open_app(open_journal=Journal.in_memory) as driver:
        await driver.press(key)
        assert driver.lines[-1].strip().startswith(first)
        line = driver.lines[-3].lower()
        hints = [hint for hint in first.removesuffix("  F5 Refresh").split("  ") if "esc" in hint]
        assert all(hint.lower() in line for hint in hints if key != "e")


async def test_the_keys_of_the_prompt_for_an_api_key_come_first() -> None:
    service = ScriptedService(keys=[KEY])
    service.always("listPets", UNAUTHORIZED)
    async with open_app(service) as driver:
        await driver.sees("F7 Change API key")
        await driver.press("f7")
        assert driver.lines[-1].strip().startswith("↵ Use this key  esc Cancel  F5")


async def test_the_other_rows_of_an_export_are_one_term_in_line_and_bar() -> None:
    async with open_app() as driver:
        await driver.press("e")
        assert "F3 all pages" in driver.lines[-3]
        assert "F3 All pages" in driver.lines[-1]
        await driver.press("f3")
        assert "F3 as shown" in driver.lines[-3]
        assert "F3 As shown" in driver.lines[-1]


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
