"""What adding an animal costs in keys, as docs/keys.md has it: each test presses just those."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.models import NewPet, PetStatus
from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import ScriptedService

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def after_one() -> AsyncIterator[Driver]:
    """Open the form, in which one dog that is available was added already."""
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", *"Rex", "tab", "3", "tab", "a", "enter")
        yield driver


def newest(driver: Driver) -> tuple[str, int, str | None]:
    """Return what was added last."""
    entry = driver.entries[-1]
    return entry.name, entry.category_id, entry.status


@pytest.mark.parametrize(
    ("keys", "animal"),
    [
        ([*"Waldi", "enter"], ("Waldi", 3, "available")),
        ([*"Mimi", "tab", "1", "enter"], ("Mimi", 1, "available")),
        ([*"Tiny", "tab", *"12", "enter"], ("Tiny", 12, "available")),
        ([*"Mimi", "tab", "c", "enter"], ("Mimi", 1, "available")),
        ([*"Rudi", "tab", "tab", "s", "enter"], ("Rudi", 3, "sold")),
    ],
    ids=["the same kind", "another category", "of two digits", "by its name", "another status"],
)
@pytest.mark.parametrize("is_fast", [False, *exhaustive(True)])
async def test_another_animal_costs_its_name_what_differs_and_enter(
    after_one: Driver, keys: list[str], animal: tuple[str, int, str], *, is_fast: bool
) -> None:
    if is_fast:
        await after_one.press(*keys)
    else:
        for key in keys:
            await after_one.press(key)
    assert newest(after_one) == animal
    assert len(after_one.entries) == 2


async def test_the_first_animal_of_the_day_costs_one_key_more_than_its_values() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter")
        assert newest(driver) == ("Rex", 3, None)


async def test_one_like_the_animal_that_is_shown_costs_its_name_and_two_keys() -> None:
    service = ScriptedService([NewPet(name="Rex", category_id=3, status=PetStatus.SOLD)])
    async with open_app(service, delay=3600) as driver:
        await driver.press("enter")
        await driver.press("a", *"Mimi", "enter")
        assert newest(driver) == ("Mimi", 3, "sold")


async def test_any_number_of_pasted_animals_costs_one_key(after_one: Driver) -> None:
    names = [f"Puppy {number}" for number in range(40)]
    after_one.paste("\n".join(names))
    await after_one.press("enter")
    assert [entry.name for entry in after_one.entries] == ["Rex", *names]


async def test_taking_the_last_one_back_costs_one_key(after_one: Driver) -> None:
    await after_one.press("f8")
    assert after_one.form_text() == "Rex"
    assert after_one.entries == ()
