"""PetApp as a whole: keys in order, sessions apart, and an end that loses nothing."""

from __future__ import annotations

import pkgutil
import random
from importlib import import_module

import httpx
import pytest
from textual.app import App
from textual.screen import Screen

import pettui
from pettui.models.pets import NewPet
from pettui.settings.settings import Glyphs
from tests.exhaustive import exhaustive
from tests.tui.driving import key_event, open_app
from tests.tui.scripted_service import UNAUTHORIZED, Response, ScriptedService, error, html, pets

# What a tired hand may press, anywhere; nothing that quits.
KEYS = (*"aR3jkmor12?gG+-lsxyY", "tab", "enter", "escape", "up", "down", "pagedown", "home", "space",
        "f1", "f2", "f4", "f5", "f6", "f7", "f8", "f9", "backspace", "left", "alt+a")  # fmt: skip
ANSWERS = (
    Response(body=pets(3)), UNAUTHORIZED, html(502), error(404, "not_found", "name is odd"),
    Response(error=httpx.ReadError("")), Response(503, b"", (("retry-after", "25"),)),
    Response(200, b"{}"),
)  # fmt: skip


@pytest.mark.parametrize("seed", [1, *exhaustive(2)])
async def test_any_keys_at_any_pace_leave_the_app_alive_and_answering(seed: int) -> None:
    dice = random.Random(seed)
    service = ScriptedService()
    for operation in ("listPets", "getPet", "createPet"):
        service.next(operation, *dice.choices(ANSWERS, k=12))
    async with open_app(service, size=(80, 24)) as driver:
        for _ in range(10):
            driver.type(*dice.choices(KEYS, k=dice.randrange(1, 30)))
            await driver.settled()
        await driver.press(*["escape"] * 10)
        await driver.until(lambda: len(driver.app.screen_stack) == 1)
        await driver.press("a", *"Rex")
        assert "Rex" in driver.text


async def test_two_apps_in_one_process_share_nothing() -> None:
    services = ScriptedService([]), ScriptedService([NewPet(name="Mimi", category_id=1)])
    async with (
        open_app(services[0], keys={"add": "n"}, theme="pettui-light", limit=5) as ann,
        open_app(services[1], glyphs=Glyphs.ASCII, size=(80, 24)) as bob,
    ):
        await ann.press("n", *"Rex", "tab", "3", "enter", *"draft")
        await bob.press("n", "2", "1", "a")
        await ann.sees("✔ 1 Rex", "added this session: 1")
        assert "draft" not in bob.text
        assert "Rex" not in bob.text
        assert bob.entries == ()
        assert bob.screen.session.receipt.count == 0
        assert all(line.isascii() for line in bob.lines)
        assert not all(line.isascii() for line in ann.lines)
        assert (ann.app.theme, bob.app.theme) == ("pettui-light", "pettui-dark")
        assert [asked.query.get("limit") for asked in services[0].requests_for("listPets")] == ["5"]


async def test_no_traceback_is_printed_even_if_textual_reports_a_bug_in_another_way(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """It would hold the values of variables, keys among them."""
    async with open_app() as driver:
        driver.app.error_console.print("key_of_somebody='sekrit'")
        driver.app.panic("sekrit")
        await driver.until(lambda: not driver.app.is_running)
    assert "sekrit" not in "".join(capfd.readouterr())


async def test_an_add_that_is_being_sent_when_the_app_ends_gets_a_moment() -> None:
    async with open_app(ScriptedService([])) as driver:
        gate = driver.service.hold("createPet")
        outbox = driver.app.session.outbox
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.sees("Rex  3 Dogs  – not set  sending")
        driver.type("ctrl+q")
        await driver.until(lambda: not driver.app.is_running)
        gate.set()
    assert [entry.state.value for entry in outbox.entries] == ["added"]


async def test_a_key_whose_widget_is_removed_does_not_block_the_next() -> None:
    async with open_app() as driver:
        queue = driver.app.session.key_queue
        await driver.press("enter")
        gone = driver.screen
        await driver.press("escape")
        await driver.until(lambda: not gone.is_attached)
        queue.enqueue(key_event("x"))
        queue.holder = gone
        await driver.press("j", "j")
        assert driver.screen.table.cursor == 2


MODULES = [each.name for each in pkgutil.walk_packages(pettui.__path__, "pettui.")]
CLASSES = {
    each
    for name in MODULES
    if not name.endswith("__main__")
    for each in vars(import_module(name)).values()
    if isinstance(each, type) and issubclass(each, Screen | App)
}


def ancestors(of: type) -> int:
    """Count the longest line of ancestors of ours; classes that one joins are read apart."""
    ours = [base for base in of.__bases__ if base.__module__.startswith("pettui.")]
    return max((1 + ancestors(base) for base in ours), default=0)


def test_a_screen_or_app_has_at_most_two_ancestors_of_ours() -> None:
    assert [each for each in CLASSES if ancestors(each) > 2] == []
