"""Nothing typed is lost: drafts that are kept, and that come back."""

from __future__ import annotations

from datetime import timedelta
from threading import Event
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from pettui.outbox import DirectoryEntryStore, Draft, MemoryEntryStore, OutboxError
from tests.exhaustive import product
from tests.tui.driving import NOON, PRODUCTION, Driver, FixedClock, check_screen, open_app
from tests.tui.scripted_service import ScriptedService, error, html

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
        await driver.until(lambda: kept(store) == [Draft("Rex", "3", "sold")])
        await driver.sees("F4 Clear")


@pytest.mark.parametrize(
    "keys", [("escape", "a"), ("x", "backspace"), (*"No", "f4", "f4")], ids=" ".join
)
async def test_f4_brings_nothing_back_once_something_else_was_typed(
    driver: Driver, keys: tuple[str, ...]
) -> None:
    await driver.press("a", *"Rex", "tab", "3", "f4")
    await driver.sees("F4 Bring back")
    await driver.press(*keys)
    await driver.sees("F4 Clear")
    await driver.press("f4")
    assert "Rex" not in driver.text


async def test_nothing_comes_back_that_was_not_typed(driver: Driver) -> None:
    await driver.press("a", *"Rex", "tab", "3", "enter", "f4", "f4")
    assert driver.screen.form.draft == Draft()
    await driver.sees("F4 Clear")


def kept(store: MemoryEntryStore | DirectoryEntryStore) -> list[Draft]:
    """Return the typed drafts on the disk."""
    return [draft for draft in store.drafts.values() if draft.is_typed]


HALF = ("a", *"Half", "tab", "3", "f3")
FULL = (*"Full", "tab", "3", "enter")


async def test_nothing_that_was_put_aside_comes_back_after_an_add(driver: Driver) -> None:
    """What is typed next was once glued to it, and added."""
    await driver.press(*HALF, *FULL, *"Next", "enter")
    assert names(driver) == ["Full", "Next"]
    await driver.sees("Half, half typed 12:01 · F3 brings it back", "F3 Newest draft")
    await driver.press("f3")
    assert driver.screen.form.draft == Draft("Half", "3")


async def test_f3_brings_one_after_the_other_back_and_then_an_empty_form(driver: Driver) -> None:
    await driver.press("a", "tab", "5", "up", *"Add", "enter")  # it leaves its category
    await driver.press(*"One", "f3", *"Two", "f3")
    for shown, foot in (
        ("Two", "draft of 12:01 · F3 Next draft, 1 more"),
        ("One", "draft of 12:01 · F3 New animal"),
        ("", "Two, half typed 12:01, and 1 more · F3 brings it back"),
        ("Two", "draft of 12:01 · F3 Next draft, 1 more"),
    ):
        await driver.press("f3")
        assert driver.screen.form.draft == Draft(shown, "5")
        assert foot in driver.text
    await driver.press("x", "f3")
    assert driver.form_text() == ""
    await driver.press("f3")
    assert driver.form_text() == "Twox"


WAYS = [("escape", "a"), ("f9", "escape", "escape", "a"), ()]


@pytest.mark.parametrize(("way", "days"), product(WAYS, [0, 1]), ids=str)
async def test_a_opens_an_empty_form_whose_foot_says_what_waits(
    way: tuple[str, ...], days: int
) -> None:
    clock, store = FixedClock(), MemoryEntryStore()
    async with open_app(ScriptedService([]), size=(40, 12), clock=clock, store=store) as driver:
        await driver.press("a", *"Rex")
        assert "12:01" not in driver.text
        await driver.press(*way)
        if way:
            assert driver.form_text() == ""
    clock.time += timedelta(days=days, hours=1)
    async with open_app(ScriptedService([]), size=(40, 12), clock=clock, store=store) as driver:
        await driver.press("a")
        assert driver.form_text() == ""
        day = "yesterday " if days else ""
        assert f"Rex of {day}12:01 · F3" in driver.text
        check_screen(driver, "the form")
        await driver.press(*"No")  # blindly
        assert driver.form_text() == "No"
        await driver.press("f3", "f3", "f3")
        assert driver.form_text() == "Rex"
        assert f"draft of {day}12:01" in driver.text
        await driver.press("f4", "f3")
        assert driver.form_text() == "No"


