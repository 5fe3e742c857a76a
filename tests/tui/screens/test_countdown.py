"""An entry that waits is counted down beside it, and F8 is named beside the one that it takes."""

from __future__ import annotations

import pytest

from pettui.tui.wording.entry_texts import seconds_text
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import ScriptedService


def entry_line(driver: Driver, name: str) -> str:
    """Return the row of an entry under the form."""
    return next(line.strip("│ ") for line in driver.lines if "◌" in line and name in line)


async def test_an_entry_is_counted_down_until_it_goes_out() -> None:
    async with open_app(ScriptedService([]), delay=1.5) as driver:
        await driver.press("a", *"Tiny", "tab", "3", "enter")
        await driver.sees("◌ Tiny  waiting · 2 s · F8 takes it back")
        await driver.sees("◌ Tiny  waiting · 1 s · F8 takes it back")
        await driver.sees("✔ 1 Tiny")
        assert "takes it back" not in driver.text


async def test_f8_is_named_beside_the_newest_alone() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", *"Tiny", "tab", "3", "enter", *"Rex", "enter")
        assert entry_line(driver, "Rex") == "◌ Rex  waiting · 60 min · F8 takes it back"
        assert entry_line(driver, "Tiny") == "◌ Tiny  waiting · 60 min"
        await driver.press("f8", "f4")
        assert entry_line(driver, "Tiny") == "◌ Tiny  waiting · 60 min · F8 takes it back"


async def test_another_key_is_named_where_it_is_bound() -> None:
    keys = {"take_back": "ctrl+t"}
    async with open_app(ScriptedService([]), delay=3600, keys=keys) as driver:
        await driver.press("a", *"Tiny", "tab", "3", "enter")
        assert "^t takes it back" in entry_line(driver, "Tiny")


async def test_a_narrow_screen_leaves_the_key_out_and_keeps_the_seconds() -> None:
    async with open_app(ScriptedService([]), size=(40, 12), delay=3600) as driver:
        await driver.press("a", *"Tiny", "tab", "3", "enter")
        assert entry_line(driver, "Tiny") == "◌ Tiny  waiting · 60 min"


async def test_nothing_is_counted_where_nothing_is_waited_for() -> None:
    async with open_app(ScriptedService([]), delay=0) as driver:
        gate = driver.service.hold("createPet")
        await driver.press("a", *"Rex", "tab", "3", "enter", *"Tiny", "enter")
        await driver.sees("◌ Rex  sending")
        assert entry_line(driver, "Tiny") == "◌ Tiny  waiting · F8 takes it back"
        gate.set()
        await driver.sees("✔ 2 Tiny")


@pytest.mark.parametrize(
    ("size", "shown"),
    [((80, 24), "✔ 1 Tiny  3 Dogs  ○ sold"), ((40, 12), "✔ 1 Tiny  3 Dogs  ○ sold")],
)
async def test_category_and_status_of_an_added_animal_are_seen_once_more(
    size: tuple[int, int], shown: str
) -> None:
    async with open_app(ScriptedService([]), size=size) as driver:
        await driver.press("a", *"Tiny", "tab", *"dog", "tab", "s", "enter")
        await driver.sees(shown)
        await driver.press(*"x" * 30, "enter")
        await driver.sees(f"✔ 2 {'x' * 30}")
        assert all(len(line) == size[0] for line in driver.lines)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.01, "1 s"), (1, "1 s"), (2.5, "3 s"), (99, "99 s"), (99.1, "2 min"), (3600, "60 min")],
)
def test_seconds_are_rounded_up(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text
