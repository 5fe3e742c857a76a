"""Copies: an id or an animal, exactly, by the terminal's own clipboard (OSC 52)."""

from __future__ import annotations

import pytest

from tests.tui.driving import open_app
from tests.tui.scripted_service import Response, listing, pet


async def test_y_on_the_list_copies_the_id_under_the_cursor() -> None:
    async with open_app(listing([pet(2**63 - 1), pet(-7)])) as driver:
        await driver.press("y")
        assert driver.app.clipboard == str(2**63 - 1)
        await driver.press("j", "y")
        assert driver.app.clipboard == "-7"


async def test_a_remark_stands_until_the_next_entry_id_beside_what_the_line_says_of_the_list() -> (
    None
):
    async with open_app() as driver:
        await driver.press("y")
        assert driver.bottom.startswith("copied id 60, if this terminal allows it · 20 shown")
        await driver.press("j")
        assert driver.bottom.startswith("20 shown")
        await driver.press("enter", "Y")
        await driver.sees("copied animal 59 as JSON")
        await driver.press("pagedown")
        assert "copied" not in driver.text


async def test_a_text_too_long_for_terminals_is_not_copied_and_reported() -> None:
    async with open_app(listing([pet(5, "x" * 200_000)])) as driver:
        await driver.press("Y")
        assert "too long to copy: 200," in driver.bottom
        assert driver.app.clipboard == ""
        await driver.press("y")
        assert driver.app.clipboard == "5"


EXACT = (
    '{"id":  5, "categoryId":3.0,"name":"R\\u0065x \\ud83d\\ude00", "price": 1.10, "weight": 1e400,'
    ' "tag": -0.0, "number": 123456789012345678901234567890, "status" : null}'
)


async def test_the_copied_json_is_exactly_the_received_one() -> None:
    service = listing(Response(body=f"[ {EXACT} , {EXACT.replace('5', '4', 1)}]".encode()))
    now = EXACT.replace("1.10", "1.20")
    on_two_lines = now.replace(' "tag"', '\n"tag"')
    service.always("getPet", Response(body=f" {on_two_lines}\n".encode()))
    async with open_app(service) as driver:
        await driver.press("Y")
        assert driver.app.clipboard == EXACT
        await driver.press("j", "Y")
        assert driver.app.clipboard == EXACT.replace("5", "4", 1)
        await driver.press("k", "enter")
        await driver.sees("confirmed")
        await driver.press("Y")
        assert driver.app.clipboard == now
        await driver.press("y")
        assert driver.app.clipboard == "5"


async def test_without_an_animal_nothing_is_copied() -> None:
    async with open_app(listing([pet(2), {"id": 1}])) as driver:
        await driver.press("y", "j", "y", "Y")
        await driver.sees("there is no animal here to copy")
        assert driver.app.clipboard == "2"


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+x"])
async def test_an_api_key_is_never_copied(key: str) -> None:
    async with open_app() as driver:
        await driver.press("f7", *"secret", "shift+home", key)
        assert driver.app.clipboard == ""
        assert ("•" in driver.text) is (key == "ctrl+c")
