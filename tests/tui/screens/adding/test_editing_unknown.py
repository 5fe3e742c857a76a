"""The form says that an entry being edited may have been added."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import ScriptedService, html

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

PERHAPS = "A0 may have been added"
WHOLE = "A0 may have been added already: adding it again would make two"


@asynccontextmanager
async def an_unknown_entry(size: tuple[int, int] = (100, 30)) -> AsyncIterator[Driver]:
    """Open the form in which A0 was added, and became unknown."""
    async with open_app(ScriptedService([]), size=size) as driver:
        await make_unknown(driver)
        yield driver


async def make_unknown(driver: Driver) -> None:
    driver.service.next("createPet", html(500))
    await driver.press("a", *"A0", "tab", "3", "enter")
    await driver.until(lambda: [e.state.value for e in driver.entries] == ["unknown"])


@pytest.mark.parametrize("size", [(40, 12), (100, 30), (300, 100)])
async def test_an_unknown_entry_in_the_form_may_be_there_already(size: tuple[int, int]) -> None:
    async with an_unknown_entry(size) as driver:
        await driver.press("f9", "enter")
        await driver.sees(PERHAPS)
        assert driver.form_text() == "A0"


async def test_where_it_is_cut_the_whole_of_it_can_be_looked_at() -> None:
    async with an_unknown_entry((40, 12)) as driver:
        await driver.press("f9", "enter")
        await driver.sees(PERHAPS)
        await driver.press("f6")
        await driver.sees("adding it again would make two")


async def test_it_is_said_while_the_entry_is_edited() -> None:
    async with an_unknown_entry() as driver:
        await driver.press("f9", "enter")
        await driver.sees(WHOLE)
        await driver.press("backspace", "1")
        await driver.sees(WHOLE)
        assert driver.form_text() == "A1"


async def test_it_is_said_of_an_entry_that_was_edited_from_the_list() -> None:
    async with an_unknown_entry() as driver:
        await driver.press("escape", "o", "enter")
        await driver.sees(WHOLE)


async def test_nobody_is_asked_and_the_next_animal_is_another() -> None:
    async with an_unknown_entry() as driver:
        await driver.press("f9", "enter", "enter")
        await driver.sees_no(PERHAPS)
        assert len(driver.entries) == 1
        await driver.press(*"A0")
        await driver.settled()
        assert PERHAPS not in driver.text


@pytest.mark.parametrize("keys", [("f4",), ("backspace", "backspace", "tab", "backspace")])
async def test_a_form_that_was_emptied_says_it_no_more(keys: tuple[str, ...]) -> None:
    async with an_unknown_entry() as driver:
        await driver.press("f9", "enter")
        await driver.sees(WHOLE)
        await driver.press(*keys)
        await driver.sees_no(PERHAPS)
        await driver.press("shift+tab" if len(keys) > 1 else "end", *"Rex")
        await driver.settled()
        assert PERHAPS not in driver.text


async def test_a_refused_or_waiting_entry_is_edited_without_a_word() -> None:
    async with open_app(ScriptedService([]), delay=60.0) as driver:
        await driver.press("a", *"A0", "tab", "3", "enter", "f9", "enter")
        await driver.until(lambda: driver.form_text() == "A0")
        assert PERHAPS not in driver.text


async def test_it_is_said_of_a_draft_that_was_put_aside_meanwhile() -> None:
    async with open_app(ScriptedService([]), delay=60.0) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.sees("– not set  waiting")
        driver.service.next("createPet", html(500))
        driver.app.session.outbox.delivery.hurry()
        await driver.until(lambda: driver.entries[-1].state.value == "unknown")
        await driver.press(*"Nelly", "enter", "f9", "down", "enter")
        await driver.sees("Rex may have been added")
        await driver.press("f8")
        await driver.until(lambda: driver.form_text() == "Nelly")
        assert "may have been added already" not in driver.text
        await driver.press("f4")
        await driver.sees("Rex may have been added")


async def test_it_is_said_after_a_restart(tmp_path: Path) -> None:
    """Also where not a key was pressed between taking it out and the end."""
    async with open_app(ScriptedService([]), store=DirectoryEntryStore(tmp_path)) as driver:
        await make_unknown(driver)
        await driver.press("f9", "enter")
        await driver.sees(PERHAPS)
    async with open_app(ScriptedService([]), store=DirectoryEntryStore(tmp_path)) as driver:
        await driver.press("a")
        await driver.sees(WHOLE)
