"""What a store adds once is sent again until it is answered; what is for another key waits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pettui.outbox import EntryState
from pettui.outbox.stores.contents import entry_text
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.outbox.scripted import an_entry, left_behind
from tests.tui.driving import Driver, open_app
from tests.tui.outbox.test_outbox import row
from tests.tui.scripted_service import Response, ScriptedService, html, pet

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def service() -> ScriptedService:
    """It has no animals, and promises to add once."""
    return ScriptedService([], promises=True)


async def unanswered(driver: Driver, name: str = "Rex") -> None:
    """Add an animal that has no answer, and go to it in the outbox."""
    driver.service.always("createPet", html(502))
    await driver.press("a", *name, "tab", "3", "enter")
    await driver.until(lambda: any(entry.is_sent_again for entry in driver.entries))
    await driver.press("escape", "escape", "o")


async def test_the_outbox_says_when_it_is_sent_again_and_why(driver: Driver) -> None:
    await unanswered(driver)
    await driver.until(lambda: "sending again" in row(driver, "Rex"))
    await driver.sees("502 from the service, no Error body")
    driver.service.always("createPet", Response(201, pet(7)))
    await driver.press("f5")
    await driver.until(lambda: "added, id 7" in row(driver, "Rex"))


async def test_what_may_be_out_is_neither_edited_nor_forgotten_nor_sent_by_hand(
    driver: Driver,
) -> None:
    await unanswered(driver)
    for key in ("E", "x", "s", "l"):
        await driver.press(key)
        await driver.sees("Rex is being sent again, until it is answered")
        await driver.press("escape", "o")
    await driver.press("f8")
    await driver.sees("too late: Rex is being sent again, until it is answered")
    assert [entry.state for entry in driver.entries] == [EntryState.SENDING]


async def test_somebody_who_gives_up_is_asked_and_it_is_unknown(driver: Driver) -> None:
    await unanswered(driver)
    await driver.press("U")
    await driver.sees("Give up on Rex?", "It may have been added, or still be.")
    await driver.press("escape")
    assert [entry.state for entry in driver.entries] == [EntryState.SENDING]
    await driver.press("U")
    await driver.sees("Give up on Rex?")
    await driver.press("y")
    await driver.until(lambda: "unknown" in row(driver, "Rex"))
    await driver.sees("given up: 502 from the service")


async def test_the_key_to_give_up_is_for_nothing_else(driver: Driver) -> None:
    driver.service.always("createPet", Response(201, pet(7)))
    await driver.press("a", *"Rex", "tab", "3", "enter")
    await driver.until(lambda: [entry.state for entry in driver.entries] == [EntryState.ADDED])
    await driver.press("escape", "escape", "o", "U")
    await driver.sees("Rex is added: this key is for sending animals")


async def test_the_form_counts_down_to_the_next_try(driver: Driver) -> None:
    driver.service.always("createPet", html(502))
    await driver.press("a", *"Rex", "tab", "3", "enter")
    await driver.sees("sending again")


async def test_quitting_says_that_it_is_sent_again(tmp_path: Path) -> None:
    service = ScriptedService([], promises=True)
    store = DirectoryEntryStore(tmp_path / "outbox")
    async with open_app(service, store=store) as driver:
        await unanswered(driver)
        await driver.press("escape", "q")
        await driver.sees("1 animal not answered yet", "It will be sent again at the next start")
        await driver.press("q")
    assert "1 animal not answered yet" in driver.app.farewell


async def test_the_requests_have_the_key_and_the_store(driver: Driver) -> None:
    await unanswered(driver)
    driver.service.always("createPet", Response(201, pet(7)))
    await driver.press("f5")
    await driver.until(lambda: "added, id 7" in row(driver, "Rex"))  # the newest is an add
    await driver.press("f3", "enter")
    await driver.sees("Idempotency-Key", "Pettui-Store")


async def test_what_is_for_an_api_key_of_the_users_own_says_so(tmp_path: Path) -> None:
    directory = tmp_path / "outbox"
    entry = an_entry(own_key="00000000000000000001-00000000:0123")
    left_behind(directory, None, state="waiting.own-key").write_bytes(entry_text(entry))
    service = ScriptedService([], promises=True)
    async with open_app(service, store=DirectoryEntryStore(directory)) as driver:
        await driver.press("o")
        await driver.sees("waiting, for its API key", "1 animal waits for the API key that it was")
        assert json.dumps(driver.lines).count("0123") == 0
        assert service.requests_for("createPet") == []


@pytest.mark.parametrize("name", ["Rex", "rex ", "REX"])
async def test_what_may_be_out_is_not_added_again_without_a_question(
    driver: Driver, name: str
) -> None:
    await unanswered(driver)
    await driver.press("escape", "a", *name, "tab", *"3")
    await driver.sees("may have been added already: adding it again would make two")
    await driver.press("enter")
    await driver.sees("F10 adds it anyway")
    assert len(driver.entries) == 1


async def test_the_list_does_not_call_unsent_what_was_sent(driver: Driver) -> None:
    await unanswered(driver)
    await driver.press("escape")
    await driver.sees("1 unanswered")
    assert "unsent" not in driver.text
