"""Nothing typed is lost: drafts that are kept, and that come back."""

from __future__ import annotations

from datetime import timedelta
from threading import Event
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from pettui.outbox.entries import Draft, OutboxError
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.outbox.stores.memory import MemoryEntryStore
from tests.exhaustive import product
from tests.tui.driving import (
    NOON,
    PRODUCTION,
    Case,
    FixedClock,
    case,
    check_screen,
    open_app,
    sees,
    sees_no,
    table,
)
from tests.tui.form.steps import (
    LOST,
    answers,
    form_has,
    form_is_at,
    goes_on,
    holds,
    on_empty,
    on_slow,
    outbox_has,
    refuses,
)
from tests.tui.scripted_service import ScriptedService

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tui.driving import Driver, Step

REX = ("a", *"Rex", "tab", "3")
WRONG = ("a", *"Wrnog", "tab", "3", "enter")
HALF = ("a", *"Half", "tab", "3", "f3")
AVAILABLE, PENDING = (PRODUCTION._replace(status=each) for each in ("available", "pending"))


def kept(store: MemoryEntryStore | DirectoryEntryStore) -> list[Draft]:
    """Return the typed drafts on the disk."""
    return [draft for draft in store.drafts.values() if draft.is_typed]


def later(**time: int) -> Step:
    """Return a step after which it is later."""

    async def move(driver: Driver) -> None:
        driver.clock.time += timedelta(**time)

    return move


def was_sent(status: str) -> Step:
    """Return a step that waits until the newest add had a status."""

    def is_so(driver: Driver) -> bool:
        requests = driver.service.requests_for("createPet")
        return bool(requests) and requests[-1].body["status"] == status

    return lambda driver: driver.until(lambda: is_so(driver))


@table(
    case("F4 brings back what it cleared", on_slow(), *REX, "tab", "s", "f4", form_has(),
         sees("cleared: F4 brings it back", "F4 Bring back"),
         "f4", form_has("Rex", "3", "sold"), sees("F4 Clear")),
    *(
        case(f"but not after another key: {' '.join(keys)}", on_slow(), *REX, "f4",
             sees("F4 Bring back"), *keys, sees("F4 Clear"), "f4", sees_no("Rex"))
        for keys in (("escape", "a"), ("tab",), ("left",), ("x", "backspace"))
    ),
    case("nothing comes back that was not typed", on_slow(), *REX, "enter", "f4", "f4", form_has(),
         sees("F4 Clear")),
    case("what was put aside is not glued to what is typed after an add", on_slow(), *HALF,
         *"Full", "tab", "3", "enter", *"Next", "enter", outbox_has("Full", "Next"),
         sees("Half, half typed 12:01 · F3 brings it back", "F3 Newest draft"),
         "f3", form_has("Half", "3")),
    case("F3 brings one after the other back, and then an empty form", on_slow(),
         "a", "tab", "5", "up", *"Add", "enter", *"One", "f3", *"Two", "f3",
         "f3", form_has("Two", "5"), sees("draft of 12:01 · F3 Next draft, 1 more"),
         "f3", form_has("One", "5"), sees("draft of 12:01 · F3 New animal"),
         "f3", form_has("", "5"), sees("Two, half typed 12:01, and 1 more · F3 brings it back"),
         "f3", "x", "f3", form_has("", "5"), "f3", form_has("Twox", "5")),
    case("a form that is open below is emptied by a, too", on_empty(), *REX, "f2",
         sees("confirmed"), "escape", *"Half", "f9", "enter", sees("confirmed"), "a", *"Tim",
         form_has("Tim", "3"), "f3", "f3", "f3", form_has("Half", "3")),
    case("F3 says that nothing is typed", on_slow(), "a", "f3", sees("nothing is typed yet")),
    case("F8 takes back while the next animal is half typed", on_slow(),
         *WRONG, *"Ne", "tab", "7", "tab", "s", "f8", form_has("Wrnog", "3"), form_is_at("name"),
         sees("Ne, half typed 12:01, waits"), *["backspace"] * 4, *"rong", "enter",
         outbox_has("Wrong"), form_has("", "3"), "f3", form_has("Ne", "7", "sold"),
         *"lly", "enter", outbox_has("Wrong", "Nelly")),
    case("what was put aside stays there when what came is cleared", on_slow(),
         *WRONG, *"Ne", "f8", "f4", form_has(), "f3", form_has("Ne", "3")),
    case("several are taken back, and come back in turn", on_slow(),
         *WRONG, *"Bim", "enter", *"Ne", "f8", "f8", form_has("Wrnog", "3"),
         sees("Bim, taken back"), "enter", "f3", "enter", "f3", form_has("Ne", "3"),
         outbox_has("Wrnog", "Bim")),
    case("a category alone is put aside unless an add left it", on_slow(), *WRONG, "f8",
         sees_no("half typed"), "enter", "tab", "9", "f8", "enter", "f3", form_has("", "9")),
    case("F8 says that it is too late while the request is out, and later", on_empty(),
         "a", "f8", sees("✖ Can't take it back", "nothing has been added here yet"), holds,
         *WRONG[1:], sees("sending"), "f8", sees("too late: Wrnog is being sent"), goes_on,
         sees("✔ 1 Wrnog"), *"Ne", "f8", sees("too late: Wrnog was added, with id 1"),
         form_has("Ne", "3"), "escape", sees_no("Can't take it back"), "backspace", "backspace",
         answers(LOST), *"Bim", "enter", sees("– not set unknown"), "f8",
         sees("too late: Bim was sent, and is unknown; see the outbox")),
    case("the first animal of a day keeps nothing of the day before", on_empty(profile=AVAILABLE),
         "a", form_has(status="available"), sees_no("kept"),
         *REX[1:], "tab", "s", "enter", "escape", "a", form_has("", "3", "sold"),
         later(hours=11, minutes=58), *"Mimi", "enter", "escape", later(minutes=2),
         "a", form_has(status="available"), "tab", "right", "shift+tab", *"Tim", "enter",
         outbox_has("Rex", "Mimi", "Tim 3"), was_sent("available")),
    case("a day begins in a form that is opened, and not in an open one", on_empty(),
         *REX, "tab", "s", "enter", later(days=1), *"Mimi", "enter",
         outbox_has("Rex", "Mimi 3"), was_sent("sold")),
    case("what is half typed outlives the day", on_empty(), *REX, "enter", *"Mi", "escape",
         later(days=1), "a", form_has(), sees("Mi, half typed yesterday 12:01"),
         "f3", form_has("Mi", "3")),
    case("F4 leaves the status that a day begins with", on_empty(profile=PENDING),
         *REX, "tab", "s", "f4", form_has(status="pending"), "f4", form_has("Rex", "3", "sold")),
    case("what was taken back is not called half typed", on_slow(), *REX, "enter", "f8",
         "escape", "a", sees("Rex, taken back"), sees_no("half typed")),
    case("Esc says that it closes the banner first", on_empty(), refuses("no such category"),
         *REX, "enter", sees("no such category", "esc Close the banner"),
         "escape", sees_no("Close the banner"), sees("esc Close")),
)  # fmt: skip
async def test_drafts(case: Case) -> None:
    await case.run()


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


