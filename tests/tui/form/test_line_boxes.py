"""Pastes of several animals: shown, counted and added, and none is lost."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from pettui.models.pets import NewPet, PetStatus
from pettui.outbox import Draft, MemoryEntryStore
from pettui.terminal.tokenizer import PASTE_MAXIMUM
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.form.test_drafts import kept, names
from tests.tui.scripted_service import ScriptedService

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from pettui.outbox import Entry


@pytest.fixture
async def driver() -> AsyncIterator[Driver]:
    """The app; what is added waits for an hour."""
    async with open_app(ScriptedService([]), delay=3600) as driver:
        yield driver


def added(driver: Driver) -> list[tuple[str, int, str | None]]:
    """Return all entries, the oldest first."""
    return [(entry.name, entry.category_id, entry.status) for entry in driver.entries]


async def paste(driver: Driver, text: str) -> None:
    """Paste a text, and wait until it was taken."""
    driver.paste(text)
    await driver.settled()


async def test_they_are_shown_and_counted_and_enter_adds_each() -> None:
    async with open_app(ScriptedService([]), delay=3600, size=(40, 12)) as driver:
        await driver.press("a", "tab", "3", "tab", "s", "up", "up")
        await paste(driver, "Rex\r\nMimi\r\n\r\nTiny 🐹\r\n")
        assert "3 animals in category 3 Dogs" in driver.text
        assert all(name in driver.text for name in ("Rex", "Mimi", "Tiny"))
        assert added(driver) == []
        check_screen(driver, "the box")
        await driver.press("enter")
        assert added(driver) == [("Rex", 3, "sold"), ("Mimi", 3, "sold"), ("Tiny 🐹", 3, "sold")]
        assert "3 added to the outbox" in driver.words
        assert driver.form_text() == ""
        check_screen(driver, "the form")


async def test_esc_leaves_the_form_as_it_was(driver: Driver) -> None:
    await driver.press("a", *"Re", "tab", "3", "up")
    await paste(driver, "Rex\nMimi")
    await driver.press("escape")
    assert driver.form_text() == "Re"
    assert driver.app.focused.id == "name"
    assert added(driver) == []
    await driver.press("x", "enter")
    assert added(driver) == [("Rex", 3, None)]


async def test_what_is_half_typed_stays_when_they_are_added() -> None:
    store = MemoryEntryStore()
    async with open_app(ScriptedService([]), delay=3600, store=store) as driver:
        await driver.press("a", *"Re", "tab", "3", "up")
        await paste(driver, "Bim\nBam")
        await driver.press("enter")
        assert names(driver) == ["Bim", "Bam"]
        assert driver.form_text() == "Re"
        assert kept(store) == [Draft("Re", "3")]


async def test_keys_in_one_packet_with_the_paste_mean_what_they_mean_slowly(driver: Driver) -> None:
    await driver.press("a", "tab", "3", "up")
    driver.send(b"\x1b[200~Rex\rMimi\r\x1b[201~\rTiny\r")
    await driver.settled()
    assert names(driver) == ["Rex", "Mimi", "Tiny"]


async def test_nothing_is_added_while_a_line_is_wrong_and_x_leaves_it_out(driver: Driver) -> None:
    await driver.press("a")
    await paste(driver, "Rex\t3\nMimi\tunicorns\n\t3\nTiny\t7\tsold")
    assert "2 lines have errors" in driver.text
    assert 'line 2 category "unicorns" is not a number' in driver.words
    assert "line 3 name is missing" in driver.words.replace("│ ", "")
    await driver.press("enter")
    assert added(driver) == []
    assert "nothing added: a line has an error" in driver.text
    await driver.press("x")
    assert "Leave out" not in driver.text
    assert "2 animals in 2 categories" in driver.text
    await driver.press("enter")
    assert added(driver) == [("Rex", 3, None), ("Tiny", 7, "sold")]


async def test_without_a_category_one_can_be_typed_there_for_all_lines(driver: Driver) -> None:
    await driver.press("a")
    await paste(driver, "Rex\t\tsold\nMimi\nTiny\t7")
    assert "line 1 and 1 more category is missing" in driver.words
    assert "type the category of those without one" in driver.words
    await driver.press("enter")
    assert "nothing added: a category is required" in driver.text
    await driver.press(*"dog")
    assert "3 animals in 2 categories" in driver.text
    await driver.press("enter")
    assert added(driver) == [("Rex", 3, "sold"), ("Mimi", 3, None), ("Tiny", 7, None)]


@pytest.mark.parametrize("size", [(120, 30), (40, 12)])
async def test_the_category_stands_beside_the_lines_and_tab_goes_to_their_keys(
    size: tuple[int, int],
) -> None:
    """An x that is typed into the field is a letter; what was left out does not come back."""
    async with open_app(ScriptedService([]), delay=3600, size=size) as driver:
        await driver.press("a")
        await paste(driver, "Rex\n\t3\nMimi\t99999999999999999999")
        await driver.press(*"xyz", "enter")
        assert "nothing added: a whole number" in driver.text
        await driver.press("ctrl+u", "3", "enter")
        assert added(driver) == []
        await driver.press("tab", "x", "backspace", "7")
        assert "1 animal in category 7 Small pets" in driver.words
        assert "✖" not in driver.text
        check_screen(driver, "the box")
        await driver.press("enter")
        assert added(driver) == [("Rex", 7, None)]


async def test_without_a_category_the_form_can_be_filled_in_first(driver: Driver) -> None:
    await driver.press("a")
    await paste(driver, "Rex\nMimi")
    await driver.press("enter", "escape", "tab", *"dog", "up")
    await paste(driver, "Rex\nMimi")
    await driver.press("enter")
    assert added(driver) == [("Rex", 3, None), ("Mimi", 3, None)]


async def test_twins_of_listed_waiting_and_pasted_ones_hold_enter_and_f10_adds_all() -> None:
    async with open_app(ScriptedService([NewPet(name="Rex", category_id=3)]), delay=3600) as driver:
        await driver.press("a", *"Tim", "tab", "3", "enter")
        await paste(driver, "Rex\nMimi\nTim\nMimi")
        for said in ("1 is already listed", "1 is already in the outbox", "1 stands here twice"):
            assert said in driver.text
        assert "▲" in driver.line_with("Rex  ")
        await driver.press("enter", "f10", "enter")  # F10 is too early
        assert names(driver) == ["Tim"]
        assert "F10 adds all: 3 are twins" in driver.text
        await driver.press("f10")
        assert names(driver) == ["Tim", "Rex", "Mimi", "Tim", "Mimi"]


async def test_f10_adds_nothing_that_was_not_asked_about(driver: Driver) -> None:
    driver.send(b"a\x1b[200~Rex\t3\nRex\t3\x1b[201~\x1b[21~")
    await driver.settled()
    assert names(driver) == []
    await driver.press("d", "enter")
    assert names(driver) == ["Rex"]


async def test_where_not_all_is_loaded_the_box_says_among_how_many_twins_were_found() -> None:
    pets = [NewPet(name=f"Rex {number}", category_id=3) for number in range(60)]
    async with open_app(ScriptedService(pets), delay=3600) as driver:
        await driver.press("L", *"30", "enter")
        await driver.sees("30 shown")
        await driver.press("a")
        await paste(driver, "Rex 0\t3\nRex 59\t3")
        assert "1 is already listed, of the 30 that are loaded" in driver.text


async def test_a_list_of_one_status_is_not_all_that_is_there() -> None:
    pet = NewPet(name="Rex", category_id=3, status=PetStatus.SOLD)
    async with open_app(ScriptedService([pet]), delay=3600) as driver:
        await driver.press("4", "a")
        await paste(driver, "Rex\t3\nMimi\t3")
        assert "1 is already listed, of the 1 that is loaded" in driver.text


@pytest.mark.parametrize("size", [(120, 30), (40, 12)])
async def test_d_leaves_twins_out_x_bad_lines_and_f3_opens_what_was_left_out(
    size: tuple[int, int],
) -> None:
    store = MemoryEntryStore()
    async with open_app(ScriptedService([]), delay=3600, store=store, size=size) as driver:
        await driver.press("a")
        await paste(driver, "Rex\t3\tsold\nMimi\tunicorns\nRex\t3\tsold")
        await driver.press("d", "x", "enter")
        assert added(driver) == [("Rex", 3, "sold")]
        assert [draft.lines for draft in kept(store)] == ["Rex\t3\tsold\nMimi\tunicorns\t\n"]
        await driver.sees("2 lines")
        check_screen(driver, "the form")
        await driver.press("f3")
        await driver.sees("Several animals")
        assert "1 is already in the outbox" in driver.words
        await driver.press("escape", *"Tim", "tab", "4", "enter", "f3")
        await driver.sees("Several animals")
        await driver.press("x", "enter")
        await driver.press("f10")
        assert names(driver) == ["Rex", "Tim", "Rex"]
        assert [draft.lines for draft in kept(store) if draft.lines] == ["Mimi\tunicorns\t\n"]
        assert driver.form_text() == ""


async def test_lines_that_were_left_out_are_read_as_before_whatever_the_first_one_is() -> None:
    store = MemoryEntryStore()
    async with open_app(ScriptedService([]), delay=3600, store=store) as driver:
        await driver.press("a")
        await paste(driver, "Rex\t3\nCoco\tunicorns\nRex\t3")
        await driver.press("x", "d", "enter", "f3")
        await driver.sees("Several animals", 'line 1  category "unicorns" is not', "Rex  3 Dogs")
        await driver.press("x", "enter")
        await driver.press("f10")
        assert names(driver) == ["Rex", "Rex"]
        assert [draft.lines for draft in kept(store) if draft.lines] == ["Coco\tunicorns\t\n"]
        await driver.press("f3")
        await driver.sees("Several animals", 'line 1  category "unicorns" is not')


async def test_what_is_typed_beside_lines_that_were_left_out_has_the_status_that_was_kept() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", *"Bim", "tab", "3", "tab", "a", "enter")
        await paste(driver, "Rex\t3\nCoco\tunicorns")
        await driver.press("x", "enter", "f3", "escape", *"Tim", "tab", "1", "enter")
        assert added(driver) == [
            ("Bim", 3, "available"), ("Rex", 3, "available"), ("Tim", 1, "available"),
        ]  # fmt: skip


async def test_f3_goes_past_the_lines_to_the_next_draft_and_f4_clears_them(driver: Driver) -> None:
    await driver.press("a", *"Half", "escape", "a", "tab", "3", "up")
    await paste(driver, "Rex\nRex")
    await driver.press("d", "enter", "f4", "f3")
    await driver.press("escape", "f3")
    assert driver.form_text() == "Half"
    await driver.press("f3", "f3")
    await driver.press("escape", "f4", "f3")
    assert driver.form_text() == "Half"


async def test_numbers_as_names_and_unknown_categories_of_a_paste_are_asked_about(
    driver: Driver,
) -> None:
    await driver.press("a")
    await paste(driver, "12\t3\nRex\t99\n13\t3")
    await driver.press("enter")
    assert "F10 adds all: 2 names are numbers, 99 is not a known category" in driver.text
    await driver.press("f10", *"Bim", "tab", *"99", "enter")
    assert names(driver) == ["12", "Rex", "13", "Bim"]


async def test_where_they_cannot_be_kept_none_is_added_and_they_stay() -> None:
    store = MemoryEntryStore(entries=2)
    async with open_app(ScriptedService([]), delay=3600, store=store) as driver:
        await driver.press("a", "tab", "3", "up")
        await paste(driver, "Rex\nMimi\nTiny")
        await driver.press("enter")
        assert added(driver) == []
        assert "nothing was added: the demo's outbox is full" in driver.words
        assert "Tiny" in driver.text


async def test_while_a_disk_takes_its_time_the_box_says_so_and_keys_wait(driver: Driver) -> None:
    may_keep, outbox = Event(), driver.app.session.outbox
    prepare = outbox._kept._store.prepare

    def keep_slowly(entries: Sequence[Entry]) -> None:
        assert may_keep.wait(60)
        prepare(entries)

    await driver.press("a", "tab", "3", "up")
    await paste(driver, "Rex\nMimi")
    with patch.object(outbox._kept._store, "prepare", keep_slowly):
        driver.type("enter", *"Tiny")
        await driver.sees("adding 2 animals")
        may_keep.set()
        await driver.until(lambda: len(driver.entries) == 2)
        await driver.settled()
    assert driver.form_text() == "Tiny"


async def test_a_paste_of_lines_into_another_field_is_one_line_of_it(driver: Driver) -> None:
    await driver.press("a", "tab")
    await paste(driver, "\n3\n")
    assert driver.screen.form.draft.category == "3"
    await driver.press("tab")
    await paste(driver, "one line")
    assert driver.form_text() == ""


async def test_pasted_columns_that_are_neither_named_nor_animals_are_not_read_by_position(
    driver: Driver,
) -> None:
    await driver.press("a")
    await paste(driver, "Hundename\tGeburtsjahr\nBello\t2011\nWaldi\t2012")
    await driver.sees("Pasted columns", "Hundename", "Which column is what?")
    await driver.press("escape")
    assert driver.form_text() == ""
    assert not driver.entries


async def test_a_paste_that_is_too_long_leaves_the_field_and_is_said(driver: Driver) -> None:
    said = "100.1 kB is too long: at most 100 kB at once"
    await driver.press("a", *"Re")
    driver.send(b"\x1b[200~" + b"x" * (PASTE_MAXIMUM + 1) + b"\x1b[201~x")
    await driver.sees(said)
    assert driver.form_text() == "Rex"
    await driver.press("escape")
    assert said not in driver.words
    assert driver.form_text() == "Rex"


# A number before a name


@pytest.mark.parametrize("typed", ["12x Guppy", "12 × Guppy", " 12X  Guppy "])
async def test_a_number_before_a_name_opens_the_box_with_as_many(
    driver: Driver, typed: str
) -> None:
    await driver.press("a", "tab", "4", "tab", "s", "up", "up")
    await driver.press(*("space" if each == " " else each for each in typed), "enter")
    await driver.sees("12 animals in category 4 Fish")
    assert added(driver) == []
    await driver.press("enter")
    assert added(driver) == [("Guppy", 4, "sold")] * 12
    assert driver.screen.form.draft == Draft("", "4", "sold")


async def test_esc_and_f10_add_one_animal_of_that_name(driver: Driver) -> None:
    await driver.press("a", *"2x", "space", *"Guppy", "enter")
    assert "category? ↵ adds then" in driver.text
    await driver.press("4", "enter", "escape")
    assert "F10 adds one animal named 2x Guppy" in driver.text
    await driver.press("enter")
    await driver.sees("2 animals")
    await driver.press("escape", "f10")
    assert added(driver) == [("2x Guppy", 4, None)]


async def test_what_is_typed_behind_that_question_edits_the_name(driver: Driver) -> None:
    await driver.press("a", "tab", "4", "up", *"2x", "space", *"Gupp", "enter", "escape", "y")
    assert driver.form_text() == "2x Guppy"


@pytest.mark.parametrize("name", ["1x Guppy", "100x Guppy", "4x4", "2x", "12 Guppys"])
async def test_other_numbers_are_part_of_a_name(driver: Driver, name: str) -> None:
    await driver.press("a", "tab", "4", "up")
    await driver.press(*("space" if each == " " else each for each in name), "enter")
    assert names(driver) == [name]
