"""Whatever goes on in the background of the screens is made to raise, once each.

The app ends in the open: with what was raised, for a report, and the terminal given back.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from textual.worker import WorkerFailed

from pettui.client import PetClient
from pettui.transfer import importing
from pettui.transfer.import_run import ImportRun
from pettui.transfer.journal import Journal
from pettui.transfer.last_lists import ThemeChoice
from pettui.tui import deferred_imports
from pettui.tui.key_order import OrderedKeysApp
from pettui.tui.screens import importing as importing_screen
from pettui.tui.screens import screen
from pettui.tui.screens.boxes import ConfirmationScreen
from pettui.tui.screens.importing import PetImportScreen
from pettui.tui.screens.outbox import OutboxScreen
from pettui.tui.screens.pet_create import PetCreateScreen
from pettui.tui.screens.pet_screen import PetScreen
from pettui.tui.screens.screen import AppScreen
from pettui.tui.session import UserSession
from pettui.tui.widgets import prompt
from tests.tui.driving import open_app
from tests.tui.scripted_service import error, html

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.tui.driving import Driver

REX = ("a", *"Rex", "tab", "3", "enter")


class Surprise(Exception):
    """A bug."""


class Fault(NamedTuple):
    """What raises, and what brings it about."""

    owner: object
    name: str
    bring_about: Callable[[Driver], object]
    is_coroutine: bool = True


def while_it_waits(driver: Driver) -> None:
    driver.service.hold("listPets")
    driver.type("r")


async def import_late() -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(deferred_imports, "MODULES", ("pettui.not_imported_yet",))
        await deferred_imports.preload()


def refused(driver: Driver) -> None:
    driver.service.next("createPet", error(400, "invalid_value", "no"))
    driver.type(*REX)


def unknown_sent_again(driver: Driver) -> None:
    driver.service.next("createPet", html(500))
    driver.type(*REX, "escape", "o", "s")
    press_when(driver, lambda: isinstance(driver.screen, ConfirmationScreen), "y")


def import_pets(driver: Driver) -> None:
    Path("pets.csv").write_text("Nobody,3\n", encoding="utf-8")
    driver.type("i", *"pets.csv", "enter")


def imported_pets(driver: Driver) -> None:
    import_pets(driver)
    press_when(
        driver,
        lambda: isinstance(driver.screen, PetImportScreen) and not driver.screen.is_requesting,
        "enter",
    )


def press_when(driver: Driver, is_so: Callable[[], bool], key: str) -> None:
    if is_so():
        driver.type(key)
    else:
        driver.app.set_timer(0.01, partial(press_when, driver, is_so, key))


FAULTS = {
    "a request": Fault(PetClient, "list_pets", lambda driver: driver.type("r")),
    "the spinner": Fault(AppScreen, "_next_frame", while_it_waits, is_coroutine=False),
    "what is said after a while": Fault(
        AppScreen, "_start_text", while_it_waits, is_coroutine=False
    ),
    "the draft": Fault(PetCreateScreen, "_save", lambda driver: driver.type("a", "R")),
    "what is refused": Fault(PetCreateScreen, "_bring_back", refused),
    "what was confirmed": Fault(OutboxScreen, "_send_again", unknown_sent_again),
    "late imports": Fault(
        deferred_imports,
        "_import_all",
        lambda driver: driver.app.run_worker(import_late),
        is_coroutine=False,
    ),
    "the theme": Fault(
        ThemeChoice, "keep", lambda driver: driver.type(":", *"light", "enter"), is_coroutine=False
    ),
    "an export": Fault(PetScreen, "_to_clipboard", lambda driver: driver.type("e", "f2")),
    "a completion": Fault(
        prompt, "completed", lambda driver: driver.type("e", "tab"), is_coroutine=False
    ),
    "the reading of an import": Fault(
        importing_screen, "checked_file", import_pets, is_coroutine=False
    ),
    "the journal of an import": Fault(UserSession, "open_journal", import_pets, is_coroutine=False),
    "the sending of an import": Fault(ImportRun, "run", imported_pets),
    "the result of an import": Fault(importing, "write_result", imported_pets, is_coroutine=False),
    "the last keys": Fault(OrderedKeysApp, "_exit_after_keys", lambda driver: driver.app.end()),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_whatever_raises_in_the_background_ends_the_app_with_a_report(
    fault: Fault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def raise_in_a_task(*_: object, **__: object) -> None:
        raise Surprise

    def raise_at_once(*_: object, **__: object) -> None:
        raise Surprise

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(screen, "SHOWN_AFTER", 0.01)
    drivers = []

    async def run() -> None:
        async with open_app(open_journal=Journal.in_memory) as driver:
            drivers.append(driver)
            broken = raise_in_a_task if fault.is_coroutine else raise_at_once
            monkeypatch.setattr(fault.owner, fault.name, broken)
            fault.bring_about(driver)
            await driver.until(lambda: False)

    with pytest.raises((Surprise, WorkerFailed)):
        await run()
    failure = drivers[0].app.failure
    assert isinstance(failure.__cause__ or failure, Surprise)