async def test_a_form_that_is_open_below_is_emptied_by_a_too() -> None:
    async with open_app(ScriptedService([]), delay=0) as driver:
        await driver.press("a", *"Rex", "tab", "3", "f2")
        await driver.sees("confirmed")
        await driver.press("escape", *"Half", "f9", "enter")
        await driver.sees("confirmed")
        await driver.press("a", *"Tim")
        assert driver.screen.form.draft == Draft("Tim", "3")
        await driver.press("f3", "f3", "f3")
        assert driver.form_text() == "Half"


async def test_f3_and_letters_in_one_packet(driver: Driver) -> None:
    driver.send(b"aHalf\x1bORNora\t3\r\x1bOR\x1bORx")
    await driver.settled()
    assert names(driver) == ["Nora"]
    assert driver.form_text() == "x"


async def test_what_is_put_aside_is_on_the_disk(tmp_path: Path) -> None:
    directory = tmp_path / "outbox"
    async with open_app(ScriptedService([]), store=DirectoryEntryStore(directory)) as driver:
        await driver.press("a", *"Rex", "f3", *"No")
        assert "Rex, half typed 12:01, waits" in driver.text
        driver.type("ctrl+q")
        await driver.until(lambda: not driver.app.is_running)
    clock = FixedClock(NOON + timedelta(hours=5))
    store = DirectoryEntryStore(directory)
    async with open_app(ScriptedService([]), store=store, clock=clock) as driver:
        assert kept(store) == [Draft("Rex"), Draft("No")]
        await driver.press("a", "f3", "f4")
        assert driver.form_text() == ""
        assert "Rex, half typed 12:01 · F3 brings it back" in driver.text
        assert kept(store) == [Draft("Rex")]


async def test_f3_says_that_nothing_is_typed(driver: Driver) -> None:
    await driver.press("a", "f3")
    assert "nothing is typed yet" in driver.bottom


def names(driver: Driver) -> list[str]:
    """Return the names of all entries, the oldest first."""
    return [entry.name for entry in driver.entries]


async def test_f8_takes_back_while_the_next_animal_is_half_typed(driver: Driver) -> None:
    await driver.press(*WRONG, *"Ne", "tab", "7", "tab", "s", "f8")
    assert driver.screen.form.draft == Draft("Wrnog", "3")
    assert "Ne, half typed 12:01, waits" in driver.text
    assert driver.app.focused.id == "name"
    await driver.press(*["backspace"] * 4, *"rong", "enter")
    assert names(driver) == ["Wrong"]
    assert driver.screen.form.draft == Draft("", "3")
    await driver.press("f3")
    assert driver.screen.form.draft == Draft("Ne", "7", "sold")
    await driver.press(*"lly", "enter")
    assert names(driver) == ["Wrong", "Nelly"]


async def test_what_was_put_aside_stays_there_when_what_came_is_cleared(driver: Driver) -> None:
    await driver.press(*WRONG, *"Ne", "f8", "f4")
    assert driver.screen.form.draft == Draft()
    await driver.press("f3")
    assert driver.screen.form.draft == Draft("Ne", "3")


async def test_several_are_taken_back_and_come_back_in_turn(driver: Driver) -> None:
    await driver.press(*WRONG, *"Bim", "enter", *"Ne", "f8", "f8")
    assert driver.form_text() == "Wrnog"
    assert "Bim, taken back" in driver.text
    await driver.press("enter", "f3", "enter", "f3")
    assert driver.form_text() == "Ne"
    assert names(driver) == ["Wrnog", "Bim"]


async def test_what_was_taken_back_is_the_newest_at_the_next_start_too(tmp_path: Path) -> None:
    clock = FixedClock()
    store = DirectoryEntryStore(tmp_path)
    async with open_app(ScriptedService([]), store=store, delay=3600, clock=clock) as driver:
        await driver.press(*WRONG, *"Ne")
        clock.time += timedelta(hours=1)
        await driver.press("f8", "escape")
        await driver.until(lambda: all(draft.typed_at for draft in kept(store)))
    store = DirectoryEntryStore(tmp_path)
    async with open_app(ScriptedService([]), store=store, clock=clock) as driver:
        await driver.press("a")
        assert "Wrnog, taken back 13:01, and 1 more" in driver.text


