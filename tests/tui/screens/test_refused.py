"""A refused animal is shown in the empty form; one that may be there is never added unasked."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pettui.outbox import DirectoryEntryStore, Draft
from pettui.tui.screens import pet_create
from tests.tui.driving import PRODUCTION, Driver, check_screen, open_app
from tests.tui.resizing import resized
from tests.tui.scripted_service import Response, ScriptedService, error, html, pet

if TYPE_CHECKING:
    from pathlib import Path


TURNS = range(0, 20, 4)  # of the loop, between a refusal and a key
NINE = "categoryId 9 does not exist"
BIM = ("a", *"Bim", "tab", "3", "enter")  # what it leaves in the form is kept for the next
REX = (*"Rex", "tab", "3", "enter")
REFUSED = error(400, "invalid_value", "no room")
LOST = html(500)


@pytest.fixture
def service() -> ScriptedService:
    """It has no animals."""
    return ScriptedService([])


@pytest.fixture(autouse=True)
def shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused animal is shown as soon as the form is free for it."""
    monkeypatch.setattr(pet_create, "IDLE", 0.0)


async def refused(driver: Driver, message: str, category: str = "9") -> None:
    """Add Bim to category 3, and Rex, which is refused and shown in the form."""
    await driver.press(*BIM)
    await driver.sees("✔ 1 Bim")
    driver.service.next("createPet", error(400, "invalid_value", message))
    await driver.press(*"Rex", "tab", *category, "enter")
    await driver.until(lambda: driver.screen.form.shown)
    await driver.sees("tab Correct")


def entries(driver: Driver) -> list[tuple[str, int, str]]:
    """Return all entries, the oldest first."""
    return [(entry.name, entry.category_id, entry.state.value) for entry in driver.entries]


async def test_tab_goes_to_the_refused_field_and_typing_replaces_it() -> None:
    async with open_app(ScriptedService([]), size=(40, 12)) as driver:
        await refused(driver, NINE)
        assert driver.app.focused.id == "name"
        assert "categoryId 9 does not" in driver.line_with("✖ categoryId")
        assert "tab corrects it" in driver.text
        check_screen(driver, "the form")
        await driver.press("tab", "3", "enter")
        await driver.sees("✔ 2 Rex")
        assert entries(driver) == [("Bim", 3, "added"), ("Rex", 3, "added")]
        assert "corrects it" not in driver.text


@pytest.mark.parametrize(
    ("message", "typed", "shown"),
    [("name: too short", "Rexy", "✔ 2 Rexy"), ("status is required", "s", "○ sold")],
)
async def test_a_refused_name_is_selected_by_tab_and_a_status_is_gone_to(
    driver: Driver, message: str, typed: str, shown: str
) -> None:
    await refused(driver, message)
    await driver.press("tab", *typed, "enter")
    await driver.sees("✔ 2 Rex", shown)


async def test_a_name_that_is_typed_blindly_is_the_next_animal(driver: Driver) -> None:
    await refused(driver, NINE)
    for packet in (b"N", b"o", b"r", b"a", b"\r"):
        driver.send(packet)
        await driver.settled()
    await driver.sees("✔ 2 Nora", f"Rex: {NINE}", "F9 Edit")
    assert entries(driver) == [("Bim", 3, "added"), ("Rex", 9, "refused"), ("Nora", 9, "added")]


@pytest.mark.parametrize(("text", "left"), [("Nora", "Nora"), ("Nora\nMimi", "")])
async def test_a_name_that_is_pasted_blindly_is_the_next_animal_s_too(
    driver: Driver, text: str, left: str
) -> None:
    await refused(driver, NINE)
    driver.paste(text)
    await driver.settled()
    assert driver.app.screen_stack[1].form.draft == Draft(left, "9")
    assert entries(driver)[1] == ("Rex", 9, "refused")


async def test_letters_that_arrive_with_the_refusal_are_not_put_behind_it(driver: Driver) -> None:
    """Whichever of the two comes first, at each of many moments."""
    await driver.press(*BIM)
    await driver.sees("✔ 1 Bim")
    for turn in TURNS:
        gate = asyncio.Event()
        driver.service.next("createPet", error(400, "invalid_value", NINE, gate=gate))
        await driver.press(*f"Rex{turn}", "enter")
        await driver.until(lambda turn=turn: driver.sent_names[-1] == f"Rex{turn}")
        gate.set()
        for _ in range(turn):
            await asyncio.sleep(0)
        await driver.press(*f"Nora{turn}", "enter")
        await driver.until(lambda turn=turn: (f"Nora{turn}", 3, "added") in entries(driver))
    names = {entry.name for entry in driver.entries}
    assert names == {"Bim", *(f"Rex{n}" for n in TURNS), *(f"Nora{n}" for n in TURNS)}


