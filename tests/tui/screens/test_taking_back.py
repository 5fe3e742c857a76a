"""F8 takes the last entry back whatever is half typed, and F4 clears for good."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

from pettui.outbox import DirectoryEntryStore, Draft, MemoryEntryStore, OutboxError
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import ScriptedService, html

if TYPE_CHECKING:
    from pathlib import Path

WRONG = ("a", *"Wrnog", "tab", "3", "enter")


def names(driver: Driver) -> list[str]:
    """Return the names of all entries, the oldest first."""
    return [entry.name for entry in driver.entries]


async def test_f8_takes_back_while_the_next_animal_is_half_typed() -> None:
    """And that comes back as it was, once the other is added again."""
    async with open_app(ScriptedService([]), delay=3600) as driver:
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


async def test_what_was_put_aside_comes_back_when_what_was_taken_back_is_cleared() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press(*WRONG, *"Ne", "f8", "f4")
        assert driver.screen.form.draft == Draft("Ne", "3")
        await driver.press("f4")
        assert driver.screen.form.draft == Draft()


async def test_several_are_taken_back_and_come_back_in_turn() -> None:
    """The last one first, as a pile of sheets."""
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press(*WRONG, *"Bim", "enter", *"Ne", "f8", "f8")
        assert driver.form_text() == "Wrnog"
        assert "2 unfinished drafts come back after this" in driver.text
        await driver.press("enter")
        assert driver.form_text() == "Bim"
        await driver.press("enter")
        assert driver.form_text() == "Ne"
        assert names(driver) == ["Wrnog", "Bim"]


async def test_a_category_alone_is_put_aside_too() -> None:
    """It was typed, and not left by the add."""
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press(*WRONG, "tab", "9")
        before = driver.screen.form.draft
        await driver.press("f8", "enter")
        assert driver.screen.form.draft == before


async def test_what_an_add_left_is_not_put_aside() -> None:
    """Nobody typed it: after the next add category and status are that one's."""
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press(*WRONG, "f8")
        assert "comes back after this" not in driver.text
        await driver.press("tab", "4", "enter")
        assert driver.screen.form.draft == Draft("", "34")


async def test_the_pile_is_there_when_the_form_is_opened_again(tmp_path: Path) -> None:
    """After Esc, and at the next start."""
    directory = tmp_path / "outbox"
    async with open_app(
        ScriptedService([]), delay=3600, store=DirectoryEntryStore(directory)
    ) as driver:
        await driver.press(*WRONG, *"Ne", "f8", "escape", "a")
        assert driver.form_text() == "Wrnog"
        assert "1 unfinished draft comes back after this" in driver.text
        driver.type("ctrl+q")
        await driver.until(lambda: not driver.app.is_running)
    async with open_app(
        ScriptedService([]), delay=3600, store=DirectoryEntryStore(directory)
    ) as driver:
        await driver.press("a")
        assert driver.form_text() == "Wrnog"
        await driver.press("enter")
        assert driver.form_text() == "Ne"


async def test_f8_says_that_it_is_too_late() -> None:
    """What became of the last entry, in words."""
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


async def test_f8_with_nothing_to_take_back_leaves_the_list_as_current_as_it_was() -> None:
    async with open_app() as driver:
        before = driver.text
        await driver.press("f8")
        await driver.sees("✖ Can't take it back")
        await driver.press("escape")
        await driver.sees_no("Can't take it back")
        assert driver.text == before


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
