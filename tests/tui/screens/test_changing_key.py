"""F7: another API key, on every screen of a service, and at a start without one."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from pettui.client import PetClient
from pettui.outbox import EntryState
from pettui.settings.settings import ApiKey, StoreKind
from pettui.transfer.journal import Journal
from pettui.tui.transfer import import_line
from pettui.tui.transfer.import_line import checked_file
from tests.exhaustive import first
from tests.tui.driving import (
    KEY,
    PRODUCTION,
    QUICK_LIMITS,
    Case,
    case,
    check_screen,
    on,
    open_app,
    sees,
    sees_no,
    table,
)
from tests.tui.scripted_service import UNAUTHORIZED, ScriptedService, html
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.transfer.lines import ImportPreview
    from tests.tui.driving import Driver

OTHER = "Zq9-other-key-of-the-tests"
MISSING = "PETTUI_API_KEY: is not set in the environment"
PLACES = {
    "form": ("a", "R"),
    "list": (),
    "find": ("/", "R"),
    "export": ("e",),
    "status": ("a", "tab", "tab"),
    "outbox": ("o",),
    "help": ("f1",),
    "quit": ("a", *"Rex", "tab", "3", "enter", "escape", "q"),
}


def two_keys() -> ScriptedService:
    return ScriptedService(keys=[KEY, OTHER])


@pytest.fixture
def service() -> ScriptedService:
    return two_keys()


@pytest.fixture
def keyless(service: ScriptedService) -> PetClient:
    return PetClient(
        PRODUCTION.base_url,
        ApiKey(""),
        transport=httpx.ASGITransport(service),
        limits=QUICK_LIMITS,
        why_no_key=MISSING,
    )


def is_masked(driver: Driver) -> bool:
    return "•" * len(OTHER) in driver.line_with("Key ") and OTHER[:4] not in driver.text


async def masks(driver: Driver) -> None:
    assert is_masked(driver), driver.text


async def has_other_key(driver: Driver) -> None:
    await driver.sees_no("Key ", OTHER[:4])
    assert driver.app.session.client.api_key == ApiKey(OTHER)


async def paste_it(driver: Driver) -> None:
    driver.paste(f"\r\n {OTHER}\n")


async def sent_nothing_more(driver: Driver) -> None:
    assert len(driver.service.requests) == 1


KEYLESS_STORE = on(profile=PRODUCTION._replace(kind=StoreKind.EMBEDDED))
NO_KEY = sees("this store has no API key")
AT_WORK = on(two_keys, open_journal=Journal.in_memory, delay=3600)


@table(
    *first(*(
        case(f"a key is asked for over {place}, and never stands in clear", AT_WORK,
            *keys, "f7", *OTHER, masks, "enter", has_other_key)
        for place, keys in PLACES.items()
    )),
    case("a key is pasted with whatever line ends are around it", on(two_keys),
        "f7", paste_it, "enter", has_other_key),
    case("an invalid key is reported", on(),
        "f7", *"two words", "enter",
        sees("✖ Invalid API key", "one word of visible ASCII", "F7 Change API key"),
        sees_no("two words"), sent_nothing_more),
    case("a store without a key says so", KEYLESS_STORE, "a", "R", "f7", NO_KEY, sees_no("Key ")),
    *first(*(
        case(f"so does a box over it, {keys}", KEYLESS_STORE,
            *keys, "f7", NO_KEY, "f1", sees("Close ─╯"), sees_no("Change API key"))
        for keys in (("f12", "f3", "enter"), ("f12",), ("z",))
    )),
)  # fmt: skip
async def test_changing_the_key(case: Case) -> None:
    await case.run()


async def test_another_key_of_the_profile_takes_no_key_of_the_users_own_from_them(
    service: ScriptedService,
) -> None:
    async with open_app(service, delay=3600) as driver:
        session = driver.app.session
        former = session.client
        renewed = former.with_key("renewed-key-of-the-profile")
        session.renew_client(former, renewed)
        assert session.client is session.outbox.client is renewed
        await driver.press("f7", *OTHER, "enter")
        await driver.sees_no("Key ")
        session.renew_client(renewed, former)
        assert session.client.api_key == session.outbox.client.api_key == ApiKey(OTHER)


@pytest.mark.parametrize("over_it", [[], ["o"], ["a"]], ids=["alone", "below", "below a form"])
async def test_a_list_that_is_still_asked_for_with_the_former_key_is_asked_for_again(
    over_it: list[str],
) -> None:
    service = ScriptedService(keys=[OTHER])
    gate = service.hold("listPets")
    async with open_app(service, loaded=False) as driver:
        await driver.until(lambda: service.requests_for("listPets"))
        await driver.press(*over_it, "f7", *OTHER, "enter")
        gate.set()
        await driver.until(lambda: len(service.requests_for("listPets")) > 1)
        await driver.press(*["escape" for _ in over_it])
        await driver.sees("Mitzi")
        assert "401" not in driver.text


@pytest.mark.parametrize("over_it", [["o"], ["a"], ["R"], ["enter"]], ids=lambda keys: keys[0])
async def test_a_list_that_was_refused_is_asked_for_again_wherever_the_key_is_changed(
    over_it: list[str], service: ScriptedService
) -> None:
    async with open_app(service) as driver:
        service.next("listPets", UNAUTHORIZED)
        await driver.press("r")
        await driver.sees("401")
        await driver.press(*over_it, "f7", *OTHER, "enter")
        await driver.until(lambda: service.requests_for("listPets")[-1].key == OTHER)
        await driver.press("escape")
        await driver.sees_no("401")


@pytest.mark.parametrize("key", ["f3", "f10", "tab"])
async def test_no_key_of_the_form_moves_the_cursor_out_of_the_prompt(
    key: str, service: ScriptedService
) -> None:
    """What follows is the API key, which would stand in clear in the name, and in its draft."""
    service.next("createPet", html(500))
    async with open_app(service) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.until(lambda: driver.entries[-1].state is EntryState.UNKNOWN)
        await driver.press(*"Rex", "enter")
        await driver.sees("F10 adds it anyway")
        await driver.press("f7", key, *OTHER)
        assert is_masked(driver)
        await driver.press("enter")
        assert driver.app.session.client.api_key == ApiKey(OTHER)
        assert len(driver.entries) == 1


@pytest.mark.parametrize(
    ("where", "clicked"), [("list", "PetTable"), ("find", "#find-line"), ("status", "#name")]
)
async def test_no_click_moves_the_cursor_out_of_the_prompt(
    where: str, clicked: str, service: ScriptedService
) -> None:
    async with open_app(service) as driver:
        await driver.press(*PLACES[where])
        await driver.press("f7", *OTHER[:3])
        await driver.pilot.click(clicked, offset=(5, 0))
        await driver.press(*OTHER[3:])
        assert is_masked(driver)
        await driver.press("enter")
        assert driver.app.session.client.api_key == ApiKey(OTHER)


@pytest.mark.parametrize(
    ("where", "clicked", "row"), [("list", "PetTable", 2), ("outbox", "EntryTable", 1)]
)
async def test_a_double_click_opens_nothing_over_the_prompt(
    where: str, clicked: str, row: int, service: ScriptedService
) -> None:
    async with open_app(service, delay=3600) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
        await driver.press(*PLACES[where])
        screen = driver.screen
        await driver.press("f7", *OTHER)
        await driver.pilot.click(clicked, offset=(5, row), times=2)
        await driver.settled()
        assert driver.screen is screen
        assert is_masked(driver)


async def test_without_a_key_the_app_starts_with_the_prompt(
    service: ScriptedService, keyless: PetClient
) -> None:
    async with open_app(service, client=keyless, size=(40, 12)) as driver:
        await driver.sees("Key ", "No API key", "PETTUI_API_KEY")
        check_screen(driver, "a start without a key")
        assert service.requests == []
        await driver.press(*OTHER)
        assert OTHER[:4] not in driver.text
        await driver.press("enter")
        await driver.sees("Mitzi")
        assert {asked.key for asked in service.requests} == {OTHER}
        await driver.press("j")
        assert driver.screen.table.cursor == 1


async def test_what_is_typed_before_the_first_frame_is_masked(
    service: ScriptedService, keyless: PetClient
) -> None:
    async with open_app(service, client=keyless, loaded=False) as driver:
        driver.type(*OTHER, "enter")
        await driver.until(lambda: keyless is not driver.app.session.client)
        assert driver.app.session.client.api_key == ApiKey(OTHER)


async def test_esc_leaves_the_prompt_and_nothing_is_sent_without_a_key(
    service: ScriptedService, keyless: PetClient
) -> None:
    async with open_app(service, client=keyless) as driver:
        await driver.press("escape", "a", *"Rex", "tab", "3", "enter")
        await driver.sees("No API key", "F7 Change API key")
        assert service.requests == []
        await driver.press("f7", *OTHER, "enter")
        await driver.until(lambda: service.requests_for("createPet"))
        assert {asked.key for asked in service.requests} == {OTHER}


async def test_a_key_that_is_typed_while_a_file_is_read_stays_in_the_prompt(
    service: ScriptedService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The import's screen would take its letters for keys, and Enter would send the lines."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pets.csv").write_text("name,category\nRex,3\n")
    gate = threading.Event()

    def checked(*arguments: Any) -> ImportPreview:
        gate.wait(PATIENCE)
        return checked_file(*arguments)

    monkeypatch.setattr(import_line, "checked_file", checked)
    monkeypatch.setattr(import_line, "FILE_WAIT", 0.0)  # the next key doesn't wait for the file
    async with open_app(service, open_journal=Journal.in_memory) as driver:
        await driver.press("i", *"pets.csv", "enter", "f7")
        gate.set()
        await driver.press(*OTHER)
        assert is_masked(driver)
        await driver.press("enter")
        await driver.sees("1 line to add")
        assert service.requests_for("createPet") == []
