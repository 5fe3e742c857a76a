"""The boxes that ask what the columns of a file are, and what its values mean."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pettui.transfer.journal import Journal
from tests.transfer.workbooks import cell, head, row, xlsx
from tests.tui.driving import open_app
from tests.tui.scripted_service import ScriptedService
from tests.tui.transfer.test_importing import FILE, enter_name, opened_import

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from pettui.tui.session.session import KeepMapping
    from tests.tui.driving import Driver

pytestmark = pytest.mark.usefixtures("directory")
INTAKE = """\
Animal ID,Animal Name,Species,Intake Type
A1,Rex,Dog,Stray
A2,Bella,Cat,Owner Surrender
A3,Max,Dog,Stray
A4,Kiki,Ferret,Transfer
"""
FRENCH = "Nom;Espèce;Statut\nRex;Chien;Adopté\nBella;Chat;Disponible\nMax;Chien;Disponible\n"


@asynccontextmanager
async def asked(
    content: str, size: tuple[int, int] = (120, 30), keep: KeepMapping | None = None
) -> AsyncIterator[Driver]:
    """Open the app, and the box that asks what the columns of a file are."""
    service = ScriptedService([])
    async with open_app(service, size=size, open_journal=Journal.in_memory) as driver:
        driver.app.session.keep_mapping = keep
        await enter_name(driver, content)
        await driver.sees("Which column is what?")
        yield driver


async def test_columns_that_are_not_called_as_ours_are_asked_about() -> None:
    async with asked(INTAKE) as driver:
        await driver.sees(
            "Which column is what?",
            "name      Animal Name  Rex · Bella · Max",
            "category  Species      Dog · Cat · Ferret",
            "·         Intake Type",
        )


async def test_of_a_sheet_whose_columns_are_asked_about_the_others_are_named() -> None:
    path = FILE.with_suffix(".xlsx")
    path.write_bytes(xlsx(row(cell("camp"), cell("grass")), others={"Herd": head()}))
    async with open_app(ScriptedService([]), open_journal=Journal.in_memory) as driver:
        await driver.press("i", *path.name, "enter")
        await driver.sees("Which column is what?", "the sheet Animals is read, and not Herd")


async def test_nobody_says_what_the_columns_are_and_nothing_is_read() -> None:
    async with asked(INTAKE) as driver:
        await driver.sees("Which column is what?")
        await driver.press("escape")
        await driver.sees("nobody has said what its columns are")


async def test_values_that_say_it_nearly_are_shown_before_they_are_taken() -> None:
    """Dog is not Dogs: a person confirms it."""
    async with asked(INTAKE.replace("Ferret", "Cat")) as driver:
        await driver.press("enter")
        await driver.sees("What the category is", "Dog", "3 Dogs", "1 Cats", "Is that right?")
        await driver.press("enter")
        await driver.sees("4 lines to add")


async def test_a_value_that_nobody_knows_gets_a_category_or_is_left_out() -> None:
    async with asked(INTAKE) as driver:
        await driver.press("enter")
        await driver.sees("1 value of 1 line not known yet", "Ferret")
        await driver.press("enter")
        await driver.sees("type number or name, or -")
        await driver.press("-", "enter")
        await driver.sees("Ferret", "left out", "all known: Enter goes on")
        await driver.press("enter")
        await driver.sees("3 lines to add")


async def test_a_column_is_given_another_meaning_by_its_letter_and_by_space() -> None:
    async with asked(INTAKE) as driver:
        await driver.sees("name      Animal Name")
        await driver.press("n", "up", "n")  # no more; the id in its place
        await driver.sees("name      Animal ID", "·         Animal Name")
        await driver.press("down", "space")
        await driver.sees("name      Animal ID", "name      Animal Name")
        await driver.press("space")
        await driver.sees("category  Animal Name", "·         Species")


async def test_without_a_header_a_column_can_be_the_name_in_place_of_the_first() -> None:
    """What else it is by its position, it is no more."""
    async with asked("A1,Luna,3\nA2,Milo,1\nA3,Max,3\n") as driver:
        await driver.sees("3 lines without a header", "name      (column 1)  A1 · A2 · A3")
        await driver.press("down", "n")
        await driver.sees("name    (column 1)", "name    (column 2)")
        await driver.press("up", "n")
        await driver.sees("·       (column 1)", "name    (column 2)")
        await driver.press("down", "down", "c")
        await driver.sees("name      (column 2)", "category  (column 3)")
        await driver.press("enter")
        await driver.sees("3 animals: 3 Dogs 2 not set, 1 Cats 1 not set")
        await driver.press("v")
        await driver.sees("Luna", "Milo", "Max")


async def test_without_a_header_nothing_is_guessed_by_position_behind_a_column_of_numbers() -> None:
    async with asked("1,Luna,3\n2,Milo,1\n") as driver:
        await driver.sees("2 lines without a header", "·  (column 1)  1 · 2")
        await driver.press("enter")
        await driver.sees("no column is the name yet")
        await driver.press("down", "n", "down", "c", "enter")
        await driver.sees("2 animals: 3 Dogs 1 not set, 1 Cats 1 not set")


async def test_without_a_column_of_names_it_does_not_go_on() -> None:
    async with asked(INTAKE) as driver:
        await driver.sees("name      Animal Name")
        await driver.press("n", "enter")
        await driver.sees("no column is the name yet")


async def test_one_category_is_asked_for_all_lines_where_no_column_has_it() -> None:
    async with asked("Name of animal,Colour\nRex,brown\nTim,white\n") as driver:
        await driver.press("enter")
        await driver.sees("which one do all lines have?", "(every line)")
        await driver.press(*"dogs", "enter", "enter")
        await driver.sees("2 lines to add")
        await driver.press("v")
        await driver.sees("2 animals in category 3 Dogs")


async def test_words_of_other_languages_become_statuses() -> None:
    async with asked(FRENCH) as driver:
        await driver.press("enter", *"3", "enter", *"cat", "enter", "enter")
        await driver.sees("What the status is", "Disponible", "2")
        await driver.press("x", "enter")
        await driver.sees("one of available, pending, sold, unset")
        await driver.press("backspace", "a", "enter", *"sold", "enter", "enter")
        await driver.sees("3 lines to add")
        await driver.press("v")
        await driver.sees("Rex", "sold", "Bella", "available")


async def test_the_first_line_can_be_an_animal() -> None:
    async with asked("Rex,Dog\nBella,Cat\n") as driver:
        await driver.press("h")
        await driver.sees("(column 1)", "2 lines")
        await driver.press("enter", "enter")
        await driver.sees("2 lines to add")


async def test_lines_above_the_header_are_shown_as_what_they_are() -> None:
    async with asked(f"City Shelter,,,\nIntake 2024,,,\n{INTAKE}") as driver:
        await driver.sees("above: City Shelter", "above: Intake 2024", "name      Animal Name")


async def test_a_file_that_changed_while_it_was_mapped_is_not_read() -> None:
    async with asked(INTAKE.replace("Ferret", "Cat")) as driver:
        await driver.sees("Which column is what?")
        FILE.write_text(INTAKE)
        await driver.press("enter", "enter")
        await driver.sees("it has changed since its columns were shown")


async def test_categories_that_a_file_of_ours_names_otherwise_get_numbers_in_its_import() -> None:
    async with opened_import("name,category\nRex,Dogs\nTim,Hounds\n") as driver:
        await driver.sees("1 bad line", '"Hounds"', "i says what values mean")
        await driver.press("i")
        await driver.sees("Which column is what?")
        await driver.press("enter")
        await driver.sees("What the category is", "Hounds")
        await driver.press("3", "enter", "enter")
        await driver.sees("2 lines to add", "2 animals: 3 Dogs 2 not set")
        await driver.press("i")
        await driver.sees("Which column is what?")
        await driver.press("escape", "enter")
        await driver.until(lambda: sorted(driver.sent_names) == ["Rex", "Tim"])


@pytest.mark.parametrize("size", [(40, 12), (80, 24)], ids=str)
async def test_it_fits_a_small_terminal(size: tuple[int, int]) -> None:
    async with asked(INTAKE, size=size) as driver:
        await driver.sees("name      Animal Name", "Rex · Bella · Max")
        await driver.press("enter")
        await driver.sees("Ferret", "number or name")


async def test_what_animals_there_are_is_said_before_any_is_sent() -> None:
    async with asked(INTAKE) as driver:
        await driver.press("enter", "-", "enter", "enter")
        await driver.sees(
            "3 animals: 3 Dogs 2 not set, 1 Cats 1 not set",
            'left out: 1 line with category "Ferret"',
        )


async def test_what_was_said_is_kept_and_shown_when_the_same_columns_come_again() -> None:
    kept: list[tuple[str, object, object]] = []

    def keep(name: str, values: Mapping[str, Any], categories: Mapping[int, str]) -> None:
        kept.append((name, values["category_of"], categories))

    async with asked(INTAKE, keep=keep) as driver:
        await driver.press("enter", *"9", "enter")
        await driver.sees("all known")
        await driver.press("escape", "m")
        await driver.sees("kept as pets, for the next file with these columns")
        assert kept == [("pets", ["Dog=Dogs", "Cat=Cats", "Ferret=9"], {9: "Ferret"})]
        await driver.press("escape")
        await driver.sees("nobody has said")
        await driver.press("escape")
        await enter_name(driver, INTAKE.replace("Bella", "Lassie"))
        await driver.sees("as it was kept: pets")
        await driver.press("enter")
        await driver.sees("Ferret", "9", "Is that right?")


async def test_columns_that_are_pasted_are_asked_about() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", "tab", "3", "shift+tab")
        driver.paste("Hundename\tGeburtsjahr\nRex\t2019\nBella\t2020\n")
        await driver.sees("Pasted columns", "Hundename", "Rex · Bella")
        await driver.press("enter")
        await driver.sees("which one do all lines have?")
        await driver.press("3", "enter", "enter")
        await driver.sees("2 animals in category 3 Dogs")
        await driver.press("enter")
        await driver.until(lambda: [each.name for each in driver.entries] == ["Rex", "Bella"])
