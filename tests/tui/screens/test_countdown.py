"""An entry that waits is counted down beside it, and F8 is named beside the one that it takes."""

from __future__ import annotations

import pytest

from pettui.tui.wording import seconds_text
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import ScriptedService, error


def entry_line(driver: Driver, name: str) -> str:
    """Return the row of an entry under the form."""
    return next(line.strip("│ ") for line in driver.lines if "◌" in line and name in line)


async def test_an_entry_is_counted_down_until_it_goes_out() -> None:
    async with open_app(ScriptedService([]), delay=1.5) as driver:
        await driver.press("a", *"Tiny", "tab", "3", "enter")
        await driver.sees("◌ Tiny  3 Dogs  – not set  waiting · 2 s · F8 takes it back")
        await driver.sees("◌ Tiny  3 Dogs  – not set  waiting · 1 s · F8 takes it back")
        await driver.sees("✔ 1 Tiny")
        assert "takes it back" not in driver.text


async def test_f8_is_named_beside_the_newest_alone() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", *"Tiny", "tab", "3", "enter", *"Rex", "enter")
        kind, waits = "  3 Dogs  – not set  ", "waiting · 60 min"
        assert entry_line(driver, "Rex") == f"◌ Rex {kind}{waits} · F8 takes it back"
        assert entry_line(driver, "Tiny") == f"◌ Tiny{kind}{waits}"
        await driver.press("f8", "f4")
        assert entry_line(driver, "Tiny") == f"◌ Tiny{kind}{waits} · F8 takes it back"


async def test_a_narrow_screen_leaves_the_key_out_and_keeps_the_seconds() -> None:
    async with open_app(ScriptedService([]), size=(40, 12), delay=3600) as driver:
        await driver.press("a", *"Tiny", "tab", "3", "enter")
        assert entry_line(driver, "Tiny") == "◌ Tiny  3 Dogs  –  waiting · 60 min"


async def test_nothing_is_counted_where_nothing_is_waited_for() -> None:
    async with open_app(ScriptedService([]), delay=0) as driver:
        gate = driver.service.hold("createPet")
        await driver.press("a", *"Rex", "tab", "3", "enter", *"Tiny", "enter")
        await driver.sees("◌ Rex   3 Dogs  – not set  sending")
        assert entry_line(driver, "Tiny").endswith("– not set  waiting · F8 takes it back")
        gate.set()
        await driver.sees("✔ 2 Tiny")


async def test_category_and_status_of_an_added_animal_are_seen_once_more() -> None:
    async with open_app(ScriptedService([]), size=(40, 12)) as driver:
        await driver.press("a", *"Tiny", "tab", *"dog", "tab", "s", "enter")
        await driver.sees("✔ 1 Tiny  3 Dogs  ○ sold")
        await driver.press(*"x" * 30, "enter")
        await driver.sees("✔ 2 xxxxxxxxxxx", "3 Dogs  ○")
        assert all(len(line) == 40 for line in driver.lines)


async def test_what_was_added_stands_in_columns_whatever_became_of_it() -> None:
    """The category too, while F8 could still help."""
    async with open_app(ScriptedService([])) as driver:
        driver.service.next("createPet", error(400, "invalid_value", "no room"))
        await driver.press("a", *"Bartholomew", "tab", "3", "enter", *"Tiny", "tab", "9", "enter")
        await driver.sees("refused", "✔ 1")
        rows = [driver.line_with(name) for name in ("Bartholomew  ", "Tiny  ")]
        assert rows[0].index("3 Dogs") == rows[1].index("9")
        assert rows[0].index("– not set") == rows[1].index("– not set")


async def test_recent_is_scrolled_by_pages_while_a_name_is_typed() -> None:
    """And shows the newest again after the next add."""
    async with open_app(ScriptedService([]), delay=3600, size=(120, 30)) as driver:
        await driver.press("a", "tab", "3", "up")
        driver.paste("\n".join(f"Animal {number}" for number in range(40)))
        await driver.press("enter", *"Re")
        assert "Animal 39" in driver.text
        await driver.press(*["pagedown"] * 20)
        await driver.sees("Animal 0 ")
        await driver.press("pageup", "pagedown", "x", "enter")
        await driver.sees("◌ Rex")
        assert [entry.name for entry in driver.entries[-1:]] == ["Rex"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.01, "1 s"), (1, "1 s"), (2.5, "3 s"), (99, "99 s"), (99.1, "2 min"), (3600, "60 min")],
)
def test_seconds_are_rounded_up(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text
