"""The boxes that ask what the columns of a file are, and what its values mean."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pettui.transfer.journal import Journal
from tests.tui.driving import case, open_app, sees, table
from tests.tui.scripted_service import ScriptedService
from tests.tui.transfer.test_importing import FILE, enter_name, opened_import

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from pettui.tui.session.session import KeepMapping
    from tests.tui.driving import Case, Driver, Start

pytestmark = pytest.mark.usefixtures("directory")
INTAKE = """\
Animal ID,Animal Name,Species,Intake Type
A1,Rex,Dog,Stray
A2,Bella,Cat,Owner Surrender
A3,Max,Dog,Stray
A4,Kiki,Ferret,Transfer
"""
KNOWN = INTAKE.replace("Ferret", "Cat")
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


def of(content: str, **options: Any) -> Start:
    """Return a start: the box of a file with this content."""
    return lambda: asked(content, **options)


@table(
    case("columns that are not called as ours are asked about", of(INTAKE),
         sees("name      Animal Name  Rex · Bella · Max", "category  Species      Dog · Cat · Ferr"),
         sees("·         Intake Type")),
    case("without a word what the columns are nothing is read", of(INTAKE),
         "escape", sees("nobody has said what its columns are")),
    case("values that say it nearly are shown before they are taken", of(KNOWN),
         "enter", sees("What the category is", "Dog", "3 Dogs", "1 Cats", "Is that right?"),
         "enter", sees("4 lines to add")),
    case("a value that is not known is asked for, and can be left out", of(INTAKE),
         "enter", sees("1 value of 1 line not known yet", "Ferret"),
         "enter", sees("type number or name, or -"),
         "-", "enter", sees("Ferret", "left out", "all known: Enter goes on"),
         "enter", sees("3 animals: 3 Dogs 2 not set, 1 Cats 1 not set"),
         sees('left out: 1 line with category "Ferret"')),
    case("a column is given another meaning by its letter and by space", of(INTAKE),
         "n", "up", "n", sees("name      Animal ID", "·         Animal Name"),
         "down", "space", sees("name      Animal ID", "name      Animal Name"),
         "space", sees("category  Animal Name", "·         Species")),
    case("without a column of names it does not go on", of(INTAKE),
         "n", "enter", sees("no column is the name yet")),
    case("without a header a column can be the name in place of the first",
         of("A1,Luna,3\nA2,Milo,1\nA3,Max,3\n"),
         sees("3 lines without a header", "name      (column 1)  A1 · A2 · A3"),
         "down", "n", sees("name    (column 1)", "name    (column 2)"),
         "up", "n", sees("·       (column 1)", "name    (column 2)"),
         "down", "down", "c", sees("name      (column 2)", "category  (column 3)"),
         "enter", sees("3 animals: 3 Dogs 2 not set, 1 Cats 1 not set")),
    case("nothing is guessed by position behind a column of numbers", of("1,Luna,3\n2,Milo,1\n"),
         "enter", sees("2 lines without a header", "·  (column 1)  1 · 2", "no column is the name"),
         "down", "n", "down", "c", "enter", sees("2 animals: 3 Dogs 1 not set, 1 Cats 1 not set")),
    case("one category is asked for all lines where no column has it",
         of("Name of animal,Colour\nRex,brown\nTim,white\n"),
         "enter", sees("which one do all lines have?", "(every line)"),
         *"dogs", "enter", "enter", sees("2 lines to add"),
         "v", sees("2 animals in category 3 Dogs")),
    case("words of other languages become statuses", of(FRENCH),
         "enter", "3", "enter", *"cat", "enter", "enter",
         sees("What the status is", "Disponible", "2"),
         "x", "enter", sees("one of available, pending, sold, unset"),
         "backspace", "a", "enter", *"sold", "enter", "enter", sees("3 lines to add"),
         "v", sees("Rex", "sold", "Bella", "available")),
    case("the first line can be an animal", of("Rex,Dog\nBella,Cat\n"),
         "h", sees("(column 1)", "2 lines"), "enter", "enter", sees("2 lines to add")),
    case("lines above the header are shown as what they are",
         of(f"City Shelter,,,\nIntake 2024,,,\n{INTAKE}"),
         sees("above: City Shelter", "above: Intake 2024", "name      Animal Name")),
    case("it fits a small terminal", of(INTAKE, size=(40, 12)),
         sees("name      Animal Name", "Rex · Bella · Max"),
         "enter", sees("Ferret", "number or name")),
)  # fmt: skip
async def test_a_user_says_what_a_file_is(case: Case) -> None:
    await case.run()


async def test_objects_have_no_header_to_be_read_as_an_animal(directory: Path) -> None:
    (directory / "pets.json").write_text('[{"animal": "Rex", "kind": "dog"}]')
    async with open_app(ScriptedService([]), open_journal=Journal.in_memory) as driver:
        await driver.press("i", *"pets.json", "enter")
        await driver.sees("1 object whose names are not pettui's own.", "category  kind")
        await driver.sees_no("No header")
        await driver.press("up", "n", "h")
        await driver.sees("objects have no header", "name      animal")


async def test_a_file_that_changed_while_it_was_mapped_is_not_read() -> None:
    async with asked(KNOWN) as driver:
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
