"""F7: another API key, on every screen of a service, and at a start without one."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from pettui.client import PetClient
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
    responds,
    sees,
    sees_no,
    table,
)
from tests.tui.form.steps import outbox_has
from tests.tui.scripted_service import UNAUTHORIZED, ScriptedService, html
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.transfer.lines import ImportPreview
    from tests.tui.driving import Driver, Start, Step

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


def on_held(*keys: str) -> Start:
    """Return a start: the service takes these keys, and its list waits until ``goes_on``."""

    def service() -> ScriptedService:
        held = ScriptedService(keys=[*keys])
        held.hold("listPets")
        return held

    return on(service, loaded=False)


async def goes_on(driver: Driver) -> None:
    """Let the list be answered."""
    driver.service.hold("listPets").set()


def used(key: str) -> Step:
    """Return a step that waits until the list was asked for with a key."""
    return lambda driver: driver.until(
        lambda: driver.service.requests_for("listPets")[-1].key == key
    )


def clicks(selector: str, *, row: int = 0, times: int = 1) -> Step:
    """Return a step that clicks a widget."""

    async def click(driver: Driver) -> None:
        await driver.pilot.click(selector, offset=(5, row), times=times)
        await driver.settled()

    return click


REX = ("a", *"Rex", "tab", "3", "enter")
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
    case("in the form it is no longer reported once a key is used", on(two_keys),
        "a", "f7", *"two words", "enter", sees("✖ Invalid API key"), "f7", *OTHER, "enter",
        sees("API key changed"), sees_no("Invalid API key")),
    case("a store without a key says so", KEYLESS_STORE, "a", "R", "f7", NO_KEY, sees_no("Key ")),
    *first(*(
        case(f"a list that is still asked for with the former key is asked for again: {over_it}",
            on_held(OTHER), *over_it, "f7", *OTHER, "enter", goes_on, used(OTHER),
            *["escape" for _ in over_it], sees("Mitzi"), sees_no("401"))
        for over_it in ((), ("o",), ("a",))
    )),
    *first(*(
        case(f"a list that was refused is asked for again over {key}", on(two_keys),
            responds("listPets", UNAUTHORIZED), "r", sees("401"), key, "f7", *OTHER, "enter",
            used(OTHER), "escape", sees_no("401"))
        for key in ("o", "a", "R", "enter")
    )),
    *first(*(  # what follows is the API key, which would stand in clear in the name
        case(f"no key of the form moves the cursor out of the prompt: {key}", on(two_keys),
            responds("createPet", html(500)), *REX, sees("unknown"), *"Rex", "enter",
            sees("F10 adds it anyway"), "f7", key, *OTHER, masks, "enter", has_other_key,
            outbox_has("Rex"))
        for key in ("f3", "f10", "tab")
    )),
    *(
        case(f"no click moves the cursor out of the prompt: {clicked}", on(two_keys),
            *PLACES[place], "f7", *OTHER[:3], clicks(clicked), *OTHER[3:], masks, "enter",
            has_other_key)
        for place, clicked in (("list", "PetTable"), ("find", "#find-line"), ("status", "#name"))
    ),
    *(
        case(f"a double click opens nothing over the prompt: {clicked}", AT_WORK, *REX, "escape",
            *keys, "f7", *OTHER, clicks(clicked, row=row, times=2), masks)
        for keys, clicked, row in (((), "PetTable", 2), (("o",), "EntryTable", 1))
    ),
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
