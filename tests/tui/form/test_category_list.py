"""The categories beside the form: filtered, offered and taken while one is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual import events

from tests.tui.driving import PRODUCTION, Case, case, open_app, sees, sees_no, table
from tests.tui.form.steps import (
    form_has,
    on_empty,
    on_slow,
    outbox_has,
    resizes,
    row_has,
)
from tests.tui.scripted_service import ScriptedService

if TYPE_CHECKING:
    from tests.tui.driving import Driver, Step

NARROW = (100, 30)  # a terminal without room for the categories beside the form
BIM = ("a", *"Bim", "tab")
IN_FIVE = (*BIM, "5", "enter", *"Bam", "tab")  # which is kept, and gone to
TAKEN_BACK = ("a", *"Molly", "tab", "1", "enter", "f8", "space", "1", "tab")
ALL = ("1 Cats", "2 Birds", "3 Dogs", "4 Fish", "5 Rabbits", "6 Reptiles", "7 Small pets")


def beside(*categories: str) -> Step:
    """Return a step that waits until these stand beside the form, with a sign of what is meant."""

    def rows(driver: Driver) -> list[str]:
        place = driver.screen.query_one("CategoryList").region
        lines = driver.lines[place.y : place.bottom]
        texts = [line[place.x : place.right].split() for line in lines]
        return [" ".join(text) for text in texts if text]

    return lambda driver: driver.until(lambda: rows(driver) == [*categories])


def under(text: str) -> Step:
    """Return a step that waits until the row under the field begins so, or is empty."""

    def row(driver: Driver) -> str:
        at = next(index for index, line in enumerate(driver.lines) if "Category" in line)
        return driver.lines[at + 1].strip("│ ")

    return lambda driver: driver.until(
        lambda: row(driver).startswith(text) and bool(row(driver)) == bool(text)
    )


async def clicks_fish(driver: Driver) -> None:
    """Click the fourth category."""
    await driver.pilot.click("CategoryList", offset=(5, 3))


async def leaves_the_window_and_comes_back(driver: Driver) -> None:
    """Let another window have the focus for a while."""
    driver.post(events.AppBlur())
    driver.post(events.AppFocus())
    await driver.settled()


@table(
    case("a category is typed by name with its spaces", on_empty(),
         *BIM, *"small", "space", "p", "enter", outbox_has("Bim 7")),
    case("number and name are both shown while either is typed", on_empty(size=NARROW),
         "a", "tab", "3", row_has("Category", "Dogs"), "backspace", *"dog",
         row_has("Category", "3 Dogs"), *["backspace"] * 3, "r", under("→ 5 Rabbits · 6 Reptiles")),
    case("what is typed filters the categories beside the form", on_empty(),
         "a", beside(*ALL, "8 Horses"), "tab", "r", beside("5 Rabbits", "6 Reptiles"),
         "e", beside("▌ 6 Reptiles"), "x", beside("no known category")),
    case("they stand there as well once the terminal is wide enough", on_empty(size=(40, 12)),
         "a", "tab", resizes(120, 30), beside(*ALL, "8 Horses"), resizes(40, 12), *"re",
         resizes(120, 30), beside("▌ 6 Reptiles")),
    case("a long number takes no room from the names", on_empty(), *BIM, *"9007199254740993",
         "enter", under("▲ F10 adds"), "f10", "tab",
         sees("▌ 90071…", "│        7  Small pets ")),
    case("a click takes a category", on_empty(), "a", *"Bim", clicks_fish, "enter",
         outbox_has("Bim 4")),
    case("the arrows take a category, and go back to what was typed", on_empty(),
         *BIM, "r", "down", "down", form_has("Bim", "6"), beside("5 Rabbits", "▌ 6 Reptiles"),
         "up", "up", form_has("Bim", "r"), "down", "enter", outbox_has("Bim 5")),
    case("the arrows change no number", on_empty(size=NARROW), *BIM, "3", "down", "p",
         form_has("Bim", "3", "pending")),
    case("the last used categories are offered first", on_empty(size=NARROW), "a", *"A", "tab",
         "6", "enter", *"B", "tab", *"99", "enter", under("▲ F10 adds"), "f10", "f4", "tab",
         under("→ 99 · 6 Reptiles · 1 Cats · 2 Birds"), "r", under("→ 6 Reptiles · 5 Rabbits"),
         "right", form_has("", "Reptiles"), under("")),
    case("a name that fits several is no fault until Enter", on_empty(), *BIM, "r", sees_no("✖"),
         "enter", under("✖ fits 5 Rabbits, 6 Reptiles"), outbox_has(), "e", "enter",
         outbox_has("Bim 6")),
    case("an add leaves the number of what was typed by name", on_empty(size=NARROW), *BIM, *"dog",
         "enter", form_has("", "3"), row_has("Category", "Dogs", "kept"),
         "escape", "a", *"Bam", "tab", "2", "enter", outbox_has("Bim 3", "Bam 2")),
    case("it is said what kept means", on_empty(), *BIM, "3", "tab", "s", "enter", *"Bam", "tab",
         under("kept: type to replace, → to edit · 1 Cats"), "right", form_has("Bam", "3", "sold"),
         "tab", sees("kept from the previous animal"), "left",
         sees_no("kept from the previous animal"), sees("← → or its first letter")),
    case("a kept category is replaced by typing", on_empty(), *IN_FIVE, "2", form_has("Bam", "2")),
    case("also by a backspace, and after a look", on_empty(), *IN_FIVE, "backspace",
         form_has("Bam"), "2", "tab", "shift+tab", "1", form_has("Bam", "21")),
    case("and edited by moving in it", on_empty(), *IN_FIVE, "right", "2", form_has("Bam", "52")),
    case("another window and back selects nothing anew", on_empty(), *IN_FIVE, "right",
         leaves_the_window_and_comes_back, "2", form_has("Bam", "52")),
    case("the category of what F8 took back is replaced by typing, too", on_slow(), *TAKEN_BACK,
         under("type to replace, → to edit"), "shift+tab", "tab", *"ca", "enter",
         outbox_has("Molly 1 1")),
    case("that of what F3 brought back is gone on with", on_slow(), "a", *"Molly", "tab", "1",
         "enter", "f8", "escape", "a", "f3", "tab", "2", form_has("Molly", "12")),
    case("an unknown category is asked about once in a session", on_empty(), *BIM, *"99", "f10",
         "enter", under("▲ F10 adds it anyway: 99 is not a known category"), outbox_has(),
         "f10", *"Bam", "enter", outbox_has("Bim 99", "Bam 99"), *"Tim", "tab", *"98", "enter",
         under("▲ F10 adds it anyway: 98"), "f10", outbox_has("Bim", "Bam", "Tim 98")),
    case("what is typed behind that question is another category", on_empty(), *BIM, *"33", "up",
         "enter", "3", "enter", outbox_has("Bim 3")),
    case("where no category has a name none is unknown",
         on_empty(profile=PRODUCTION._replace(categories={})), *BIM, *"99", "enter",
         outbox_has("Bim 99")),
    case("the list beside the form keeps the profile's order, and down follows it", on_empty(),
         "a", *"A", "tab", "6", "enter", *"B", "tab", "r", beside("5 Rabbits", "6 Reptiles"),
         "down", "enter", outbox_has("A 6", "B 5")),
    case("down follows what stands under the field where no list does", on_empty(size=NARROW),
         "a", *"A", "tab", "6", "enter", *"B", "tab", "r", under("→ 6 Reptiles · 5 Rabbits"),
         "down", "enter", outbox_has("A 6", "B 6")),
)  # fmt: skip
async def test_categories(case: Case) -> None:
    await case.run()


@pytest.mark.parametrize("size", [(120, 30), (100, 30), (80, 24)])
async def test_kept_stands_beside_its_field(size: tuple[int, int]) -> None:
    async with open_app(ScriptedService([]), size=size) as driver:
        await driver.press("a", *"A", "tab", "6", "enter")
        field = driver.screen.form.category_input.region
        assert driver.lines[field.y][field.right :].split()[0] == "kept"
        assert driver.lines[field.y].index("kept") == field.right + 1
