"""What F4 cleared comes back by the same key, as long as the form is empty."""

from __future__ import annotations

from pettui.outbox import Draft, MemoryEntryStore
from tests.tui.driving import open_app
from tests.tui.scripted_service import ScriptedService


async def test_f4_brings_back_what_it_cleared() -> None:
    """And on the disk too, as what is typed is."""
    store = MemoryEntryStore()
    async with open_app(ScriptedService([]), store=store) as driver:
        await driver.press("a", *"Rex", "tab", "3", "tab", "s", "f4")
        assert driver.screen.form.draft == Draft()
        await driver.sees("cleared: F4 brings it back", "F4 Bring back")
        await driver.press("f4")
        assert driver.screen.form.draft == Draft("Rex", "3", "sold")
        assert store.take_over_draft() == Draft("Rex", "3", "sold")
        await driver.sees("F4 Clear")


async def test_the_last_one_comes_back_first() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", *"Rex", "f4", *"Bim", "f4", "f4")
        assert driver.screen.form.draft == Draft("Bim")
        await driver.press("f3", "f4")
        assert driver.screen.form.draft == Draft("Rex")
        await driver.sees("1 unfinished draft comes back after this")


async def test_nothing_comes_back_that_was_not_typed() -> None:
    """What an add left in the form."""
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "f4", "f4")
        assert driver.screen.form.draft == Draft()
        await driver.sees("F4 Clear")


async def test_the_key_says_what_it_does_with_what_is_typed_after_it() -> None:
    async with open_app(ScriptedService([]), size=(120, 30)) as driver:
        await driver.press("a", *"Rex", "f4")
        await driver.sees("F4 Bring back")
        await driver.press("B")
        await driver.sees("F4 Clear", "F3 New animal")
        await driver.press("backspace")
        await driver.sees("F4 Bring back")
