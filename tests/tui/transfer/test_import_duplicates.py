"""An import in the app whose lines are like animals that are there: which are sent is asked."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pettui.models.pets import NewPet, PetStatus
from pettui.transfer.journal import Journal
from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.scripted_service import ScriptedService
from tests.tui.transfer.test_importing import is_over, opened_import, results

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("directory")
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d"
SOLD, AVAILABLE = PetStatus.SOLD, PetStatus.AVAILABLE
LISTED = (
    NewPet(name="Rex", category_id=3, status=AVAILABLE),
    NewPet(name="Tim", category_id=3, status=SOLD),
)
DUMP = "name,category,status\nRex,3,sold\nTim,3,sold\nNew,3,sold\n"  # a changed one, a duplicate, and a new one


@pytest.fixture
def journal(directory: Path) -> Callable[[], Journal]:
    """Return what opens a journal on the disk."""
    return partial(Journal.open, directory / "state" / "imports", "https://store.example/v1")


async def read_file(driver: Driver, name: str, content: str, directory: Path) -> None:
    """Have a file read, and wait until duplicates were looked for."""
    (directory / name).write_text(f"name,category,status\n{content}")
    await driver.press("i", *name, "enter")
    await driver.sees("duplicate")
    await driver.settled()


async def test_animals_that_are_not_listed_any_more_are_sent_again_by_a(
    directory: Path, journal: Callable[[], Journal]
) -> None:
    async with open_app(ScriptedService([]), open_journal=journal, size=(80, 24)) as driver:
        await read_file(driver, "one.csv", "Bella,1\nRex,1\n", directory)
        await driver.press("enter")
        await is_over(driver)
        await driver.press("escape")
    service = ScriptedService([NewPet(name="Another", category_id=1)])  # a backup was put back
    async with open_app(service, open_journal=journal, size=(80, 24)) as driver:
        await read_file(driver, "one.csv", "Bella,1\nRex,1\n", directory)
        assert "2 of 2 animals not listed any more: A sends them again" in driver.words
        assert re.search(r"line 2 became id \d Bella, category 1, which is not", driver.words)
        assert "2 lines added already, left out: one.csv, " in driver.words
        check_screen(driver, "an import whose animals are gone")
        await driver.press("A")
        assert "2 of 2 animals not listed any more: sent again" in driver.words
        await driver.press("enter")
        await is_over(driver)
        assert sorted(driver.sent_names) == ["Bella", "Rex"]
        assert "any more" not in driver.words


async def test_the_same_bytes_in_another_encoding_are_not_added_once_more_unseen(
    directory: Path, journal: Callable[[], Journal]
) -> None:
    (directory / "one.csv").write_bytes("name,category\nMańka,3\nŻółw,3\n".encode("cp1250"))
    async with open_app(ScriptedService([]), open_journal=journal, size=(80, 24)) as driver:
        for encoding in ("1", "2"):  # the first one was a mistake
            await driver.press("i", *"one.csv", "enter")
            await driver.sees("the names right?")
            await driver.press(encoding)
            await driver.sees("2 lines to add", "duplicate")
            await driver.settled()
            await driver.press("enter")
            if encoding == "1":
                await is_over(driver)
                await driver.press("escape")
        assert (
            "2 lines that this file's import added are not in it as it is read now" in driver.words
        )
        assert "A adds what it is now" in driver.words
        assert len(driver.sent_names) == 2
        await driver.press("A")
        await driver.press("y", "enter")
        await is_over(driver)
        assert sorted(driver.sent_names[2:]) == ["Mańka", "Żółw"]


async def test_another_status_holds_an_import_apart_from_duplicates() -> None:
    async with opened_import(DUMP, service=ScriptedService(LISTED), size=(80, 24)) as driver:
        assert "1 duplicate, so nothing is sent: d leaves it out, D sends it too" in driver.words
        assert (
            "1 changed? line, so nothing is sent: c leaves it out, C sends it too" in driver.words
        )
        assert re.search(r"line 2 is changed\?: id \d is available", driver.words)
        check_screen(driver, "an import with a changed line")
        await driver.press("d", "enter")
        assert driver.bottom.startswith("1 changed? line, so nothing is sent: c leaves it out")
        assert driver.sent_names == []
        await driver.press("c", "enter")
        await is_over(driver)
        assert driver.sent_names == ["New"]
        assert results() == [("changed?", ""), ("duplicate", ""), ("added", "")]


@pytest.mark.parametrize("size", [(40, 12), *exhaustive((120, 30), (80, 24))])
async def test_space_takes_single_lines_out_and_puts_them_in(size: tuple[int, int]) -> None:
    async with opened_import(DUMP, service=ScriptedService(LISTED), size=size) as driver:
        await driver.press("v")
        await driver.sees("3 animals in category 3 Dogs", "changed?", "duplicate")
        check_screen(driver, "the lines of a file with a cursor")
        await driver.press("space")  # Rex out, and on to Tim
        await driver.sees("left out", "2 animals in category 3 Dogs")
        await driver.press("space", "up", "space")  # Tim out, and in
        await driver.sees("sent too", "2 animals in category 3 Dogs")
        await driver.press("down", "space")
        await driver.sees("neither a duplicate nor changed?")
        await driver.press("escape", "enter")
        await is_over(driver)
        assert sorted(driver.sent_names) == ["New", "Tim"]
        assert [outcome for outcome, _ in results()] == ["changed?", "added", "added"]


async def test_m_marks_in_the_list_what_an_import_added() -> None:
    async with opened_import(DUMP, service=ScriptedService(LISTED), size=(80, 24)) as driver:
        await driver.press("d", "C")
        await driver.press("y", "enter")
        await is_over(driver)
        assert "m Mark" in driver.lines[-1]
        await driver.press("m")
        await driver.sees("2 marked")
        assert {pet.name for pet in driver.screen.targets.pets} == {"New", "Rex"}
