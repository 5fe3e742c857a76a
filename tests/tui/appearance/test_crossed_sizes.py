"""Sizes of the terminal that follow on each other faster than a screen is laid out."""

from __future__ import annotations

import asyncio

import pytest
from textual.events import Resize
from textual.geometry import Size

from tests.exhaustive import exhaustive
from tests.tui.driving import open_app

BEFORE, NOW = Size(80, 24), Size(100, 30)


@pytest.mark.parametrize(
    "keys", [(), ("a", "o"), *exhaustive(("a",), ("o",), ("enter",), ("f1",), (":",))]
)
async def test_if_two_resizes_cross_the_terminal_s_size_wins(keys: tuple[str, ...]) -> None:
    async with open_app(size=NOW) as driver:
        await driver.press(*keys)
        screen = driver.app.screen
        async with asyncio.timeout(60):
            # Textual answers each with another of the same size: the one would bring back the other.
            for size in (BEFORE, NOW):
                screen.post_message(Resize(size, size))
                screen.call_later(lambda: None)  # two that follow on each other would be one
            await driver.settled()
        assert all(each.size == NOW for each in driver.app.screen_stack)
