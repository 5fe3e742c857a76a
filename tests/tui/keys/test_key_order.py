"""Keys count from the first frame to the last, in their order, whatever else is under way."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING

from textual.events import Key

from pettui.tui import key_order
from pettui.tui.key_order import KEYS_MAXIMUM, KeyDone, KeyQueue
from pettui.tui.screens import pet_list
from tests.tui.driving import open_app
from tests.tui.scripted_service import Response, ScriptedService, listing, pet

if TYPE_CHECKING:
    import pytest


async def test_an_animal_is_added_by_keys_typed_before_the_first_answer() -> None:
    service = ScriptedService([])
    service.hold("listPets")
    async with open_app(service, loaded=False) as driver:
        driver.type("a", *"Rex", "tab", "3", "enter")
        await driver.until(lambda: service.requests_for("createPet"))
        assert service.requests_for("createPet")[0].body == {"name": "Rex", "categoryId": 3}
        await driver.sees("Rex", "Add an animal")


async def test_keys_that_act_on_animals_wait_for_the_first_response() -> None:
    service = ScriptedService()
    first_response = service.hold("listPets")
    async with open_app(service, loaded=False) as driver:
        driver.type("j", "down", "enter")
        await driver.until(lambda: not driver.app.session.key_queue.is_idle)
        first_response.set()
        await driver.sees("Blackjack", "3 of 20")


async def test_keys_go_on_after_a_first_response_that_is_an_error() -> None:
    service = ScriptedService()
    service.next(
        "listPets", Response(401, {"code": "unauthorized", "message": "No", "status": 401})
    )
    first_response = service.hold("listPets")
    async with open_app(service, loaded=False) as driver:
        driver.type("j", "a", *"Rex")
        await driver.until(lambda: not driver.app.session.key_queue.is_idle)
        first_response.set()
        await driver.sees("Add an animal", "Rex")


async def test_keys_wait_for_the_first_response_once_and_never_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pet_list, "LONGEST_WAIT", 0.001)
    service = ScriptedService()
    service.hold("listPets")
    async with open_app(service, loaded=False) as driver:
        rows = driver.screen
        assert not rows.have_rows_come
        await rows.wait_for_rows()
        assert rows.have_rows_come


# The last keys


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


# The queue


def a_key(name: str) -> Key:
    return Key(name, name)


def test_a_key_that_is_done_twice_or_was_not_next_releases_nothing() -> None:
    queue = KeyQueue()
    queue.enqueue(a_key("a"))
    queue.enqueue(a_key("b"))
    assert queue.done(7) is None
    assert queue.done(1) is not None
    assert queue.done(1) is None


def test_a_held_queue_keeps_what_waits_and_what_comes() -> None:
    queue = KeyQueue()
    for name in "abc":
        queue.enqueue(a_key(name))
    queue.hold()
    assert queue.done(1) is None
    assert queue.enqueue(a_key("d")) is None
    assert [key.key for key in queue.waiting if isinstance(key, Key)] == ["b", "c", "d"]


def test_the_queue_is_bounded() -> None:
    queue = KeyQueue()
    for _ in range(KEYS_MAXIMUM + 10):
        queue.enqueue(a_key("a"))
    assert len(queue) == KEYS_MAXIMUM


async def test_a_cancelled_block_does_not_stop_the_next_key() -> None:
    queue = KeyQueue()
    queue.enqueue(a_key("a"))

    async def work() -> None:
        async with queue.between(SimpleNamespace()):
            raise AssertionError("never begins")

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    queue.enqueue(a_key("b"))
    b = queue.done(1)
    assert b is not None
    assert b.key == "b"


async def test_keys_typed_before_a_click_take_effect_before_it() -> None:
    """Else the click would close the line that they are for, and they would be commands."""
    async with open_app(listing([pet(7, "Rex"), pet(8, "Mimi")])) as driver:
        await driver.press("/")
        driver.send(b"im\x1b[<0;20;4M\x1b[<0;20;4m")
        await driver.sees("1 of 2", "/im")
        assert "Rex" not in driver.text


async def test_a_click_whose_turn_comes_once_the_app_is_closing_is_dropped() -> None:
    async with open_app() as driver:
        queue = driver.app.key_queue
        queue.enqueue(Key("q", "q"))
        driver.send(b"\x1b[<0;20;6M")
        await driver.until(lambda: len(queue) == 1)
    assert not driver.app.screen_stack
    await driver.app.on_key_done(KeyDone(queue.number))
    assert len(queue) == 0
