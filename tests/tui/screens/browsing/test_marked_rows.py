"""Space marks rows; what is copied or exported is then what was marked."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, pet

if TYPE_CHECKING:
    from pathlib import Path

SIZES = [(40, 12), *exhaustive((120, 30), (80, 24))]
STATUSES = {5: "available", 4: "sold", 3: "available", 2: "pending", 1: "available"}
ANIMALS = [pet(number, f"Animal {number}", status=status) for number, status in STATUSES.items()]


def listing(*rows: object) -> ScriptedService:
    """Return a service that lists these."""
    service = ScriptedService([])
    service.always("listPets", Response(body=list(rows or ANIMALS)))
    return service


def marked(driver: Driver) -> list[str]:
    """Return the names on the rows that have the sign of a mark."""
    return [
        " ".join(line.split("Animal ")[1].split()[:1])
        for line in driver.lines
        if line[2:3] == "■" and "Animal " in line
    ]


async def refreshed(driver: Driver, *keys: str) -> None:
    """Press keys that ask the service, and wait for what it answers."""
    count = len(driver.service.requests_for("listPets"))
    await driver.press(*keys)
    await driver.until(lambda: len(driver.service.requests_for("listPets")) > count)
    await driver.until(lambda: not driver.screen.header.spinner)
    await driver.settled()


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_space_marks_the_row_and_goes_on_and_a_second_one_unmarks(
    size: tuple[int, int],
) -> None:
    async with open_app(listing(), size=size) as driver:
        await driver.press("space", "space", "j", "space")
        check_screen(driver, "marked")
        assert marked(driver) == ["5", "4", "2"]
        assert "3 marked" in driver.bottom
        await driver.press("g", "space")
        assert marked(driver) == ["4", "2"]
        assert "2 marked" in driver.bottom


async def test_y_copies_the_marked_ids_one_a_line_in_the_order_shown() -> None:
    async with open_app(listing()) as driver:
        await driver.press("j", "j", "space", "g", "space", "y")
        assert driver.app.clipboard == "5\n3"
        assert "copied 2 ids, if this terminal allows it" in driver.bottom


async def test_the_one_that_is_marked_is_copied_and_not_the_one_under_the_cursor() -> None:
    async with open_app(listing()) as driver:
        await driver.press("space", "y")
        assert driver.app.clipboard == "5"
        assert "copied id 5," in driver.bottom


async def test_esc_unmarks_all_and_then_the_row_under_the_cursor_is_copied() -> None:
    async with open_app(listing()) as driver:
        await driver.press("space", "space", "escape")
        assert marked(driver) == []
        await driver.press("y")
        assert driver.app.clipboard == "3"


async def test_esc_takes_the_marks_before_the_banner() -> None:
    async with open_app(listing()) as driver:
        driver.service.next("listPets", error(500, "internal", "broken"))
        await refreshed(driver, "space", "r")
        await driver.sees("✖ 500 internal")
        await driver.press("escape")
        assert marked(driver) == []
        assert "✖ 500 internal" in driver.text
        await driver.press("escape")
        assert "✖" not in driver.text


async def test_marks_outlast_a_refresh_that_moves_the_rows() -> None:
    async with open_app(listing()) as driver:
        await driver.press("j", "space")
        driver.service.always("listPets", Response(body=[pet(6, "Animal 6"), *ANIMALS]))
        await refreshed(driver, "r")
        assert marked(driver) == ["4"]


async def test_a_mark_that_no_row_shows_counts_and_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_app(listing()) as driver:
        await driver.press("space", "space")
        driver.service.always("listPets", Response(body=ANIMALS[1:]))
        await refreshed(driver, "2")
        assert "2 marked, 1 not shown" in driver.bottom
        await driver.press("y")
        assert driver.app.clipboard == "4\n5"
        assert "copied 2 ids, 1 not shown, if this terminal allows it" in driver.bottom
        await driver.press("Y")
        assert [json.loads(each)["id"] for each in driver.app.clipboard.split("\n")] == [4, 5]
        await driver.press("e")
        assert "2 marked, 1 not shown" in driver.line_with("Export ")
        await driver.press("enter")
        await driver.sees("wrote 2 rows")
    with (tmp_path / "pets-marked-2026-11-21.csv").open(encoding="utf-8", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == ["4", "5"]


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_marks_that_a_find_hides_are_told_and_esc_says_how_many_it_removes(
    size: tuple[int, int],
) -> None:
    async with open_app(listing(), size=size) as driver:
        await driver.press("space", "space", "space", "/", *"animal 4", "enter")
        check_screen(driver, "hidden")
        assert "3 marked, 2 not shown" in driver.bottom
        await driver.press("y")
        assert driver.app.clipboard == "5\n4\n3"
        await driver.press("escape", "escape")
        assert driver.bottom.startswith("3 marks removed")
        assert marked(driver) == []


async def test_what_is_taken_is_what_was_last_loaded_of_each() -> None:
    async with open_app(listing()) as driver:
        await driver.press("space", "space")
        renamed = [pet(5, "Animal 5b", status="available"), *ANIMALS[2:]]
        driver.service.always("listPets", Response(body=renamed))
        await refreshed(driver, "2")
        driver.service.always("listPets", Response(body=ANIMALS[2:]))
        await refreshed(driver, "3")
        assert "2 marked, 2 not shown" in driver.bottom
        await driver.press("Y")
        names = [json.loads(each)["name"] for each in driver.app.clipboard.split("\n")]
        assert names == ["Animal 5b", "Animal 4"]


async def test_the_name_of_the_file_says_that_only_marked_rows_are_in_it() -> None:
    async with open_app(listing()) as driver:
        await driver.press("2")
        await driver.until(lambda: not driver.screen.header.spinner)
        await driver.press("space", "e")
        assert "pets-marked-2026-11-21.csv" in driver.line_with("Export ")
        await driver.press("f3")
        assert "pets-available-2026-11-21.csv" in driver.line_with("Export ")
        await driver.press("f3", "ctrl+u", *"mine.csv", "f3")
        assert "mine.csv" in driver.line_with("Export ")


async def test_a_row_that_is_no_animal_cannot_be_marked() -> None:
    async with open_app(listing({"id": 9}, pet(1, "Animal 1"))) as driver:
        await driver.press("space")
        assert "there is no animal here to mark" in driver.bottom
        await driver.press("j", "space", "y")
        assert driver.app.clipboard == "1"


async def test_too_many_marked_rows_to_copy_are_reported_and_stay_marked() -> None:
    animals = [pet(number, "Animal " + "x" * 2_000) for number in range(60, 0, -1)]
    async with open_app(listing(*animals)) as driver:
        await driver.press(*["space"] * 60, "Y")
        assert "too long to copy: 122," in driver.bottom
        assert driver.app.clipboard == ""
        assert "60 marked" in driver.bottom
