"""Whatever goes on in the background of the screens is made to raise, once each.

The app ends in the open: with what was raised, for a report, and the terminal given back.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from textual.worker import WorkerFailed

from pettui.client import PetClient
from pettui.outbox.outbox import Outbox
from pettui.remembered.theme_choice import ThemeChoice
from pettui.transfer import importing
from pettui.transfer.import_run import ImportRun
from pettui.transfer.journal import Journal
from pettui.tui.form.pet_create import PetCreateScreen
from pettui.tui.session import request
from pettui.tui.session.key_order import OrderedKeysApp
from pettui.tui.session.session import UserSession
from pettui.tui.transfer import import_line
from pettui.tui.transfer.export_line import ExportLine
from pettui.tui.widgets import prompt
from pettui.tui.widgets.header import HeaderBar
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import html

if TYPE_CHECKING:
    from collections.abc import Callable


REX = ("a", *"Rex", "tab", "3", "enter")


class Surprise(Exception):
    """A bug."""


def while_it_waits(driver: Driver) -> None:
    driver.service.hold("listPets")
    driver.type("r")


DECIDE = "F9 Decide"  # in the form's banner of an unknown animal, which the first Esc closes


def unknown_sent_again(driver: Driver) -> None:
    driver.service.next("createPet", html(500))
    driver.type(*REX)
    press_when(driver, lambda: DECIDE in driver.text, "escape", "escape", "o", "s")
    press_when(driver, lambda: "Send Rex again?" in driver.text, "y")  # a key ahead is no answer


def import_pets(driver: Driver) -> None:
    Path("pets.csv").write_text("name,category\nNobody,3\n", encoding="utf-8")
    driver.type("i", *"pets.csv", "enter")


def imported_pets(driver: Driver) -> None:
    import_pets(driver)
    press_when(
        driver,
        lambda: "duplicate" in driver.text and not driver.screen.request.is_running,
        "enter",
    )


def press_when(driver: Driver, is_so: Callable[[], bool], *keys: str) -> None:
    if is_so():
        driver.type(*keys)
    else:
        driver.app.set_timer(0.01, partial(press_when, driver, is_so, *keys))


FAULTS: dict[str, tuple[object, str, Callable[[Driver], object]]] = {  # what raises, and when
    "a request": (PetClient, "list_pets", lambda driver: driver.type("r")),
    "the spinner": (HeaderBar, "turn", while_it_waits),
    "the draft": (PetCreateScreen, "save_draft", lambda driver: driver.type("a", "R")),
    "what was confirmed": (Outbox, "send_again", unknown_sent_again),
    "the theme": (ThemeChoice, "keep", lambda driver: driver.type(":", *"light", "enter")),
    "an export": (ExportLine, "_to_clipboard", lambda driver: driver.type("e", "f2")),
    "a completion": (prompt, "completed", lambda driver: driver.type("e", "tab")),
    "the reading of an import": (import_line, "checked_file", import_pets),
    "the journal of an import": (UserSession, "open_journal", import_pets),
    "the sending of an import": (ImportRun, "run", imported_pets),
    "the result of an import": (importing, "write_result", imported_pets),
    "the last keys": (OrderedKeysApp, "_exit_after_keys", lambda driver: driver.app.end()),
}  # fmt: skip


@pytest.mark.parametrize(("owner", "name", "bring_about"), FAULTS.values(), ids=FAULTS)
async def test_whatever_raises_in_the_background_ends_the_app_with_a_report(
    owner: object,
    name: str,
    bring_about: Callable[[Driver], object],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(request, "SHOWN_AFTER", 0.01)
    drivers = []

    async def run() -> None:
        async with open_app(open_journal=Journal.in_memory) as driver:
            drivers.append(driver)
            with patch.object(owner, name, side_effect=Surprise):
                bring_about(driver)
                await driver.until(lambda: False)

    with pytest.raises((Surprise, WorkerFailed)):
        await run()
    failure = drivers[0].app.failure
    assert isinstance(failure.__cause__ or failure, Surprise)