async def test_a_refusal_does_not_take_the_category_that_is_being_typed(driver: Driver) -> None:
    """The next animal may begin with Tab: while the cursor is not in Name nothing is shown."""
    gate = asyncio.Event()
    driver.service.next("createPet", error(400, "invalid_value", NINE, gate=gate))
    await driver.press("a", *"Rex", "tab", "9", "enter", "tab")
    gate.set()
    await driver.sees(f"Rex: {NINE}")
    await driver.press("4", "up", *"Nora", "enter")
    await driver.until(lambda: ("Nora", 4, "added") in entries(driver))


@pytest.mark.parametrize(
    ("keys", "left", "stays"),
    [
        (("escape", "escape", "a"), Draft("", "9"), True),
        (("f4",), Draft(), True),
        (("backspace",), Draft("Re", "9"), False),
    ],
    ids=["closed", "cleared", "edited"],
)
async def test_what_is_shown_stays_in_the_outbox_until_it_is_edited(
    driver: Driver, keys: tuple[str, ...], left: Draft, *, stays: bool
) -> None:
    await refused(driver, NINE)
    await driver.press(*keys)
    await driver.until(lambda: (("Rex", 9, "refused") in entries(driver)) == stays)
    assert driver.screen.form.draft == left


@pytest.mark.parametrize("key", ["enter", "f5"])
async def test_enter_adds_it_again_and_f5_sends_it_again(driver: Driver, key: str) -> None:
    await refused(driver, NINE)
    await driver.press(key)
    await driver.sees("✔ 2 Rex")
    await driver.sees_no("400 invalid_value")
    assert driver.screen.form.draft == Draft("", "9")


async def test_what_another_window_took_is_not_corrected_here(tmp_path: Path) -> None:
    store = DirectoryEntryStore(tmp_path)
    async with open_app(ScriptedService([]), store=store) as driver:
        await refused(driver, NINE)
        assert store.remove(driver.entries[-1])
        await driver.press("tab")
        await driver.until(lambda: driver.screen.form.shown is None)
        assert driver.screen.form.draft == Draft("", "9")


async def test_a_category_without_a_name_is_pointed_out_and_not_refused() -> None:
    profile = replace(PRODUCTION, categories={3: "Dogs", 12: "Birds"})
    async with open_app(ScriptedService([]), size=(40, 12), profile=profile) as driver:
        await driver.press("a", *"Rex", "tab", "1")
        assert "not a known category" not in driver.text
        await driver.press("up")
        assert "▲ not a known category" in driver.text
        await driver.press("down", "backspace", "9")
        assert "▲ not a known category" in driver.text
        await driver.press("backspace", "3")
        assert "not a known category" not in driver.text
        await driver.press("9", "enter")
        await driver.until(lambda: ("Rex", 39, "added") in entries(driver))
        assert "▲ not a known category" in driver.text  # it is kept


async def test_f5_sends_no_refused_animal_that_the_banner_no_longer_shows(driver: Driver) -> None:
    await refused(driver, NINE)
    await driver.press("f4")
    await driver.sees_no("tab Correct")
    sent = driver.service.requests_for("createPet")
    await driver.press("f5", *"Tom")
    assert "400" not in driver.line_with("✖ 400")
    assert entries(driver)[-1] == ("Rex", 9, "refused")
    assert driver.service.requests_for("createPet") == sent


async def test_what_was_lost_does_not_come_back_as_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """F5 right after the refusal, while the form waits for the keys to rest."""
    monkeypatch.setattr(pet_create, "IDLE", 3.0)  # longer than F5 takes on a loaded machine
    async with open_app(ScriptedService([])) as driver:
        driver.service.next("createPet", REFUSED, LOST)
        await driver.press("a", *REX, *"Ne", "backspace", "backspace")
        await driver.sees("400 invalid_value")
        await driver.press("f5")
        await driver.sees("– not set  unknown: may have been added")
        await driver.screen.workers.wait_for_complete()
        await driver.settled()
        assert driver.form_text() == ""
        assert [entry.state.value for entry in driver.entries] == ["unknown"]


