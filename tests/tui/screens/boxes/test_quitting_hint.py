"""Ctrl+C does not quit; how to is said inline, on every screen and in every box."""

from __future__ import annotations

import pytest

from tests.exhaustive import exhaustive
from tests.tui.driving import open_app
from tests.tui.scripted_service import UNAUTHORIZED

PLACES = {
    "list": ((), "q quits"),
    "detail": (("enter",), "ctrl+q quits"),
    "form": (("a",), "ctrl+q quits"),
    "form with a name": (("a", *"Rex"), "ctrl+q quits"),
    "outbox": (("o",), "ctrl+q quits"),
    "help": (("f1",), "ctrl+q quits"),
    "palette": ((":", *"add"), "ctrl+q quits"),
    "prompt": (("r", "f7", *"secret"), "ctrl+q quits"),
}
OTHERS = ("detail", "form with a name", "outbox", "help")


@pytest.mark.parametrize("place", ["list", "form", "palette", "prompt", *exhaustive(*OTHERS)])
async def test_ctrl_c_says_how_to_quit_until_the_next_key(place: str) -> None:
    keys, said = PLACES[place]
    async with open_app(size=(40, 12)) as driver:
        if place == "prompt":
            driver.service.next("listPets", UNAUTHORIZED)
            await driver.press("r")
            await driver.sees("✖ 401 unauthorized")
            keys = keys[1:]
        await driver.press(*keys)
        await driver.press("ctrl+c")
        assert said in driver.text
        assert not driver.screen.query("Toast")
        await driver.press("home")
        assert said not in driver.text


async def test_a_rebound_key_is_the_one_that_is_said() -> None:
    async with open_app(keys={"quit": "x", "quit_anywhere": "f10"}) as driver:
        await driver.press("ctrl+c")
        assert "x quits" in driver.text
        await driver.press("f1", "ctrl+c")
        assert "F10 quits" in driver.text


async def test_what_textual_would_show_in_a_toast_is_said_inline() -> None:
    """Whatever it is, with its markup, and as one harmless line."""
    async with open_app() as driver:
        driver.app.notify("Saved [b]it[/b]\n\x1b[31m now", title="Done")
        await driver.sees("Saved it ␛[31m now")
        assert not driver.screen.query("Toast")
