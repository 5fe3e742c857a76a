"""A refused animal is shown in the empty form; what is typed blindly is the next animal."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pettui.outbox import DirectoryEntryStore, Draft
from pettui.tui.screens import pet_create
from tests.tui.driving import PRODUCTION, Driver, check_screen, open_app
from tests.tui.scripted_service import ScriptedService, error, html

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

TURNS = range(0, 20, 4)  # of the loop, between a refusal and a key
NINE = "categoryId 9 does not exist"
BIM = ("a", *"Bim", "tab", "3", "enter")  # what it leaves in the form is kept for the next
REX = (*"Rex", "tab", "3", "enter")
REFUSED = error(400, "invalid_value", "no room")
LOST = html(500)


@pytest.fixture
async def driver() -> AsyncIterator[Driver]:
    """The app on a service without animals."""
    async with open_app(ScriptedService([])) as driver:
        yield driver


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


async def test_a_refused_name_is_selected_by_tab_and_a_status_is_gone_to() -> None:
    async with open_app(ScriptedService([])) as driver:
        await refused(driver, "name: too short")
        await driver.press("tab", *"Rexy", "enter")
        await driver.sees("✔ 2 Rexy")
    async with open_app(ScriptedService([])) as driver:
        await refused(driver, "status is required")
        await driver.press("tab", "s", "enter")
        await driver.sees("✔ 2 Rex", "○ sold")


async def test_a_name_that_is_typed_blindly_is_the_next_animal_of_the_kind_before(
    driver: Driver,
) -> None:
    await refused(driver, NINE)
    for packet in (b"N", b"o", b"r", b"a", b"\r"):
        driver.send(packet)
        await driver.settled()
    await driver.sees("✔ 2 Nora", f"Rex: {NINE}", "F9 Edit")
    assert entries(driver) == [("Bim", 3, "added"), ("Rex", 9, "refused"), ("Nora", 9, "added")]


async def test_a_name_that_is_pasted_blindly_is_the_next_animal_s_too() -> None:
    async with open_app(ScriptedService([]), delay=0) as driver:
        await refused(driver, NINE)
        driver.paste("Nora")
        await driver.settled()
        assert driver.screen.form.draft == Draft("Nora", "9")
        assert entries(driver)[1] == ("Rex", 9, "refused")
    async with open_app(ScriptedService([])) as driver:
        await refused(driver, NINE)
        driver.paste("Nora\nMimi")
        await driver.settled()
        await driver.press("escape")
        assert driver.form_text() == ""
        assert entries(driver)[1] == ("Rex", 9, "refused")


async def test_letters_that_arrive_while_the_refusal_does_are_not_put_behind_it(
    driver: Driver,
) -> None:
    """Whichever of the two comes first, at each of many moments."""
    await driver.press(*BIM)
    for turn in TURNS:
        gate = asyncio.Event()
        driver.service.next("createPet", error(400, "invalid_value", NINE, gate=gate))
        await driver.press(*f"Rex{turn}", "enter")
        await driver.until(
            lambda turn=turn: (
                driver.service.requests_for("createPet")[-1].body["name"] == f"Rex{turn}"
            )
        )
        gate.set()
        for _ in range(turn):
            await asyncio.sleep(0)
        await driver.press(*f"Nora{turn}", "enter")
        await driver.until(lambda turn=turn: f"Nora{turn}" in {e.name for e in driver.entries})
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
    ("keys", "left"),
    [
        (("escape", "escape", "a"), Draft("", "9")),
        (("f4",), Draft()),
        (("backspace",), Draft("Re", "9")),
    ],
    ids=str,
)
async def test_what_is_shown_stays_in_the_outbox_until_it_is_edited(
    keys: tuple[str, ...], left: Draft, tmp_path: Path
) -> None:
    store = DirectoryEntryStore(tmp_path)
    async with open_app(ScriptedService([]), store=store) as driver:
        await refused(driver, NINE)
        await driver.press(*keys)
        if left.name:
            await driver.until(lambda: store.draft_stack == (left,))
        else:
            await driver.until(lambda: driver.screen.form.shown is None or keys[0] == "f9")
        assert driver.screen.form.draft == left
        states = [entry.state.value for entry in store.load().entries]
        assert states == (["added"] if left.name else ["added", "refused"])


async def test_enter_adds_it_again_and_f5_sends_it_again() -> None:
    for key in ("enter", "f5"):
        async with open_app(ScriptedService([])) as driver:
            await refused(driver, NINE)
            await driver.press(key)
            await driver.sees("✔ 2 Rex")
            await driver.sees_no("400 invalid_value")
            assert driver.screen.form.draft == Draft("", "9")


async def test_a_refused_animal_that_another_window_took_cannot_be_corrected_here(
    tmp_path: Path,
) -> None:
    store = DirectoryEntryStore(tmp_path)
    async with open_app(ScriptedService([]), store=store) as driver:
        await refused(driver, NINE)
        entry = driver.entries[-1]
        assert store.remove(entry)
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


def adds(driver: Driver) -> int:
    """Count the adds that arrived."""
    return len(driver.service.requests_for("createPet"))


async def test_what_was_sent_again_and_lost_does_not_come_back_as_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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


async def test_the_forms_f5_sends_nothing_again_that_may_have_been_added_since(
    driver: Driver,
) -> None:
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
    assert adds(driver) == 2


async def test_a_refused_animal_comes_back_into_the_form_that_it_was_typed_in(
    tmp_path: Path,
) -> None:
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
