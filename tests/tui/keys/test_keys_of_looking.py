"""What looking at the list costs in keys, as docs/keys.md has it: each test presses just those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.models import NewPet
from tests.tui.driving import open_app
from tests.tui.scripted_service import ScriptedService

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def shop(count: int) -> ScriptedService:
    """Return a service with so many animals, the oldest of which is Luna."""
    names = ["Luna", *(f"Rex {number}" for number in range(1, count))]
    return ScriptedService([NewPet(name=name, category_id=3) for name in names])


def lines_of_the_one_file(directory: Path) -> int:
    (path,) = directory.iterdir()
    return path.read_text().count("\n")


async def test_finding_one_among_500_animals_costs_three_keys_and_letters_of_its_name() -> None:
    async with open_app(shop(500), limit=20) as driver:
        await driver.press("M", "slash", *"lun", "enter")
        await driver.until(lambda: [row.name for row in driver.screen.table.rows] == ["Luna"])


async def test_going_to_an_id_costs_two_keys_and_its_digits() -> None:
    async with open_app(shop(60), limit=60) as driver:
        await driver.press("number_sign", *"17", "enter")
        await driver.until(lambda: getattr(driver.screen.table.highlighted, "id", None) == 17)


async def test_seeing_what_is_new_costs_one_key_and_one_more_to_go_there() -> None:
    service = shop(3)
    async with open_app(service, limit=20) as driver:
        await service.store.create_pet(NewPet(name="Mimi", category_id=1))
        await driver.press("r")
        await driver.sees("Mimi")
        await driver.press("n")
        assert driver.screen.table.highlighted.name == "Mimi"


async def test_seeing_what_is_new_costs_one_key_once_where_the_list_is_watched() -> None:
    service = shop(3)
    async with open_app(service, limit=20, watch=0.05) as driver:
        await driver.press("w")
        for name in ("Mimi", "Tiny"):
            await service.store.create_pet(NewPet(name=name, category_id=1))
            await driver.sees(name)
        await driver.press("n")
        assert driver.screen.table.highlighted.name in ("Mimi", "Tiny")


async def test_going_from_a_limit_of_20_to_100_costs_four_keys() -> None:
    """The service is asked once the keys rest."""
    async with open_app(shop(120), limit=20) as driver:
        await driver.press(*"++++")
        await driver.until(lambda: len(driver.screen.table.rows) == 100)
        assert [asked.query["limit"] for asked in driver.service.requests] == ["20", "100"]


async def test_exporting_what_is_shown_costs_two_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_app(shop(3), limit=20) as driver:
        await driver.press("e", "enter")
        await driver.sees("3 rows")
        assert lines_of_the_one_file(tmp_path) == 4
