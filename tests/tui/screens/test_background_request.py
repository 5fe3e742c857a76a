"""What a request shows while it runs, and no longer."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.tui.driving import open_app

DUE = 0.01  # seconds


@pytest.mark.parametrize("turns", range(0, 8, 3))
async def test_nothing_is_said_to_load_after_the_response_even_if_that_was_just_due(
    turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine: the timer of the text fires, and its call waits behind the response."""
    monkeypatch.setattr("pettui.tui.screens.screen.SHOWN_AFTER", DUE)
    async with open_app() as driver:
        screen = driver.screen

        async def load() -> None:
            with screen.busy("loading"):
                for _ in range(3):
                    await asyncio.sleep(0)  # the timer starts
                time.sleep(2 * DUE)  # noqa: ASYNC251 - the loop is held up
                for _ in range(turns):
                    await asyncio.sleep(0)

        screen.start_request(load)
        await driver.until(lambda: not screen.is_requesting)
        await driver.settled()
        assert screen.busy_text == ""
        assert not driver.screen.header.spinner
