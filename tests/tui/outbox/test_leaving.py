"""Quitting asks once about what did not go out; Ctrl+C says how to quit."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.outbox.stores.memory import MemoryEntryStore
from pettui.tui.outbox.leaving import QuitScreen
from tests.exhaustive import exhaustive, first
from tests.tui.driving import Case, case, on, open_app, responds, sees, sees_no, table
from tests.tui.form.steps import (
    LOST,
    answers,
    form_has,
    goes_on,
    holds,
    on_empty,
    on_slow,
    outbox_has,
    refuses,
    sent,
)
from tests.tui.scripted_service import UNAUTHORIZED, Response, ScriptedService

if TYPE_CHECKING:
    from tests.tui.driving import Driver, Start, Step

OFFLINE = Response(error=httpx.ConnectError("refused"))
NOT_ITS_KEYS = ("enter", "a", *exhaustive("y", "f1", "n", "Q", "S", "1", "f5", "f8", "f9", "colon",
                "ctrl+p", "tab", "space", "question_mark", "slash", "r", "o"))  # fmt: skip
REX = ("a", *"Rex", "tab", "3", "enter")
ASKS = "1 animal not sent yet"
TWO_LEFT = "2 animals not sent yet; they will be sent at the next start"
ONE_LEFT = "1 animal not sent yet; it will be sent at the next start; also in the outbox: 1 unknown"


class Kept(MemoryEntryStore):
    """What is here is said to be there at the next start."""

    is_persistent = True  # type: ignore[misc]


def on_kept(**options: object) -> Start:
    """Return a start: what is added waits for an hour, and is kept."""
    return lambda: open_app(ScriptedService([]), **{"store": Kept(), "delay": 3600, **options})


def waits(*names: str) -> tuple[str, ...]:
    """Return the keys that add animals, and go back to the list."""
    return (
        "a",
        "tab",
        "3",
        "shift+tab",
        *(k for name in names for k in (*name, "enter")),
        "escape",
    )


def quits(*keys: str) -> Step:
    """Return a step that presses keys, and waits until the app has ended."""

    async def leave(driver: Driver) -> None:
        driver.type(*keys)
        await driver.until(lambda: driver.app.return_code == 0 and not driver.app.is_running)

    return leave


def says(farewell: str) -> Step:
    """Return a step that checks the line on the terminal after the end."""

    async def check(driver: Driver) -> None:
        assert driver.app.farewell == farewell

    return check


async def runs(driver: Driver) -> None:
    """Check that the app has not ended."""
    assert driver.app.is_running


def always(operation: str, response: Response) -> Step:
    """Return a step from which on the service responds so."""

    async def set_response(driver: Driver) -> None:
        driver.service.always(operation, response)

    return set_response


async def opens_its_box(driver: Driver) -> None:
    """Open the question where nothing is left to ask about."""
    driver.app.push_screen(QuitScreen(driver.app.session))
    await quits()(driver)


@table(
    case("it says how many did not go out, and when they will", on_kept(size=(40, 12)),
         *waits("Rex", "Mimi", "Tiny", "Bam", "Bim"), "q", sees("5 animals not sent yet"),
         sees("Rex, Mimi, Tiny and 2 more", "They will be sent at the next", "start on PRODUCTION."),
         sees("q Quit", "s Send first", "esc Stay")),
    case("where nothing is kept it says that they are lost", on_slow(), *waits("Rex"), "q",
         sees(ASKS, "Quitting loses it: nothing is saved here."), says("")),
    case("with nothing in the outbox it quits at once", on_empty(), *REX,
         outbox_has("Rex 3 added"), quits("escape", "q")),
    case("the key for sending first goes once nothing is left to send", on_kept(), *waits("Rex"),
         refuses(), "q", sees("s Send first"), "s",
         sees("Rex is refused: see the outbox", "q Quit  esc Stay")),
    *first(*(
        case(f"the last line says what is left after {keys}", on_kept(), *waits("Rex", "Mimi"),
             quits(*keys), sent(), says(TWO_LEFT))
        for keys in (("q", "q"), ("q", "ctrl+q"), ("ctrl+q", "q"))
    )),
    case("in the form, where letters are text, Ctrl+Q asks, too", on_kept(), *waits("Rex"),
         "a", *"qs", "ctrl+q", sees(ASKS), "escape", sees_no("not sent yet"), form_has("qs", "3")),
    case("what goes out by itself meanwhile is no reason to stay", on_kept(delay=8), holds,
         *REX, "ctrl+q", sees(ASKS), goes_on, quits(), outbox_has("Rex 3 added"), says("")),
    case("nor what went out before the box stands", on(), opens_its_box),
    case("what waits is sent first, and then it quits", on_kept(), *waits("Rex", "Mimi"), holds,
         "q", "s", sees("sent 0 of 2, then pettui quits"), goes_on, quits(), sent("Rex", "Mimi"),
         says("")),
    case("while it sends Esc stays, and the sending goes on", on_kept(), *waits("Rex"), holds,
         "q", "s", "escape", sees_no("not sent yet"), goes_on, outbox_has("Rex 3 added"), runs),
    case("what was sent first and is unknown is said, and it stays", on_kept(), *waits("Rex"),
         answers(LOST), "q", "s", sees("Rex is unknown: see the outbox", "q Quit"), runs,
         quits("q")),
    case("what holds the sending up is said, and q quits", on_kept(), *waits("Rex"),
         always("createPet", UNAUTHORIZED), "q", "s",
         sees("Waiting: 401 unauthorized: Missing or invalid API key"),
         sees("sent 0 of 1, then pettui quits"), quits("q")),
    case("the last line names what else stands in the outbox", on_kept(), *waits("Rex", "Mimi"),
         responds("createPet", LOST), always("listPets", OFFLINE), "q", "s",
         sees("Rex is unknown"), quits("q"), says(ONE_LEFT)),
)  # fmt: skip
async def test_leaving(case: Case) -> None:
    await case.run()


@pytest.mark.parametrize("key", NOT_ITS_KEYS)
async def test_no_other_key_means_anything_in_it(key: str) -> None:
    async with on_kept()() as driver:
        await driver.press(*waits("Rex"), "q")
        await driver.sees(ASKS)
        before = driver.text
        await driver.press(key)
        assert driver.text == before
        assert driver.app.is_running


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Textual's own
@pytest.mark.filterwarnings("ignore:coroutine 'Screen:RuntimeWarning")
@pytest.mark.parametrize("key", ["enter", ":", *exhaustive("a", "o", "f1")])
async def test_an_app_that_is_ended_while_a_screen_opens_ends_without_a_bug(key: str) -> None:
    """As when somebody's line drops just then, at each moment of the opening."""
    for turns in range(4, 14, 3):
        async with open_app(size=(100, 12)) as driver:  # where few rows are left, keys are named
            driver.type(key)
            for _ in range(turns):
                await asyncio.sleep(0)
            driver.app.exit()
        assert driver.app.failure is None


@pytest.mark.parametrize(
    "keys",
    [(), ("a",), (":", *"add"), ("f7", *"secret"), *exhaustive(("enter",), ("o",), ("f1",))],
    ids=str,
)
async def test_ctrl_c_says_how_to_quit_until_the_next_key(keys: tuple[str, ...]) -> None:
    said = "ctrl+q quits" if keys else "q quits"
    async with open_app(size=(40, 12)) as driver:
        await driver.press(*keys)
        await driver.press("ctrl+c")
        assert said in driver.text
        assert not driver.screen.query("Toast")
        await driver.press("home")
        assert said not in driver.text


async def test_what_textual_would_show_in_a_toast_is_said_inline(driver: Driver) -> None:
    driver.app.notify("Saved [b]it[/b]\n\x1b[31m now", title="Done")
    await driver.sees("Saved it ␛[31m now")
    assert not driver.screen.query("Toast")
