"""What was typed just before the app is ended from outside of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui import key_order
from tests.tui.driving import open_app

if TYPE_CHECKING:
    import pytest


async def test_keys_that_wait_for_the_form_are_typed_into_it_before_the_app_ends() -> None:
    async with open_app() as driver:
        driver.type("a", *"Rex", "tab", "4")
        driver.app.end()
        await driver.until(lambda: not driver.app.is_running)
        draft = driver.app.session.outbox.drafts.draft
    assert (draft.name, draft.category) == ("Rex", "4")


async def test_an_animal_that_was_entered_before_the_end_is_in_the_outbox() -> None:
    async with open_app(delay=60) as driver:
        driver.type("a", *"Rex", "tab", "4", "enter", *"Bi")
        driver.app.end()
        await driver.until(lambda: not driver.app.is_running)
        assert [(entry.name, entry.category_id) for entry in driver.entries] == [("Rex", 4)]
        assert driver.app.session.outbox.drafts.draft.name == "Bi"


async def test_a_key_that_never_finishes_does_not_keep_the_app_from_ending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key_order, "LAST_KEYS", 0.01)
    async with open_app() as driver, driver.app.key_queue.between(driver.app):
        driver.app.end()
        driver.app.end()
        await driver.until(lambda: not driver.app.is_running)