async def test_a_category_alone_is_put_aside_unless_an_add_left_it(driver: Driver) -> None:
    await driver.press(*WRONG, "f8")
    assert "half typed" not in driver.text
    await driver.press("enter", "tab", "9", "f8", "enter", "f3")
    assert driver.screen.form.draft == Draft("", "9")


async def test_f8_says_that_it_is_too_late_while_the_request_is_out_and_later() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", "f8")
        await driver.sees("✖ Can't take it back", "nothing has been added here yet")
        gate = driver.service.hold("createPet")
        await driver.press(*WRONG[1:])
        await driver.sees("sending")
        await driver.press("f8")
        await driver.sees("too late: Wrnog is being sent")
        gate.set()
        await driver.sees("✔ 1 Wrnog")
        await driver.press(*"Ne", "f8")
        await driver.sees("too late: Wrnog was added, with id 1")
        assert driver.form_text() == "Ne"
        await driver.press("escape")
        await driver.sees_no("Can't take it back")
        await driver.press("backspace", "backspace")
        driver.service.next("createPet", html(500))
        await driver.press(*"Bim", "enter")
        await driver.sees("– not set unknown")
        await driver.press("f8")
        await driver.sees("too late: Bim was sent, and is unknown; see the outbox")


async def test_f8_leaves_everything_as_it_is_where_the_draft_cannot_be_kept() -> None:
    """A full disk: the half-typed animal is nowhere else, so nothing is laid upon it."""
    store = FailingDisk()
    store.is_full = False
    async with open_app(ScriptedService([]), delay=3600, store=store) as driver:
        await driver.press(*WRONG)
        store.is_full = True
        await driver.press(*"Ne", "f8")
        await driver.sees("✖ Can't take it back", "no space left on device")
        assert driver.form_text() == "Ne"
        assert names(driver) == ["Wrnog"]
        store.is_full = False
        await driver.press("f8", "enter", "f3")
        assert driver.form_text() == "Ne"


async def test_a_form_that_is_closed_before_the_disk_has_forgotten_its_draft_ends_nothing() -> None:
    """F4 comes back to a screen that has no widgets any more, nor a place for what they cut."""
    is_asked, may_forget = Event(), Event()
    store = MemoryEntryStore()
    keep = store.keep_draft

    def forget_slowly(number: int, draft: Draft) -> None:
        is_asked.set()
        assert may_forget.wait(60)
        keep(number, draft)

    async with open_app(ScriptedService([]), store=store, size=(40, 12)) as driver:
        await driver.press("a", *"Rex")
        form = driver.screen
        with patch.object(store, "keep_draft", forget_slowly):
            driver.type("f4")
            await driver.until(is_asked.is_set)
            driver.app.pop_screen()
            await driver.until(lambda: not form.entry_list.is_attached)
            may_forget.set()
            await driver.press("a")
        assert driver.form_text() == ""
        assert driver.app.failure is None


class FailingDisk(MemoryEntryStore):
    """A store that keeps no draft until it is repaired."""

    is_full = True
    attempts = 0

    def keep_draft(self, number: int, draft: Draft) -> None:
        self.attempts += 1
        if self.is_full:
            raise OutboxError("cannot keep the draft: no space left on device")
        super().keep_draft(number, draft)


async def test_a_signal_that_ends_the_app_leaves_the_draft_on_the_terminal() -> None:
    async with open_app(ScriptedService([]), store=FailingDisk(), delay=3600) as driver:
        await driver.press("a", *"Bim", "tab", "3", "enter", *"Rex", "tab", "7", "tab", "s")
        await driver.sees("Draft not saved")
        driver.app.exit()  # as a signal does
        await driver.until(lambda: not driver.app.is_running)
    assert driver.app.farewell == "a draft could not be saved: Rex, category 7, sold"


@pytest.mark.parametrize("leave", [("escape", "escape", "q"), ("ctrl+q",)], ids=str)
async def test_quitting_says_once_that_a_draft_would_be_lost(leave: tuple[str, ...]) -> None:
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
    assert kept(store) == [Draft("Rex")]


