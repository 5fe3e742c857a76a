"""Nothing typed is lost: what F3, F4 and F8 put aside comes back, and a full disk is said."""

from __future__ import annotations

from datetime import timedelta
from itertools import repeat
from threading import Event
from typing import TYPE_CHECKING

import pytest

from pettui.outbox import DirectoryEntryStore, Draft, MemoryEntryStore, OutboxError
from pettui.tui.screens import pet_create
from tests.tui.driving import NOON, Driver, FixedClock, check_screen, open_app
from tests.tui.scripted_service import ScriptedService, html

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

WRONG = ("a", *"Wrnog", "tab", "3", "enter")


@pytest.fixture
async def driver() -> AsyncIterator[Driver]:
    """The app; what is added waits for an hour."""
    async with open_app(ScriptedService([]), delay=3600) as driver:
        yield driver


async def test_f4_brings_back_what_it_cleared() -> None:
    store = MemoryEntryStore()
    async with open_app(ScriptedService([]), store=store) as driver:
        await driver.press("a", *"Rex", "tab", "3", "tab", "s", "f4")
        assert driver.screen.form.draft == Draft()
        await driver.sees("cleared: F4 brings it back", "F4 Bring back")
        await driver.press("f4")
        assert driver.screen.form.draft == Draft("Rex", "3", "sold")
        assert store.take_over_draft() == Draft("Rex", "3", "sold")
        await driver.sees("F4 Clear")


async def test_nothing_comes_back_that_was_not_typed(driver: Driver) -> None:
    await driver.press("a", *"Rex", "tab", "3", "enter", "f4", "f4")
    assert driver.screen.form.draft == Draft()
    await driver.sees("F4 Clear")


@pytest.mark.parametrize("days", [0, 1])
async def test_the_form_says_of_when_its_draft_is(days: int) -> None:
    clock = FixedClock()
    async with open_app(ScriptedService([]), size=(40, 12), clock=clock) as driver:
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


async def test_f3_says_that_nothing_is_typed() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", "f3")
        assert "nothing is typed yet" in driver.bottom


def names(driver: Driver) -> list[str]:
    """Return the names of all entries, the oldest first."""
    return [entry.name for entry in driver.entries]


async def test_f8_takes_back_while_the_next_animal_is_half_typed(driver: Driver) -> None:
    await driver.press(*WRONG, *"Ne", "tab", "7", "tab", "s", "f8")
    assert driver.screen.form.draft == Draft("Wrnog", "3")
    assert "1 unfinished draft comes back after this" in driver.text
    assert driver.app.focused.id == "name"
    await driver.press(*["backspace"] * 4, *"rong", "enter")
    assert names(driver) == ["Wrong"]
    assert driver.screen.form.draft == Draft("Ne", "7", "sold")
    assert "comes back after this" not in driver.text
    await driver.press(*"lly", "enter")
    assert names(driver) == ["Wrong", "Nelly"]


async def test_what_was_put_aside_comes_back_when_what_was_taken_back_is_cleared(
    driver: Driver,
) -> None:
    await driver.press(*WRONG, *"Ne", "f8", "f4")
    assert driver.screen.form.draft == Draft("Ne", "3")
    await driver.press("f4")
    assert driver.screen.form.draft == Draft()


async def test_several_are_taken_back_and_come_back_in_turn(driver: Driver) -> None:
    await driver.press(*WRONG, *"Bim", "enter", *"Ne", "f8", "f8")
    assert driver.form_text() == "Wrnog"
    assert "2 unfinished drafts come back after this" in driver.text
    await driver.press("enter")
    assert driver.form_text() == "Bim"
    await driver.press("enter")
    assert driver.form_text() == "Ne"
    assert names(driver) == ["Wrnog", "Bim"]


async def test_a_category_alone_is_put_aside_too(driver: Driver) -> None:
    await driver.press(*WRONG, "tab", "9")
    before = driver.screen.form.draft
    await driver.press("f8", "enter")
    assert driver.screen.form.draft == before


