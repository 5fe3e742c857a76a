"""Keys count from the first frame on, in order, whatever else is under way."""

from __future__ import annotations

from tests.tui.driving import open_app
from tests.tui.scripted_service import ScriptedService


async def test_an_animal_is_added_by_keys_typed_before_the_first_answer() -> None:
    """Everything typed in one go lands where it belongs, though no answer ever comes."""
    service = ScriptedService([])
    service.hold("listPets")
    async with open_app(service, loaded=False) as driver:
        driver.type("a", *"Rex", "tab", "3", "enter")
        await driver.until(lambda: service.requests_for("createPet"))
        assert service.requests_for("createPet")[0].body == {"name": "Rex", "categoryId": 3}
        await driver.sees("Rex", "Add an animal")