async def test_the_forms_f5_sends_nothing_that_may_have_been_added(driver: Driver) -> None:
    """It was sent again in the outbox; there it would be asked first."""
    driver.service.next("createPet", REFUSED, LOST)
    await driver.press("a", *REX, *"Nelly")
    await driver.sees("400 invalid_value", "F5 Send again")
    await driver.press("f9", "s")
    await driver.sees("unknown: may have been added")
    await driver.press("escape")
    await driver.sees_no("F5 Send again")
    await driver.press("f5")
    await driver.until(lambda: driver.app.session.outbox.sending.waiting_for is None)
    await driver.settled()
    assert len(driver.sent_names) == 2


async def test_a_refused_animal_comes_back_into_its_own_form(tmp_path: Path) -> None:
    store, other = DirectoryEntryStore(tmp_path), DirectoryEntryStore(tmp_path)
    async with (
        open_app(ScriptedService([]), store=store) as driver,
        open_app(ScriptedService([]), store=other) as window,
    ):
        await window.press("a")
        driver.service.next("createPet", REFUSED)
        await driver.press("a", *REX, *"Nelly")
        await driver.sees("– not set  refused")
        await window.sees("– not set  refused in another window")
        await window.screen.workers.wait_for_complete()
        await window.settled()
        assert window.form_text() == ""
        assert "✖ 400 invalid_value" not in window.text
        await driver.press(*["backspace"] * 5)
        assert [entry.name for entry in driver.entries] == ["Rex"]


# Unknown


WARNING = "A0 may have been added already: adding it again would make two"
QUESTION = "F10 adds it anyway"


async def make_unknown(driver: Driver) -> None:
    driver.service.next("createPet", html(500, b"<p>Oops</p>"))
    await driver.press("a", *"A0", "tab", "3", "enter")
    driver.app.session.outbox.hurry()
    await driver.until(lambda: states(driver) == ["A0 unknown"])
    driver.app.session.outbox.sending.resume()
    await driver.press("escape", "o")
    await driver.sees("Outbox")


def states(driver: Driver) -> list[str]:
    return [f"{entry.name} {entry.state.value}" for entry in driver.entries]


async def test_enter_shows_it_whole_with_its_keys_and_adds_nothing(driver: Driver) -> None:
    await make_unknown(driver)
    await driver.press("enter")
    await driver.sees("It was sent, and no response says", "l looks for it in the list")
    await driver.sees("s sends it again", "E copies it into the form", "x forgets it")
    await driver.sees("500 from the service", "<p>Oops</p>", "3 Dogs · – not set")
    await driver.press("enter", "enter", "enter", "enter")
    assert states(driver) == ["A0 unknown"]
    assert len(driver.sent_names) == 1


async def test_its_keys_work_where_it_is_shown(driver: Driver) -> None:
    await make_unknown(driver)
    await driver.press("enter", "l")
    await driver.sees("A0 is not among the newest 100: s sends it again")
    await driver.press("enter", "x")
    await driver.sees("Forget A0?")
    await driver.press("escape", "enter", "s")
    await driver.until(lambda: states(driver) == ["A0 added"])


async def test_what_became_of_it_meanwhile_is_said(driver: Driver) -> None:
    await make_unknown(driver)
    gate = asyncio.Event()
    driver.service.next("listPets", Response(body=[pet(7, "A0", 3)], gate=gate))
    await driver.press("l", "enter")
    gate.set()
    await driver.until(lambda: states(driver) == ["A0 added"])
    await driver.press("E")
    await driver.sees("A0 is added: nothing to do here")


async def test_a_copy_is_added_after_a_question_and_takes_its_place(driver: Driver) -> None:
    await make_unknown(driver)
    await resized(driver, (40, 12))
    await driver.press("E")
    assert driver.form_text() == "A0"
    await driver.sees("A0 may have been added")
    assert states(driver) == ["A0 unknown"]
    await driver.press("enter")
    await driver.press("enter")
    await driver.sees(QUESTION)
    check_screen(driver, "the question")
    assert len(driver.sent_names) == 1
    await driver.press("f10")
    await driver.until(lambda: states(driver) == ["A0 added"])
    assert len(driver.sent_names) == 2
    assert driver.form_text() == ""


@pytest.mark.parametrize("keys", [("escape",), ("enter", "escape", "escape")])
async def test_a_copy_that_is_cleared_or_closed_leaves_it(
    driver: Driver, keys: tuple[str, ...]
) -> None:
    await make_unknown(driver)
    await driver.press("E")
    await driver.press(*keys)
    await driver.sees("Outbox", "1 entry, 1 unknown")
    await driver.press("l")
    await driver.sees("A0 is not among the newest 100")


