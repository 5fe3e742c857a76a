"""An animal that may have been added is shown whole, and never added again unasked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pettui.outbox import DirectoryEntryStore
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.resizing import resized
from tests.tui.scripted_service import Response, ScriptedService, error, html, pet

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

WARNING = "A0 may have been added already: adding it again would make two"
QUESTION = "F10 adds it anyway"


@pytest.fixture
async def driver() -> AsyncIterator[Driver]:
    """The outbox with A0, which is unknown."""
    async with open_app(ScriptedService([]), size=(100, 30), delay=0) as driver:
        await make_unknown(driver)
        yield driver


async def make_unknown(driver: Driver) -> None:
    driver.service.next("createPet", html(500, b"<p>Oops</p>"))
    await driver.press("a", *"A0", "tab", "3", "enter")
    driver.app.session.outbox.hurry()
    await driver.until(lambda: states(driver) == ["A0 unknown"])
    driver.app.session.outbox.sending.resume()
    await driver.press("escape", "o")
    await driver.sees("Outbox")


def states(driver: Driver) -> list[str]:
    return [f"{entry.name} {entry.state.value}" for entry in driver.entries]


def adds(driver: Driver) -> int:
    """Count the adds that arrived."""
    return len(driver.service.requests_for("createPet"))


async def test_enter_shows_it_whole_with_its_keys_and_adds_nothing(driver: Driver) -> None:
    await driver.press("enter")
    await driver.sees("It was sent, and no response says", "l looks for it in the list")
    await driver.sees("s sends it again", "E copies it into the form", "x forgets it")
    await driver.sees("500 from the service", "<p>Oops</p>", "3 Dogs · – not set")
    await driver.press("enter", "enter", "enter")
    await driver.press("enter")
    assert states(driver) == ["A0 unknown"]
    assert adds(driver) == 1


async def test_its_keys_work_where_it_is_shown(driver: Driver) -> None:
    await driver.press("enter", "l")
    await driver.sees("A0 is not among the newest 100: s sends it again")
    await driver.press("enter", "x")
    await driver.sees("Forget A0?")
    await driver.press("escape", "enter", "s")
    await driver.until(lambda: states(driver) == ["A0 added"])


async def test_what_became_of_it_meanwhile_is_said(driver: Driver) -> None:
    gate = asyncio.Event()
    driver.service.next("listPets", Response(body=[pet(7, "A0", 3)], gate=gate))
    await driver.press("l", "enter")
    gate.set()
    await driver.until(lambda: states(driver) == ["A0 added"])
    await driver.press("E")
    await driver.sees("A0 is added: nothing to do here")


async def test_a_copy_is_added_after_a_question_and_takes_its_place(driver: Driver) -> None:
    await resized(driver, (40, 12))
    await driver.press("E")
    assert driver.form_text() == "A0"
    await driver.sees("A0 may have been added")
    assert states(driver) == ["A0 unknown"]
    await driver.press("enter")
    await driver.press("enter")
    await driver.sees(QUESTION)
    check_screen(driver, "the question")
    assert adds(driver) == 1
    await driver.press("f10")
    await driver.until(lambda: states(driver) == ["A0 added"])
    assert adds(driver) == 2
    assert driver.form_text() == ""


@pytest.mark.parametrize("keys", [("escape",), ("enter", "escape", "escape")])
async def test_a_copy_that_is_cleared_or_closed_leaves_it_where_it_was(
    driver: Driver,
    keys: tuple[str, ...],
) -> None:
    await driver.press("E")
    await driver.press(*keys)
    await driver.sees("Outbox", "1 entry, 1 unknown")
    await driver.press("l")
    await driver.sees("A0 is not among the newest 100")


async def test_a_copy_that_is_taken_back_leaves_it_too() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await make_unknown(driver)
        await driver.press("E", "backspace", "1", "enter")
        await driver.press("f10")
        assert states(driver) == ["A1 waiting"]
        await driver.press("f8")
        assert driver.form_text() == "A1"
        assert states(driver) == ["A0 unknown"]
        await driver.sees(WARNING)
        await driver.press("f4", "escape")
        await driver.sees("Outbox", "1 entry, 1 unknown")


async def test_a_key_typed_ahead_neither_answers_nor_is_lost(driver: Driver) -> None:
    await driver.press("E", "enter", "f10", *"Nora")
    assert driver.form_text() == "Nora"
    assert "1 unfinished draft comes back after this" in driver.text
    assert adds(driver) == 1
    await driver.press("enter", *"Bella", "enter")
    await driver.until(lambda: states(driver) == ["A0 unknown", "Nora added", "Bella added"])
    assert driver.form_text() == "A0"
    await driver.sees(QUESTION)
    await driver.press("f10")
    await driver.until(lambda: states(driver) == ["Nora added", "Bella added", "A0 added"])
    assert [request.body["name"] for request in driver.service.requests_for("createPet")] == [
        *("A0", "Nora", "Bella", "A0"),
    ]


async def test_a_question_is_withdrawn_by_moving_or_editing(driver: Driver) -> None:
    await driver.press("E", "enter")
    await driver.sees(QUESTION)
    await driver.press("left", "x")
    assert driver.form_text() == "Ax0"
    await driver.sees(WARNING)
    assert QUESTION not in driver.text
    await driver.press("enter")
    await driver.sees(QUESTION)
    await driver.press("f10")
    await driver.until(lambda: states(driver) == ["Ax0 added"])


async def test_the_same_animal_typed_again_is_asked_about(driver: Driver) -> None:
    await driver.press("escape", "a", *"A0", "tab", "4", "enter")
    await driver.until(lambda: adds(driver) == 2)
    await driver.press(*"A0", "tab", "3")
    await driver.press("enter")
    await driver.sees(QUESTION, "A0 may have been added already")
    assert adds(driver) == 2
    await driver.press("f10")
    await driver.until(lambda: states(driver) == ["A0 unknown", "A0 added", "A0 added"])


async def test_pasted_lines_are_asked_about_once_for_all(driver: Driver) -> None:
    await driver.press("escape", "a", "tab", "3", "up")
    driver.paste("A0\nA0\nNora")
    await driver.sees("3 animals")
    await driver.press("enter", "f10", "enter")
    await driver.sees("F10 adds all: 2 may be doubles")
    assert adds(driver) == 1
    await driver.press("f10")
    await driver.until(lambda: adds(driver) == 4)


async def test_a_form_that_was_emptied_is_for_another_animal(driver: Driver) -> None:
    await driver.press("E")
    await driver.sees(WARNING)
    await driver.press("backspace", "backspace", "tab", "backspace")
    await driver.sees_no(WARNING)
    await driver.press("shift+tab", *"Rex", "tab", "3", "enter")
    await driver.until(lambda: states(driver) == ["A0 unknown", "Rex added"])


async def test_it_is_said_and_asked_after_a_restart(tmp_path: Path) -> None:
    async with open_app(ScriptedService([]), store=DirectoryEntryStore(tmp_path)) as driver:
        await make_unknown(driver)
        await driver.press("E")
        await driver.sees(WARNING)
    async with open_app(
        ScriptedService([]), store=DirectoryEntryStore(tmp_path), delay=0
    ) as driver:
        await driver.press("a")
        await driver.sees(WARNING)
        await driver.press("enter")
        await driver.sees(QUESTION)
        await driver.press("f10")
        await driver.until(lambda: states(driver) == ["A0 added"])


async def test_f4_asks_before_it_drops_a_refused_animal() -> None:
    async with open_app(ScriptedService([]), delay=0) as driver:
        driver.service.next("createPet", error(400, "invalid_value", "no room"))
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.until(lambda: driver.form_text() == "Rex")
        await driver.press("tab", "f4", "f4")  # Tab takes it out of the outbox
        await driver.sees("F4 again drops Rex, which was refused and is nowhere else")
        assert driver.form_text() == "Rex"
        await driver.press("f4")
        assert driver.form_text() == ""
