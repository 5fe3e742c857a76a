"""Sizes of the terminal, and how screens are laid out for them."""

from __future__ import annotations

import asyncio

import pytest
from textual.events import Resize
from textual.geometry import Size

from pettui.tui.appearance import TALL, WIDE
from tests.tui.driving import open_app
from tests.tui.resizing import resized

BEFORE, NOW = Size(80, 24), Size(100, 30)
SCREENS = [(), ("a", "o")]


@pytest.mark.parametrize("keys", SCREENS)
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


@pytest.mark.parametrize("keys", SCREENS)
async def test_no_layout_of_a_new_size_is_that_of_the_former_one(keys: tuple[str, ...]) -> None:
    """Textual sets the classes after it has laid the screen out, and draws both."""
    laid_out: list[tuple[Size, frozenset[str]]] = []
    async with open_app(size=NOW) as driver:
        await driver.press(*keys)
        screen = driver.app.screen
        screen.screen_layout_refresh_signal.subscribe(
            driver.app,
            lambda _: laid_out.append((screen._compositor.size, screen.classes)),
            immediate=True,
        )
        for size in (Size(60, TALL), Size(WIDE, 12), NOW):
            await resized(driver, size)
    assert {size for size, _ in laid_out} == {Size(60, TALL), Size(WIDE, 12), NOW}
    for size, classes in laid_out:
        assert ("-wide" in classes) == (size.width >= WIDE), size
        assert ("-tall" in classes) == (size.height >= TALL), size
