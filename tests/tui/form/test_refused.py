"""A refused animal is corrected by F8 alone; one that may be there is never added unasked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from textual import events

from pettui.outbox import DirectoryEntryStore, Draft
from tests.tui.driving import PRODUCTION, Driver, check_screen, open_app
from tests.tui.resizing import resized
from tests.tui.scripted_service import UNAUTHORIZED, ScriptedService, error, html

if TYPE_CHECKING:
    from pathlib import Path


NINE = "categoryId 9 does not exist"
BIM = ("a", *"Bim", "tab", "3", "enter")  # what it leaves in the form is kept for the next
REX = (*"Rex", "tab", "3", "enter")
REFUSED = error(400, "invalid_value", "no room")
LOST = html(500)


@pytest.fixture
def service() -> ScriptedService:
    """It has no animals."""
    return ScriptedService([])


async def refused(driver: Driver, message: str, category: str = "9") -> None:
    """Add Bim to category 3, and Rex, which is refused."""
    await driver.press(*BIM)
    await driver.sees("✔ 1 Bim")
    driver.service.next("createPet", error(400, "invalid_value", message))
    await driver.press(*"Rex", "tab", *category, "enter")
    await driver.press("f10")
    await driver.sees("✖ 400 invalid_value", f"Rex: {message}", "F8 Correct")


def entries(driver: Driver) -> list[tuple[str, int, str]]:
    """Return all entries, the oldest first."""
    return [(entry.name, entry.category_id, entry.state.value) for entry in driver.entries]


STAYS = [("Bim", 3, "added"), ("Rex", 9, "refused")]
IS_CORRECTED = [("Bim", 3, "added"), ("Rex", 3, "added")]


async def test_f8_goes_to_the_refused_field_and_typing_replaces_it() -> None:
    async with open_app(ScriptedService([]), size=(40, 12)) as driver:
        await driver.press(*BIM)
        await driver.sees("✔ 1 Bim")
        driver.service.next("createPet", error(400, "invalid_value", NINE))
        await driver.press(*"Rex", "tab", "9", "enter")
        await driver.press("f10")
        await driver.sees("F8 Correct")
        assert driver.form_text() == ""
        await driver.press("f8")
        assert driver.app.focused.id == "category"
        assert "categoryId 9 does not" in driver.line_with("✖ categoryId")
        check_screen(driver, "the form")
        await driver.press("3")
        assert entries(driver) == STAYS
        await driver.press("enter")
        await driver.until(lambda: entries(driver) == IS_CORRECTED)
        await driver.sees_no("400 invalid_value")


@pytest.mark.parametrize(
    ("message", "typed", "shown"),
    [("name: too short", "Rexy", "✔ 2 Rexy"), ("status is required", "s", "○ sold")],
)
async def test_a_refused_name_is_selected_by_f8_and_a_status_is_gone_to(
    driver: Driver, message: str, typed: str, shown: str
) -> None:
    await refused(driver, message)
    await driver.press("f8", *typed, "enter")
    await driver.sees("✔ 2 Rex", shown)


@pytest.mark.parametrize("typed", ["Nora", "Nora\nMimi"])
async def test_no_refusal_changes_what_is_typed_or_pasted(driver: Driver, typed: str) -> None:
    """It may come at any moment between the keys."""
    gate = asyncio.Event()
    driver.service.next("createPet", error(400, "invalid_value", NINE, gate=gate))
    await driver.press("a", *"Rex", "tab", "9", "enter")
    await driver.press("f10")
    for number, character in enumerate(typed[:4]):
        if number == 2:
            gate.set()
            await driver.sees(f"Rex: {NINE}")
        await driver.press(character)
        assert driver.screen.form.draft == Draft(typed[: number + 1], "9")
    await driver.press("enter")
    await driver.until(lambda: ("Nora", 9, "added") in entries(driver))
    driver.paste(typed)
    await driver.settled()
    assert driver.app.screen_stack[1].form.name_input.value in ("", "Nora")
    assert entries(driver)[0] == ("Rex", 9, "refused")


async def test_a_refusal_does_not_take_the_category_that_is_being_typed(driver: Driver) -> None:
    gate = asyncio.Event()
    driver.service.next("createPet", error(400, "invalid_value", NINE, gate=gate))
    await driver.press("a", *"Rex", "tab", "9", "enter")
    await driver.press("f10", "tab")
    gate.set()
    await driver.sees(f"Rex: {NINE}")
    await driver.press("4", "up", *"Nora", "enter")
    await driver.until(lambda: ("Nora", 4, "added") in entries(driver))


async def test_a_category_that_was_refused_is_not_offered(driver: Driver) -> None:
    await refused(driver, NINE)
    await driver.press("f4", "tab", "right")
    assert driver.screen.form.draft.category == "3"


async def test_what_is_half_typed_when_f8_corrects_is_put_aside(driver: Driver) -> None:
    await refused(driver, NINE)
    await driver.press(*"Half", "f8", "3", "enter")
    await driver.until(lambda: entries(driver) == IS_CORRECTED)
    assert driver.screen.form.draft == Draft("", "3")
    await driver.press("f3")
    assert driver.screen.form.draft == Draft("Half", "9")


LOOKS = {
    "a look": ("tab", "shift+tab"),
    "the outbox": ("f9", "escape"),
    "closed": ("escape", "escape", "a"),
    "cleared": ("f4",),
    "edited and put aside": ("4", "f3"),
    "edited and cleared": ("4", "f4"),
    "edited and closed": ("4", "escape", "escape", "a"),
}


@pytest.mark.parametrize("keys", LOOKS.values(), ids=LOOKS.keys())
async def test_a_refused_animal_stays_in_the_outbox_until_its_correction_is_added(
    driver: Driver, keys: tuple[str, ...]
) -> None:
    await refused(driver, NINE)
    await driver.press("f8", *keys)
    assert entries(driver) == STAYS
    await driver.press("f9")
    await driver.sees("2 entries, 1 refused")


@pytest.mark.parametrize(
    "keys", [("f4",), ("f3",), ("escape", "escape", "a"), ("f9", "escape", "f4")], ids=str
)
async def test_a_copy_that_was_not_edited_is_dropped_without_a_question(
    driver: Driver, keys: tuple[str, ...]
) -> None:
    await refused(driver, NINE)
    await driver.press("f8")
    assert driver.form_text() == "Rex"
    await driver.press(*keys)
    assert driver.screen.form.draft == Draft("", "9")
    assert driver.app.session.outbox.drafts.all == []
    assert "half typed" not in driver.text
    assert "F4 brings it back" not in driver.text


async def test_a_copy_that_was_edited_is_not_copied_again(driver: Driver) -> None:
    await refused(driver, NINE)
    await driver.press("f8", *"44", "f8")
    assert driver.screen.form.draft == Draft("Rex", "44")
    await driver.press("f3", *"Half", "f8")
    assert driver.screen.form.draft == Draft("Rex", "44")
    await driver.press("f3", "f9", "enter")
    assert driver.screen.form.draft == Draft("Rex", "44")
    assert [draft.name for draft in driver.app.session.outbox.drafts.put_aside] == ["Half"]


@pytest.mark.parametrize("key", ["enter", "E"])
async def test_a_key_of_the_outbox_copies_it_too(driver: Driver, key: str) -> None:
    await refused(driver, NINE)
    await driver.press("f9")
    await driver.sees("↵ Correct")
    await driver.press(key, "3", "enter")
    await driver.until(lambda: entries(driver) == IS_CORRECTED)


@pytest.mark.parametrize(
    ("keys", "left"), [(("f5",), Draft("", "9")), (("f8", "f5"), Draft("", "9"))], ids=str
)
async def test_f5_sends_it_again_as_it_is(
    driver: Driver, keys: tuple[str, ...], left: Draft
) -> None:
    await refused(driver, NINE)
    await driver.press(*keys)
    await driver.sees("✔ 2 Rex")
    await driver.sees_no("400 invalid_value")
    assert driver.screen.form.draft == left


async def test_enter_adds_the_copy_as_it_is(driver: Driver) -> None:
    await refused(driver, NINE)
    await driver.press("f8", "enter")
    await driver.sees("✔ 2 Rex")
    assert len(entries(driver)) == 2


async def test_enter_asks_where_the_original_was_sent_again_meanwhile(driver: Driver) -> None:
    await refused(driver, NINE)
    await driver.press("f8", "4", "f9", "s")
    await driver.until(lambda: ("Rex", 9, "added") in entries(driver))
    await driver.press("X", "escape", "enter")
    await driver.sees(QUESTION, "Rex may have been added already")
    await driver.press("f10")
    await driver.until(lambda: entries(driver) == [("Rex", 4, "added")])


async def test_enter_asks_nothing_where_the_original_was_forgotten(driver: Driver) -> None:
    await refused(driver, NINE)
    await driver.press("f8", "4", "f9", "x")
    await driver.sees("Forget Rex?")
    await driver.press("y", "escape", "enter")
    await driver.until(lambda: entries(driver) == [("Bim", 3, "added"), ("Rex", 4, "added")])


async def test_the_banner_names_the_newest_of_several_and_f8_corrects_one_after_the_other(
    driver: Driver,
) -> None:
    for name in ("A", "B", "C"):
        driver.service.next("createPet", error(400, "invalid_value", f"{name} is wrong"))
    await driver.press("a", *"A", "tab", "3", "enter", *"B", "enter", *"C", "enter")
    await driver.sees("✖ 400 invalid_value · and 2 more", "C: C is wrong")
    await driver.press("f8", "c", "enter")
    await driver.sees("✖ 400 invalid_value · and 1 more", "B: B is wrong")
    await driver.press("escape")
    await driver.sees_no("✖ 400")
    await driver.press("escape", "a")
    assert "✖ 400" not in driver.text
    driver.service.next("createPet", error(400, "invalid_value", "D is wrong"))
    await driver.press(*"D", "enter")
    await driver.sees("✖ 400 invalid_value · and 2 more", "D: D is wrong")


async def test_the_banner_names_an_older_one_that_is_refused_again(driver: Driver) -> None:
    for name in ("A", "B"):
        driver.service.next("createPet", error(400, "invalid_value", f"{name} is wrong"))
    await driver.press("a", *"A", "tab", "3", "enter", *"B", "enter")
    await driver.sees("and 1 more", "B: B is wrong")
    await driver.press("escape")
    driver.service.next("createPet", error(400, "invalid_value", "A is wrong again"))
    await driver.press("f9", "j", "s", "escape")
    await driver.sees("✖ 400 invalid_value · and 1 more", "A: A is wrong again")


async def test_a_form_that_opens_names_what_was_refused_meanwhile(driver: Driver) -> None:
    gate = asyncio.Event()
    driver.service.next("createPet", error(400, "invalid_value", NINE, gate=gate))
    await driver.press("a", *"Rex", "tab", "9", "enter")
    await driver.press("f10", "escape")
    gate.set()
    await driver.until(lambda: entries(driver) == [("Rex", 9, "refused")])
    await driver.press("a")
    await driver.sees(f"Rex: {NINE}", "F8 Correct")
    assert driver.form_text() == ""


async def test_in_an_outage_f8_reaches_the_refused_one_before_those_that_wait(
    driver: Driver,
) -> None:
    await refused(driver, NINE)
    driver.service.always("createPet", UNAUTHORIZED)
    await driver.press(*"Tim", "enter")
    await driver.sees("– not set  waiting")
    assert "F8 takes it back" not in driver.text
    await driver.press("f8")
    assert driver.form_text() == "Rex"
    await driver.press("f4", "escape")
    await driver.sees("F8 Take back")
    await driver.press("f8")
    assert driver.form_text() == "Tim"


async def test_f8_takes_back_what_is_counted_down_before_it_corrects() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        driver.service.next("createPet", REFUSED)
        await driver.press("a", *REX)
        driver.app.session.outbox.hurry()
        await driver.sees("✖ 400 invalid_value")
        await driver.press(*"Tim", "enter")
        await driver.sees("F8 takes it back", "F9 Edit", "F8 Take back")
        await driver.press("f8")
        assert driver.form_text() == "Tim"


async def test_what_another_window_removed_is_not_corrected_here(tmp_path: Path) -> None:
    store = DirectoryEntryStore(tmp_path)
    async with open_app(ScriptedService([]), store=store) as driver:
        await refused(driver, NINE)
        assert store.remove(driver.entries[-1])
        await driver.sees_no("F8 Correct")
        await driver.press("f8")
        assert driver.screen.form.draft == Draft("", "9")


async def test_a_category_without_a_name_is_pointed_out_and_not_refused() -> None:
    profile = PRODUCTION._replace(categories={3: "Dogs", 12: "Birds"})
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
        await driver.press("f10")
        await driver.until(lambda: ("Rex", 39, "added") in entries(driver))
        assert "▲ not a known category" in driver.text  # it is kept


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


async def test_a_refused_animal_is_named_in_its_own_window_alone(tmp_path: Path) -> None:
    store, other = DirectoryEntryStore(tmp_path), DirectoryEntryStore(tmp_path)
    async with (
        open_app(ScriptedService([]), store=store) as driver,
        open_app(ScriptedService([]), store=other) as window,
    ):
        await window.press("a")
        driver.service.next("createPet", REFUSED)
        await driver.press("a", *REX, *"Nelly")
        await driver.sees("– not set  refused", "F8 Correct")
        await window.sees("– not set  refused in another window")
        assert "✖ 400 invalid_value" not in window.text


async def test_f5_sends_no_refused_animal_that_the_banner_no_longer_shows(driver: Driver) -> None:
    await refused(driver, NINE)
    await driver.press("escape")
    await driver.sees_no("F8 Correct")
    sent = driver.service.requests_for("createPet")
    await driver.press("f5", *"Tom")
    assert "400" not in driver.line_with("✖ 400")
    assert entries(driver)[-1] == ("Rex", 9, "refused")
    assert driver.service.requests_for("createPet") == sent


# Unknown


WARNING = "A0 may have been added already: adding it again would make two"
QUESTION = "F10 adds it anyway"


async def make_unknown(driver: Driver) -> None:
    driver.service.next("createPet", html(500, b"<p>Oops</p>"))
    await driver.press("a", *"A0", "tab", "3", "enter")
    driver.app.session.outbox.hurry()
    await driver.until(lambda: states(driver) == ["A0 unknown"])
    driver.app.session.outbox.sending.resume()
    await driver.sees("F9 Decide")
    await driver.press("escape", "escape", "o")
    await driver.sees("Outbox")


def states(driver: Driver) -> list[str]:
    return [f"{entry.name} {entry.state.value}" for entry in driver.entries]


async def test_enter_shows_it_whole_with_its_keys_and_adds_nothing(driver: Driver) -> None:
    await make_unknown(driver)
    await driver.press("enter")
    await driver.sees("It was sent, and no response says", "l shows the listed animals that it")
    await driver.sees("s sends it again", "E copies it into the form", "x forgets it")
    await driver.sees("500 from the service", "<p>Oops</p>", "3 Dogs · – not set")
    await driver.press("enter", "enter", "enter", "enter")
    assert states(driver) == ["A0 unknown"]
    assert len(driver.sent_names) == 1


async def test_its_keys_work_where_it_is_shown(driver: Driver) -> None:
    await make_unknown(driver)
    await driver.press("enter", "l")
    await driver.sees("Unknown", "No animal of this name and category is listed.")
    await driver.press("escape", "enter", "x")
    await driver.sees("Forget A0?")
    await driver.press("escape", "enter", "s")
    await driver.sees("Send A0 again?")
    await driver.press("y")
    await driver.until(lambda: states(driver) == ["A0 added"])


async def test_what_became_of_it_meanwhile_is_said(driver: Driver) -> None:
    await make_unknown(driver)
    await driver.press("enter")
    await driver.app.session.outbox.send_again(driver.entries[0].entry_id)
    await driver.until(lambda: states(driver) == ["A0 added"])
    await driver.press("E")
    await driver.sees("A0 is added: this key is for refused or unknown animals")


async def test_a_copy_is_added_after_a_question_and_leaves_it_to_be_decided(
    driver: Driver,
) -> None:
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
    await driver.until(lambda: states(driver) == ["A0 unknown", "A0 added"])
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
    await driver.sees("Unknown", "No animal of this name and category is listed.")


async def test_a_correction_stands_in_its_place_and_f8_takes_back_what_was_typed_last() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        driver.service.next("createPet", REFUSED)
        await driver.press("a", *REX)
        driver.app.session.outbox.hurry()
        await driver.sees("F8 Correct")
        await driver.press(*"Tim", "enter", "f9", "G", "enter", "y", "enter")
        assert states(driver) == ["Rexy waiting", "Tim waiting"]
        await driver.press("f8")
        assert driver.form_text() == "Rexy"
        assert states(driver) == ["Tim waiting"]


async def test_an_unknown_animal_is_named_in_the_banner_until_it_is_dismissed(
    driver: Driver,
) -> None:
    driver.service.next("createPet", html(500, b"<p>Oops</p>"))
    await driver.press("a", *"A0", "tab", "3", "enter")
    await driver.sees("A0: 500 from the service", "F9 Decide")
    assert "Send again" not in driver.text
    await driver.press("f9")
    await driver.sees("1 entry, 1 unknown")
    await driver.press("escape", "escape")
    assert "500 unknown" not in driver.text
    await driver.press("escape", "a")
    assert "500 unknown" not in driver.text


async def test_an_esc_from_before_the_banner_closes_the_form_as_it_was_meant(
    driver: Driver,
) -> None:
    driver.service.next("createPet", html(500, b"<p>Oops</p>"))
    await driver.press("a", *"A0", "tab", "3")
    escape = events.Key("escape", None)
    await driver.press("enter")
    await driver.sees("F9 Decide")
    driver.post(escape)
    await driver.settled()
    await driver.sees("1 All", "1 unknown")
    await driver.press("a")
    await driver.sees("A0: 500 from the service", "F9 Decide")


async def test_an_esc_for_a_banner_does_not_close_the_one_that_came_in_its_place(
    driver: Driver,
) -> None:
    for name in ("A0", "A1"):
        driver.service.next("createPet", html(500, b"<p>Oops</p>"))
        escape = events.Key("escape", None)
        await driver.press(*([] if name == "A1" else "a"), *name, "tab", "3", "enter")
        await driver.sees(f"{name}: 500 from the service")
    await driver.press(*"Rex")
    driver.post(escape)
    await driver.settled()
    await driver.sees("A1: 500 from the service")
    assert driver.form_text() == "Rex"
    await driver.press("escape")
    await driver.sees_no("A1: 500 from the service")
    assert driver.form_text() == "Rex"


async def test_a_key_typed_ahead_neither_answers_nor_is_lost(driver: Driver) -> None:
    await make_unknown(driver)
    await driver.press("E", "enter", "f10", *"Nora")
    assert driver.form_text() == "Nora"
    assert len(driver.sent_names) == 1
    await driver.press("enter", *"Bella", "enter")
    await driver.until(lambda: states(driver) == ["A0 unknown", "Nora added", "Bella added"])
    assert driver.form_text() == ""
    assert QUESTION not in driver.text
    assert driver.sent_names == ["A0", "Nora", "Bella"]


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
    await driver.until(lambda: states(driver) == ["A0 unknown", "Ax0 added"])


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
        await driver.press("E", "tab", "4")
        await driver.sees(WARNING)
    async with open_app(ScriptedService([]), store=DirectoryEntryStore(tmp_path)) as driver:
        await driver.press("a", "f3")
        await driver.sees(WARNING)
        await driver.press("enter")
        await driver.sees(QUESTION)
        await driver.press("f10")
        await driver.until(lambda: states(driver) == ["A0 unknown", "A0 added"])
