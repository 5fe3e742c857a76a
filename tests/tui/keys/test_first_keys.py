"""Keys count from the first frame on, in order, whatever else is under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.screens import pet_list
from tests.tui.driving import open_app
from tests.tui.scripted_service import Response, ScriptedService

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
