"""A refused animal comes back into the form, and what may have been added does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.outbox import DirectoryEntryStore
from pettui.tui.screens import pet_create
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import ScriptedService, error, html

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

REX = (*"Rex", "tab", "3", "enter")
REFUSED = error(400, "invalid_value", "no room")
LOST = html(500)


def empty() -> ScriptedService:
    """Return the real service, with no animals."""
    return ScriptedService([])


def adds(driver: Driver) -> int:
    """Count the adds that arrived."""
    return len(driver.service.requests_for("createPet"))


async def test_what_was_sent_again_and_lost_does_not_come_back_as_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F5 right after the refusal, while the form waits for the keys to rest."""
    monkeypatch.setattr(pet_create, "IDLE", 3.0)  # longer than F5 takes on a loaded machine
    async with open_app(empty()) as driver:
        driver.service.next("createPet", REFUSED, LOST)
        await driver.press("a", *REX, *"Ne", "backspace", "backspace")
        await driver.sees("400 invalid_value")
        await driver.press("f5")
        await driver.sees("– not set  unknown: may have been added")
        await driver.screen.workers.wait_for_complete()
        await driver.settled()
        assert driver.form_text() == ""
        assert [entry.state.value for entry in driver.entries] == ["unknown"]


async def test_the_forms_f5_sends_nothing_again_that_may_have_been_added_since() -> None:
    """It was sent again in the outbox; there it would be asked first."""
    async with open_app(empty()) as driver:
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
    """Another window whose form stands empty leaves it alone."""
    store, other = DirectoryEntryStore(tmp_path), DirectoryEntryStore(tmp_path)
    async with open_app(empty(), store=store) as driver, open_app(empty(), store=other) as window:
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