async def test_a_copy_that_is_taken_back_leaves_it_too() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await make_unknown(driver)
        await driver.press("E", "backspace", "1", "enter")
        await driver.press("f10")
        assert states(driver) == ["A1 waiting"]
        await driver.press("f8")
        assert driver.form_text() == "A1"
        assert states(driver) == ["A0 unknown"]
        await driver.sees(WARNING)
        await driver.press("f4", "escape")
        await driver.sees("Outbox", "1 entry, 1 unknown")


async def test_a_key_typed_ahead_neither_answers_nor_is_lost(driver: Driver) -> None:
    await make_unknown(driver)
    await driver.press("E", "enter", "f10", *"Nora")
    assert driver.form_text() == "Nora"
    assert "1 unfinished draft comes back after this" in driver.text
    assert len(driver.sent_names) == 1
    await driver.press("enter", *"Bella", "enter")
    await driver.until(lambda: states(driver) == ["A0 unknown", "Nora added", "Bella added"])
    assert driver.form_text() == "A0"
    await driver.sees(QUESTION)
    await driver.press("f10")
    await driver.until(lambda: states(driver) == ["Nora added", "Bella added", "A0 added"])
    assert driver.sent_names == ["A0", "Nora", "Bella", "A0"]


async def test_a_question_is_withdrawn_by_moving_or_editing(driver: Driver) -> None:
    await make_unknown(driver)
    await driver.press("E", "enter")
    await driver.sees(QUESTION)
    await driver.press("left", "x")
    assert driver.form_text() == "Ax0"
    await driver.sees(WARNING)
    assert QUESTION not in driver.text
    await driver.press("enter")
    await driver.sees(QUESTION)
    await driver.press("f10")
    await driver.until(lambda: states(driver) == ["Ax0 added"])


async def test_the_same_animal_typed_again_is_asked_about(driver: Driver) -> None:
    await make_unknown(driver)
    await driver.press("escape", "a", *"A0", "tab", "4", "enter")
    await driver.until(lambda: len(driver.sent_names) == 2)
    await driver.press(*"A0", "tab", "3")
    await driver.press("enter")
    await driver.sees(QUESTION, "A0 may have been added already")
    assert len(driver.sent_names) == 2
    await driver.press("f10")
    await driver.until(lambda: states(driver) == ["A0 unknown", "A0 added", "A0 added"])


async def test_pasted_lines_are_asked_about_once_for_all(driver: Driver) -> None:
    await make_unknown(driver)
    await driver.press("escape", "a", "tab", "3", "up")
    driver.paste("A0\nA0\nNora")
    await driver.sees("3 animals")
    await driver.press("enter", "f10", "enter")
    await driver.sees("F10 adds all: 2 may be doubles")
    assert len(driver.sent_names) == 1
    await driver.press("f10")
    await driver.until(lambda: len(driver.sent_names) == 4)


async def test_a_form_that_was_emptied_is_for_another_animal(driver: Driver) -> None:
    await make_unknown(driver)
    await driver.press("E")
    await driver.sees(WARNING)
    await driver.press("backspace", "backspace", "tab", "backspace")
    await driver.sees_no(WARNING)
    await driver.press("shift+tab", *"Rex", "tab", "3", "enter")
    await driver.until(lambda: states(driver) == ["A0 unknown", "Rex added"])


async def test_it_is_said_and_asked_after_a_restart(tmp_path: Path) -> None:
    async with open_app(ScriptedService([]), store=DirectoryEntryStore(tmp_path)) as driver:
        await make_unknown(driver)
        await driver.press("E")
        await driver.sees(WARNING)
    async with open_app(ScriptedService([]), store=DirectoryEntryStore(tmp_path)) as driver:
        await driver.press("a")
        await driver.sees(WARNING)
        await driver.press("enter")
        await driver.sees(QUESTION)
        await driver.press("f10")
        await driver.until(lambda: states(driver) == ["A0 added"])


async def test_f4_asks_before_it_drops_a_refused_animal(driver: Driver) -> None:
    await refused(driver, NINE)
    await driver.press("tab", "f4", "f4")  # Tab takes it out of the outbox
    await driver.sees("F4 again drops Rex, which was refused and is nowhere else")
    assert driver.form_text() == "Rex"
    await driver.press("f4")
    assert driver.form_text() == ""
