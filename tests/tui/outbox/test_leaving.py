"""Quitting asks once about what did not go out; Ctrl+C says how to quit."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.outbox import EntryState
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.tui.outbox.leaving import QuitScreen
from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, html

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

OFFLINE = Response(error=httpx.ConnectError("refused"))
NOT_ITS_KEYS = ("enter", "a", *exhaustive("y", "f1", "n", "Q", "S", "1", "f5", "f8", "f9", "colon",
                "ctrl+p", "tab", "space", "question_mark", "slash", "r", "o"))  # fmt: skip


@asynccontextmanager
async def waiting_app(
    tmp_path: Path, *names: str, size: tuple[int, int] = (120, 30)
) -> AsyncIterator[Driver]:
    """Open the app with animals that wait for an hour, on the list."""
    store = DirectoryEntryStore(tmp_path)
    async with open_app(ScriptedService([]), store=store, delay=3600, size=size) as driver:
        keys = [key for name in names for key in (*name, "enter")]
        await driver.press("a", "tab", "3", "shift+tab", *keys, "escape")
        yield driver


@pytest.fixture
async def driver(tmp_path: Path) -> AsyncIterator[Driver]:
    """The list, while Rex waits for an hour."""
    async with waiting_app(tmp_path, "Rex") as driver:
        yield driver


def has_ended(driver: Driver) -> bool:
    return driver.app.return_code == 0 and not driver.app.is_running


async def test_it_says_how_many_did_not_go_out_and_when_they_will(tmp_path: Path) -> None:
    async with waiting_app(tmp_path, "Rex", "Mimi", "Tiny", "Bam", "Bim", size=(40, 12)) as driver:
        await driver.press("q")
        await driver.sees("5 animals not sent yet")
        shown = " ".join(driver.words.replace("│", " ").split())
        assert "Rex, Mimi, Tiny and 2 more" in shown
        assert "They will be sent at the next start on PRODUCTION." in shown
        await driver.sees("q Quit", "s Send first", "esc Stay")


async def test_where_nothing_is_kept_it_says_that_they_are_lost() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape", "q")
        await driver.sees("1 animal not sent yet", "Quitting loses it: nothing is saved here.")
        assert driver.app.farewell == ""


async def test_with_nothing_in_the_outbox_it_quits_at_once() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.until(lambda: driver.entries[0].state is EntryState.ADDED)
        driver.type("escape", "q")
        await driver.until(lambda: has_ended(driver))


async def test_the_key_for_sending_first_goes_once_nothing_is_left_to_send(driver: Driver) -> None:
    driver.service.next("createPet", error(400, "invalid_value", "no room"))
    await driver.press("q")
    await driver.sees("s Send first")
    await driver.press("s")
    await driver.sees("Rex is refused: see the outbox", "q Quit  esc Stay")


@pytest.mark.parametrize("keys", [("q", "ctrl+q"), *exhaustive(("q", "q"), ("ctrl+q", "q"))])
async def test_the_last_line_says_what_is_left(tmp_path: Path, keys: tuple[str, ...]) -> None:
    async with waiting_app(tmp_path, "Rex", "Mimi") as driver:
        driver.type(*keys)
        await driver.until(lambda: has_ended(driver))
        assert driver.sent_names == []
        left = "2 animals not sent yet; they will be sent at the next start"
        assert driver.app.farewell == left
    kept = DirectoryEntryStore(tmp_path).load().entries
    assert [entry.name for entry in kept] == ["Rex", "Mimi"]


async def test_in_the_form_where_letters_are_text_ctrl_q_asks_too(driver: Driver) -> None:
    await driver.press("a", *"qs", "ctrl+q")
    await driver.sees("1 animal not sent yet")
    await driver.press("escape")
    await driver.sees_no("not sent yet")
    assert driver.form_text() == "qs"


@pytest.mark.parametrize("key", NOT_ITS_KEYS)
async def test_no_other_key_means_anything_in_it(driver: Driver, key: str) -> None:
    await driver.press("q")
    await driver.sees("1 animal not sent yet")
    before = driver.text
    await driver.press(key)
    assert driver.text == before
    assert driver.app.is_running


async def test_what_goes_out_by_itself_meanwhile_is_no_reason_to_stay(tmp_path: Path) -> None:
    """The few seconds in which an animal can be taken back are over: it quits as it was asked."""
    async with open_app(
        ScriptedService([]), store=DirectoryEntryStore(tmp_path), delay=8
    ) as driver:
        gate = driver.service.hold("createPet")
        driver.type("a", *"Rex", "tab", "3", "enter", "ctrl+q")
        await driver.sees("1 animal not sent yet")
        gate.set()
        await driver.until(lambda: has_ended(driver))
        assert driver.entries[0].state is EntryState.ADDED
        assert driver.app.farewell == ""


async def test_what_went_out_before_the_box_stands_is_no_reason_to_stay() -> None:
    async with open_app() as driver:
        driver.app.push_screen(QuitScreen(driver.app.session))
        await driver.until(lambda: has_ended(driver))


async def test_what_waits_is_sent_first_and_then_it_quits(tmp_path: Path) -> None:
    async with waiting_app(tmp_path, "Rex", "Mimi") as driver:
        gate = driver.service.hold("createPet")
        await driver.press("q", "s")
        await driver.sees("sent 0 of 2, then pettui quits")
        gate.set()
        await driver.until(lambda: has_ended(driver))
        assert driver.sent_names == ["Rex", "Mimi"]
        assert driver.app.farewell == ""


async def test_while_it_sends_esc_stays_and_the_sending_goes_on(driver: Driver) -> None:
    gate = driver.service.hold("createPet")
    await driver.press("q", "s", "escape")
    await driver.sees_no("not sent yet")
    gate.set()
    await driver.until(lambda: driver.entries[0].state is EntryState.ADDED)
    assert driver.app.is_running


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (error(400, "invalid_value", "no room"), "Rex is refused: see the outbox"),
        (html(500), "Rex is unknown: see the outbox"),
    ],
    ids=["refused", "unknown"],
)
async def test_what_was_sent_first_and_not_added_is_said_and_it_stays(
    driver: Driver, answer: Response, said: str
) -> None:
    driver.service.next("createPet", answer)
    await driver.press("q", "s")
    await driver.sees(said, "q Quit")
    assert driver.app.is_running
    driver.type("q")
    await driver.until(lambda: has_ended(driver))


async def test_what_holds_the_sending_up_is_said_and_q_quits(driver: Driver) -> None:
    driver.service.always("createPet", error(401, "unauthorized", "Missing or invalid API key"))
    await driver.press("q", "s")
    await driver.sees("Waiting: 401 unauthorized: Missing or invalid API key")
    await driver.sees("sent 0 of 1, then pettui quits")
    driver.type("q")
    await driver.until(lambda: has_ended(driver))


async def test_the_last_line_names_what_else_stands_in_the_outbox(tmp_path: Path) -> None:
    async with waiting_app(tmp_path, "Rex", "Mimi") as driver:
        driver.service.next("createPet", html(500))
        driver.service.always("listPets", OFFLINE)  # so that the second one waits
        await driver.press("q", "s")
        await driver.sees("Rex is unknown")
        driver.type("q")
        await driver.until(lambda: has_ended(driver))
        left = "1 animal not sent yet; it will be sent at the next start"
        assert driver.app.farewell == f"{left}; also in the outbox: 1 unknown"


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
async def test_ctrl_c_says_how_to_quit_until_the_next_entry_id(keys: tuple[str, ...]) -> None:
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