async def test_the_banner_goes_once_the_draft_is_saved() -> None:
    store = FailingDisk()
    async with open_app(ScriptedService([]), store=store) as driver:
        await driver.press("a", *"Rex")
        await driver.sees("Draft not saved")
        store.is_full = False
        await driver.press("y")
        await driver.sees_no("Draft not saved")
        assert driver.form_text() == "Rexy"
        driver.screen.error_banner.show_problem("Not added", "no space left on device")
        await driver.press("x")
        await driver.sees("Not added")
        await driver.until(lambda: kept(store) == [Draft("Rexyx")])


async def test_a_draft_is_saved_by_itself_once_there_is_room() -> None:
    store = FailingDisk()
    async with open_app(ScriptedService([]), store=store) as driver:
        await driver.press("a", *"Rex")
        await driver.sees("Draft not saved")
        store.is_full = False
        await driver.until(lambda: kept(store) == [Draft("Rex")])
        await driver.sees_no("Draft not saved")


async def test_the_first_animal_of_a_day_keeps_nothing_of_the_day_before() -> None:
    clock = FixedClock()
    profile = PRODUCTION._replace(status="available")
    async with open_app(ScriptedService([]), clock=clock, profile=profile) as driver:
        await driver.press("a")
        assert driver.screen.form.draft == Draft(status="available")
        assert "kept" not in driver.text
        await driver.press(*"Rex", "tab", "3", "tab", "s", "enter", "escape", "a")
        assert driver.screen.form.draft == Draft("", "3", "sold")
        clock.time += timedelta(hours=11, minutes=58)
        await driver.press(*"Mimi", "enter", "escape")
        clock.time += timedelta(minutes=2)
        await driver.press("a")
        assert driver.screen.form.draft == Draft(status="available")
        await driver.press("tab", "right", "shift+tab", *"Tim", "enter")
        await driver.until(lambda: len(driver.sent_names) == 3)
        sent = driver.service.requests_for("createPet")[-1].body
        assert sent == {"name": "Tim", "categoryId": 3, "status": "available"}


async def test_a_day_begins_in_a_form_that_is_opened_and_not_in_an_open_one() -> None:
    clock = FixedClock()
    async with open_app(ScriptedService([]), clock=clock) as driver:
        await driver.press("a", *"Rex", "tab", "3", "tab", "s", "enter")
        clock.time += timedelta(days=1)
        await driver.press(*"Mimi", "enter")
        kind = {"categoryId": 3, "status": "sold"}
        await driver.until(lambda: len(driver.sent_names) == 2)
        assert driver.service.requests_for("createPet")[-1].body == {"name": "Mimi", **kind}


async def test_what_is_half_typed_outlives_the_day_and_a_restart() -> None:
    clock, store = FixedClock(), MemoryEntryStore()
    async with open_app(ScriptedService([]), clock=clock, store=store) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", *"Mi", "escape")
        clock.time += timedelta(days=1)
        await driver.press("a")
        assert driver.screen.form.draft == Draft()
        assert "Mi, half typed yesterday 12:01" in driver.text
        await driver.press("f3")
        assert driver.screen.form.draft == Draft("Mi", "3")


async def test_f4_leaves_the_status_that_a_day_begins_with() -> None:
    profile = PRODUCTION._replace(status="pending")
    async with open_app(ScriptedService([]), profile=profile) as driver:
        await driver.press("a", *"Rex", "tab", "3", "tab", "s", "f4")
        assert driver.screen.form.draft == Draft(status="pending")
        await driver.press("f4")
        assert driver.screen.form.draft == Draft("Rex", "3", "sold")


async def test_what_was_taken_back_is_not_called_half_typed() -> None:
    async with open_app(delay=60) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "f8", "escape", "a")
        await driver.sees("Rex, taken back")
        assert "half typed" not in driver.text


async def test_esc_says_that_it_closes_the_banner_first() -> None:
    async with open_app() as driver:
        driver.service.next("createPet", error(400, "invalid_value", "no such category"))
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.sees("no such category", "esc Close the banner")
        await driver.press("escape")
        await driver.sees_no("Close the banner")
        await driver.sees("esc Close")
