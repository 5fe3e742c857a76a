"""The prompt for a key and the banner above it: what they name works, at every size."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pettui.tui.widgets.prompt import PromptLine
from tests.exhaustive import exhaustive, first
from tests.tui.driving import (
    KEY,
    SIZES,
    Case,
    Driver,
    case,
    check_screen,
    fits,
    on,
    open_app,
    resized,
    sees,
    sees_no,
    table,
)
from tests.tui.form.steps import form_has
from tests.tui.list.steps import becomes
from tests.tui.scripted_service import UNAUTHORIZED, Response, ScriptedService, error

if TYPE_CHECKING:
    from tests.tui.driving import Step

OTHER = "another-key-of-the-tests"
REX = {"id": 7, "name": "Rex", "categoryId": 3}
SCREENS = {
    "list": ("r",),
    "detail": ("enter",),
    "form": ("a", *"Rex", "tab", "3", "enter"),
    "outbox": ("a", *"Rex", "tab", "3", "enter", "escape", "o"),
}


async def refused(driver: Driver, where: str) -> None:
    """Come to a screen whose banner says that the key was refused."""
    operation = {"list": "listPets", "detail": "getPet"}.get(where, "createPet")
    driver.service.always(operation, UNAUTHORIZED)
    gate = driver.service.hold(operation)  # or Esc would close the banner, and not the form
    await driver.press(*SCREENS[where])
    gate.set()
    await driver.sees("✖ 401 unauthorized")


@pytest.mark.parametrize("where", ["form", *exhaustive("list", "detail", "outbox")])
async def test_a_banner_names_no_key_that_the_prompt_took_at_any_size(where: str) -> None:
    async with open_app(ScriptedService(keys=[KEY, OTHER])) as driver:
        await refused(driver, where)
        assert "F7 Change API key" in driver.text
        await driver.press("f7", *"secret")
        for size in SIZES:
            await resized(driver, size)
            check_screen(driver, f"{where} at {size}")
            assert "(no key)" not in driver.text
            assert "F7" not in driver.text, f"{size}: {driver.text}"
            assert "Change API key" not in driver.text
            assert "••••••" in driver.line_with("Key ")
            assert "esc Cancel" in driver.line_with("Key ")
        await driver.press("escape")
        for size in SIZES:
            await resized(driver, size)
            assert "F7 Change API key" in driver.text, f"{size}: {driver.text}"
        await driver.press("f7")
        assert "Key " in driver.text
        assert "••" not in driver.text


def was_refused(where: str) -> Step:
    """Return a step that comes to a screen whose banner says that the key was refused."""
    return lambda driver: refused(driver, where)


def accepts(operation: str) -> Step:
    """Return a step from which on the service takes the key."""

    async def accept(driver: Driver) -> None:
        driver.service.always(operation, None)

    return accept


async def clicks_a_row(driver: Driver) -> None:
    """Click beside the line."""
    await driver.pilot.click("PetTable", offset=(9, 2))


@table(
    *first(*(  # the key is refused still: the banner is dismissed, not the remedy
        case(f"another key can be typed after the banner was dismissed: {where}",
            on(lambda: ScriptedService(keys=[KEY, OTHER])), was_refused(where), "escape",
            sees_no("✖ 401 unauthorized"), accepts(operation), "f7", sees("Key "), *OTHER, "enter",
            sees_no("Change API key"))
        for where, operation in (("list", "listPets"), ("form", "createPet"))
    )),
    case("a key that was refused elsewhere is replaced on the list", on(), was_refused("detail"),
        "escape", sees("F7 Change API key"), "r", sees_no("F7 Change API key")),
    case("a draft that comes while the prompt is open leaves the cursor there",
        on(lambda: ScriptedService([]), delay=3600), "a", *"Rex", "tab", "3", "enter", "tab",
        "f7", *"sec", "f8", *"ret", sees("Rex", "••••••"), "escape", "y", form_has("Rexy", "3")),
    case("the key of a line goes back to it with what was typed", on(), "#", "4", clicks_a_row,
        "j", "#", "2", sees("▌42")),
)  # fmt: skip
async def test_the_prompt(case: Case) -> None:
    await case.run()


@pytest.mark.parametrize("keys", [("enter",), ("f2",)], ids=["refused", "added to be opened"])
async def test_no_answer_takes_the_cursor_out_of_a_prompt(keys: tuple[str, ...]) -> None:
    """The rest of the key would stand on the screen, and go out as an animal's name."""
    service = ScriptedService([], keys=[OTHER, KEY])
    service.next("listPets", UNAUTHORIZED)
    answered = asyncio.Event()
    is_refused = keys == ("enter",)
    refusal = error(400, "invalid_value", "name is taken", gate=answered)
    service.next("createPet", refusal if is_refused else Response(201, REX, gate=answered))
    async with open_app(service) as driver:
        await driver.press("a", *"Rex", "tab", "3", *keys)
        await driver.until(lambda: service.requests_for("createPet"))
        await driver.press("f7", *OTHER[:8])
        answered.set()
        await driver.sees("name is taken" if is_refused else "✔ 7 Rex")
        await driver.press(*OTHER[8:])
        assert "•" * len(OTHER) in driver.line_with("Key ")
        assert driver.form_text() == ""
        await driver.press("escape", "f8")
        assert driver.form_text() == ("Rex" if is_refused else "")


async def test_work_may_be_stopped_while_it_closes_its_line(driver: Driver) -> None:
    await driver.press("#")
    screen = driver.screen
    work = screen.run_worker(screen.prompt.close())
    while screen.prompt.line is not None:  # noqa: ASYNC110 - for the very moment of it
        await asyncio.sleep(0)
    work.cancel()
    await driver.press("#", "1")
    assert screen.prompt.line.text == "1"
    await driver.press("escape", "j")
    assert screen.table.cursor == 1


async def test_a_line_that_was_closed_while_a_key_waits_for_its_work_is_left_alone() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("#")
        screen = driver.screen

        async def close_and_go_on() -> None:
            await screen.prompt.close()
            await asyncio.Event().wait()

        line = screen.prompt.line
        await line.do(close_and_go_on, seconds=0.1)
        line.stop()
        await driver.press("#")
        assert screen.prompt.line is not None


SHORT = "↵ keep · F2 mark · esc clear"


@table(
    case("the text gives way to the keys", on(size=(120, 30), limit=100),
        "/", sees(f"60 of 60 loaded · {SHORT}"), becomes(64, 12), sees(f"60 of 60 · {SHORT}"), fits,
        becomes(44, 12), sees("60 of 60 · ↵ keep"), fits),
    case("Esc clears the first find, and goes back from a later one", on(size=(100, 24)),
        "/", "a", sees("esc clear"), "enter", "/", sees("esc back")),
    case("an API key that is typed has cells at every width", on(size=(20, 6)),
        "f7", *"abc", sees("••• ")),
)  # fmt: skip
async def test_prompts(case: Case) -> None:
    await case.run()


async def test_a_click_on_the_line_leaves_its_keys_and_a_key_elsewhere_is_not_typed() -> None:
    async with open_app(size=(80, 24)) as driver:
        await driver.press("/", "a")
        driver.screen.set_focus(None)
        await driver.press("y")
        assert (driver.app.clipboard, driver.screen.query_one(PromptLine).text) == ("60", "a")
        assert "clear" not in driver.line_with("/ ")
        await driver.pilot.click(PromptLine, offset=(8, 0))
        await driver.settled()
        assert "clear" in driver.line_with("/ ")