async def test_what_is_put_aside_or_taken_back_is_there_at_the_next_start(tmp_path: Path) -> None:
    clock = FixedClock()
    store = DirectoryEntryStore(tmp_path)
    async with open_app(ScriptedService([]), store=store, delay=3600, clock=clock) as driver:
        await driver.press(*WRONG, *"Rex", "f3", *"No")
        clock.time += timedelta(hours=1)
        await driver.press("f8")
        await driver.until(lambda: all(draft.typed_at for draft in kept(store)))
        driver.type("ctrl+q")
        await driver.until(lambda: not driver.app.is_running)
    clock = FixedClock(NOON + timedelta(hours=5))
    store = DirectoryEntryStore(tmp_path)
    async with open_app(ScriptedService([]), store=store, clock=clock) as driver:
        await driver.press("a")
        assert "Wrnog, taken back 13:01, and 2 more" in driver.text
        await driver.press("f3", "f4")
        assert driver.form_text() == ""
        await driver.until(lambda: {draft.name for draft in kept(store)} == {"Rex", "No"})


class FailingDisk(MemoryEntryStore):
    """A store that keeps no draft until it is repaired."""

    is_full = True

    def keep_draft(self, number: int, draft: Draft) -> None:
        if self.is_full:
            raise OutboxError("cannot keep the draft: no space left on device")
        super().keep_draft(number, draft)


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
        await outbox_has("Wrnog")(driver)
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


async def test_a_draft_is_saved_by_itself_once_there_is_room_and_the_banner_goes() -> None:
    store = FailingDisk()
    async with open_app(ScriptedService([]), store=store) as driver:
        await driver.press("a", *"Rex")
        await driver.sees("Draft not saved")
        await driver.press("escape")
        await driver.sees_no("Draft not saved")
        await driver.press("y")
        await driver.sees("Draft not saved")
        store.is_full = False
        await driver.until(lambda: kept(store) == [Draft("Rexy")])
        await driver.sees_no("Draft not saved")
        full = OutboxError("no space left on device")
        with patch.object(store, "add", side_effect=full):
            await driver.press("tab", "3", "enter")
            await driver.sees("✖ Not added")
        store.is_full = True
        await driver.press("4")
        await driver.settled()
        await driver.sees("✖ Not added")
