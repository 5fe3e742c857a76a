"""A form that opens on an older draft says so, and F3 puts it aside for a new animal."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from pettui.outbox import DirectoryEntryStore, Draft, MemoryEntryStore
from tests.exhaustive import exhaustive
from tests.tui.driving import NOON, FixedClock, check_screen, open_app
from tests.tui.scripted_service import ScriptedService

if TYPE_CHECKING:
    from pathlib import Path

SIZES = [(40, 12), *exhaustive((120, 30), (80, 24))]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("days", [0, 1])
async def test_the_form_says_of_when_its_draft_is(size: tuple[int, int], days: int) -> None:
    """Closing the form makes it no newer."""
    clock = FixedClock()
    async with open_app(ScriptedService([]), size=size, clock=clock) as driver:
        await driver.press("a", *"Rex")
        assert "draft of" not in driver.text
        clock.time += timedelta(days=days, hours=1)
        await driver.press("escape", "a", "escape", "a")
        day = "yesterday " if days else ""
        assert f"draft of {day}12:01 · F3 New" in driver.text
        check_screen(driver, "the form")
        await driver.press("f4")
        assert "draft of" not in driver.text


async def test_f3_puts_an_old_draft_on_the_stack_for_a_new_animal() -> None:
    store = MemoryEntryStore()
    store.keep_draft(Draft("Rex", "7", typed_at=NOON.timestamp()))
    async with open_app(ScriptedService([]), store=store, delay=3600) as driver:
        driver.send(b"a\x1bORNora\t3\r")
        await driver.settled()
        assert [(entry.name, entry.category_id) for entry in driver.entries] == [("Nora", 3)]
        assert driver.screen.form.draft == Draft("Rex", "7")
        assert "draft of 12:01" in driver.text


async def test_what_is_put_aside_is_on_the_disk_and_comes_back(tmp_path: Path) -> None:
    """After the next start too, with its time."""
    directory = tmp_path / "outbox"
    async with open_app(ScriptedService([]), store=DirectoryEntryStore(directory)) as driver:
        await driver.press("a", *"Rex", "f3", *"No")
        assert "1 unfinished draft comes back after this" in driver.text
        driver.type("ctrl+q")
        await driver.until(lambda: not driver.app.is_running)
    clock = FixedClock(NOON + timedelta(hours=5))
    store = DirectoryEntryStore(directory)
    async with open_app(ScriptedService([]), store=store, clock=clock) as driver:
        await driver.press("a")
        assert "draft of 12:01" in driver.text
        assert store.draft_stack == (Draft("Rex"), Draft("No"))
        await driver.press("f4")
        assert driver.form_text() == "Rex"
        assert "draft of 12:01" in driver.text


async def test_what_is_typed_after_an_old_draft_was_added_is_new() -> None:
    store = MemoryEntryStore()
    store.keep_draft(Draft("Rex", typed_at=NOON.timestamp()))
    async with open_app(ScriptedService([]), store=store, delay=3600) as driver:
        await driver.press("a")
        assert "draft of 12:01" in driver.text
        driver.send(b"\t3\rNora")
        await driver.settled()
        assert driver.form_text() == "Nora"
        assert "draft of" not in driver.text


async def test_f3_says_that_nothing_is_typed() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", "f3")
        assert "nothing is typed yet" in driver.bottom