async def test_what_an_add_left_is_not_put_aside(driver: Driver) -> None:
    await driver.press(*WRONG, "f8")
    assert "comes back after this" not in driver.text
    await driver.press("tab", "4", "enter")
    assert driver.screen.form.draft == Draft("", "34")


async def test_f8_says_that_it_is_too_late() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", "f8")
        await driver.sees("✖ Can't take it back", "nothing has been added here yet")
        await driver.press(*WRONG[1:])
        await driver.sees("✔ 1 Wrnog")
        await driver.press(*"Ne", "f8")
        await driver.sees("✖ Can't take it back", "too late: Wrnog was added, with id 1")
        assert driver.form_text() == "Ne"
        await driver.press("escape")
        await driver.sees_no("Can't take it back")


async def test_f8_says_it_while_the_request_is_out_and_when_nobody_knows() -> None:
    async with open_app(ScriptedService([])) as driver:
        gate = driver.service.hold("createPet")
        await driver.press(*WRONG)
        await driver.sees("sending")
        await driver.press("f8")
        await driver.sees("too late: Wrnog is being sent")
        gate.set()
        await driver.sees("✔ 1 Wrnog")
        driver.service.next("createPet", html(500))
        await driver.press(*"Bim", "enter")
        await driver.sees("– not set unknown")
        await driver.press("f8")
        await driver.sees("too late: Bim was sent, and is unknown; see the outbox")


async def test_f8_leaves_everything_as_it_is_where_the_draft_cannot_be_kept() -> None:
    """A full disk: the half-typed animal is nowhere else, so nothing is laid upon it."""

    class FullDisk(MemoryEntryStore):
        is_full = False

        def keep_draft(self, draft: Draft) -> None:
            if self.is_full:
                raise OutboxError("no space left on device")
            super().keep_draft(draft)

    store = FullDisk()
    async with open_app(ScriptedService([]), delay=3600, store=store) as driver:
        await driver.press(*WRONG)
        store.is_full = True
        await driver.press(*"Ne", "f8")
        await driver.sees("✖ Can't take it back", "no space left on device")
        assert driver.form_text() == "Ne"
        assert names(driver) == ["Wrnog"]
        store.is_full = False
        await driver.press("f8", "enter")
        assert driver.form_text() == "Ne"


class SlowDisk(MemoryEntryStore):
    """A store that forgets a draft when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = Event()
        self.may_forget = Event()

    def drop_draft(self) -> None:
        self.is_asked.set()
        assert self.may_forget.wait(60)
        super().drop_draft()


async def test_a_form_that_is_closed_before_the_disk_has_forgotten_its_draft_ends_nothing() -> None:
    """F4 comes back to a screen that has no widgets any more, nor a place for what they cut."""
    store = SlowDisk()
    async with open_app(ScriptedService([]), store=store, size=(40, 12)) as driver:
        await driver.press("a", *"Rex")
        form = driver.screen
        driver.type("f4")
        await driver.until(store.is_asked.is_set)
        driver.app.pop_screen()
        await driver.until(lambda: not form.entry_list.is_attached)
        store.may_forget.set()
        await driver.press("a")
        assert driver.form_text() == ""
        assert driver.app.failure is None


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
    async with open_app(ScriptedService([]), store=FailingDisk()) as driver:
        await driver.press("a", *"Rex")
        await driver.sees("Draft not saved")
        await driver.press(*leave)
        await driver.sees("A draft could not be saved", "Quitting loses it: Rex", "no space left")
        assert driver.app.is_running
        driver.type("q")
        await driver.until(lambda: not driver.app.is_running)


async def test_quitting_asks_nothing_where_the_draft_can_be_kept_by_now() -> None:
    store = FailingDisk()
    async with open_app(ScriptedService([]), store=store) as driver:
        await driver.press("a", *"Rex")
        await driver.sees("Draft not saved")
        store.is_full = False
        driver.type("ctrl+q")
        await driver.until(lambda: not driver.app.is_running)
    assert store.take_over_draft() == Draft("Rex")


async def test_the_banner_goes_once_the_draft_is_saved() -> None:
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
