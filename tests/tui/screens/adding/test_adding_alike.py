"""`a` on an animal opens the form with its category and status."""

from __future__ import annotations

import pytest

from pettui.outbox import Draft, MemoryEntryStore, OutboxError
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import Response, ScriptedService, pet

ON_LOAN = pet(3, "Rudi", -5, status="on loan")
SOLD = pet(2, "Mimi", 12, status="sold")


def two_pets() -> ScriptedService:
    """Return a service with an animal of a status that the form knows, and one of another."""
    service = ScriptedService([])
    service.always("listPets", Response(body=[SOLD, ON_LOAN]))
    service.next("getPet", Response(body=SOLD))
    return service


async def test_category_and_status_stand_there_as_after_an_add() -> None:
    """Said to be kept, and the category is replaced by what is typed."""
    async with open_app(two_pets()) as driver:
        await driver.press("enter", "a")
        assert driver.screen.form.draft == Draft("", "12", "sold")
        assert driver.text.count("kept") == 2
        await driver.press("tab", "3")
        assert driver.screen.form.draft == Draft("", "3", "sold")


async def test_a_status_that_the_form_does_not_know_is_not_set() -> None:
    service = two_pets()
    service.always("getPet", Response(body=ON_LOAN))
    async with open_app(service) as driver:
        await driver.press("j", "enter", "a")
        assert driver.screen.form.draft == Draft("", "-5", "")


async def half_typed(driver: Driver) -> None:
    await driver.press("a", *"Bel", "tab", "7", "escape", "enter", "a")


async def test_what_was_half_typed_comes_back_after_it() -> None:
    async with open_app(two_pets(), delay=3600) as driver:
        await half_typed(driver)
        assert driver.screen.form.draft == Draft("", "12", "sold")
        assert "1 unfinished draft comes back after this" in driver.text
        await driver.press(*"Tim", "enter")
        assert driver.screen.form.draft == Draft("Bel", "7")


@pytest.mark.parametrize("between", [(), ("f9",)], ids=["F2", "outbox"])
async def test_a_form_that_is_open_below_goes_on_with_it(between: tuple[str, ...]) -> None:
    """There are never two forms over each other."""
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", *"Rex", "tab", "3", "tab", "p", *(["enter"] if between else ["f2"]))
        await driver.until(lambda: driver.entries[0].pet_id)
        await driver.press(*between, *(["enter"] if between else []))
        await driver.sees("confirmed")
        await driver.press("a", *"Tim")
        assert driver.screen.form.draft == Draft("Tim", "3", "pending")
        assert len(driver.app.screen_stack) == 2
        await driver.press("escape")
        await driver.sees("1 All")


async def test_where_the_disk_takes_no_draft_the_form_is_not_opened() -> None:
    class FullDisk(MemoryEntryStore):
        def begin_draft(self, draft: Draft) -> None:
            raise OutboxError(f"no room for {draft.category}")

    async with open_app(two_pets(), store=FullDisk()) as driver:
        await driver.press("enter", "a")
        await driver.sees("Can't open the form", "no room for 12", "Mimi")


@pytest.mark.parametrize(
    ("keys", "title"),
    [(("enter",), "confirmed"), (("o",), "Outbox"), (("R",), "Receipt")],
    ids=["detail", "outbox", "receipt"],
)
async def test_q_goes_back_where_esc_does(keys: tuple[str, ...], title: str) -> None:
    async with open_app(two_pets()) as driver:
        await driver.press(*keys)
        await driver.sees(title)
        await driver.press("q")
        await driver.sees("1 All", "q Quit")


async def test_q_leaves_what_was_pasted() -> None:
    async with open_app(two_pets()) as driver:
        await driver.press("a")
        driver.paste("Bim\nBam")
        await driver.sees("Several animals")
        await driver.press("q", "x")
        assert driver.form_text() == "x"
