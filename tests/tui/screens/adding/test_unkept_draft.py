"""A draft that could not be kept is not lost by quitting without a word."""

from __future__ import annotations

from itertools import repeat

import pytest

from pettui.outbox import Draft, MemoryEntryStore, OutboxError
from pettui.tui.screens import pet_create
from tests.tui.driving import open_app
from tests.tui.scripted_service import ScriptedService


class FailingDisk(MemoryEntryStore):
    """A store that keeps no draft until it is repaired."""

    is_full = True
    attempts = 0

    def keep_draft(self, draft: Draft) -> None:
        self.attempts += 1
        if self.is_full:
            raise OutboxError("cannot keep the draft: no space left on device")
        super().keep_draft(draft)


async def test_a_signal_that_ends_the_app_leaves_the_draft_on_the_terminal() -> None:
    """Nobody could be asked: it can be typed again."""
    async with open_app(ScriptedService([]), store=FailingDisk(), delay=3600) as driver:
        await driver.press("a", *"Bim", "tab", "3", "enter", *"Rex", "tab", "7", "tab", "s")
        await driver.sees("Draft not saved")
        driver.app.exit()  # as a signal does
        await driver.until(lambda: not driver.app.is_running)
    assert driver.app.farewell == "a draft could not be saved: Rex, category 7, sold"


@pytest.mark.parametrize("leave", [("escape", "escape", "q"), ("ctrl+q",)], ids=str)
async def test_quitting_says_that_a_draft_would_be_lost_and_asks_once(
    leave: tuple[str, ...],
) -> None:
    """From the list, where Esc took the message away, and from the form."""
    async with open_app(ScriptedService([]), store=FailingDisk()) as driver:
        await driver.press("a", *"Rex")
        await driver.sees("Draft not saved")
        await driver.press(*leave)
        await driver.sees("A draft could not be saved", "Quitting loses it: Rex", "no space left")
        assert driver.app.is_running
        driver.type("q")
        await driver.until(lambda: not driver.app.is_running)


async def test_quitting_asks_nothing_where_the_draft_can_be_kept_by_now() -> None:
    """It is tried once more."""
    store = FailingDisk()
    async with open_app(ScriptedService([]), store=store) as driver:
        await driver.press("a", *"Rex")
        await driver.sees("Draft not saved")
        store.is_full = False
        driver.type("ctrl+q")
        await driver.until(lambda: not driver.app.is_running)
    assert store.take_over_draft() == Draft("Rex")


async def test_the_banner_goes_once_the_draft_is_saved() -> None:
    """And no other failure with it."""
    store = FailingDisk()
    async with open_app(ScriptedService([]), store=store) as driver:
        await driver.press("a", *"Rex")
        await driver.sees("Draft not saved")
        store.is_full = False
        await driver.press("y")
        await driver.sees_no("Draft not saved")
        assert driver.form_text() == "Rexy"
        driver.screen.show_problem("Not added", "no space left on device")
        await driver.press("x")
        await driver.sees("Not added")
        await driver.until(lambda: store.take_over_draft() == Draft("Rexyx"))


async def test_a_draft_is_saved_without_a_key_once_the_disk_has_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pet_create, "SAVE_AGAIN", repeat(0.01))
    store = FailingDisk()
    async with open_app(ScriptedService([]), store=store) as driver:
        await driver.press("a", *"Rex")
        await driver.sees("Draft not saved")
        store.is_full = False
        await driver.until(lambda: store.take_over_draft() == Draft("Rex"))
        await driver.sees_no("Draft not saved")


async def test_a_disk_that_stays_full_is_tried_a_few_times_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next key begins anew."""
    monkeypatch.setattr(pet_create, "SAVE_AGAIN", (0.01, 0.01))
    store = FailingDisk()
    async with open_app(ScriptedService([]), store=store) as driver:
        await driver.press("a", "R")
        await driver.until(lambda: store.attempts >= 3)
        await driver.press(*["f1", "escape"] * 10)
        seen = store.attempts
        assert seen < 6  # a key may begin anew once
        await driver.press("e")
        await driver.until(lambda: store.attempts >= seen + 3)


async def test_what_an_add_left_is_nothing_to_ask_about() -> None:
    """Nobody typed it."""
    async with open_app(ScriptedService([]), store=FailingDisk()) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.sees("✔ 1 Rex")
        driver.type("ctrl+q")
        await driver.until(lambda: not driver.app.is_running)
