"""What users of ``pettui ssh`` left is sent at the pace of one, and goes on after an error."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pettui.background_tasks import keep_running, stopped
from pettui.cli import unattended
from pettui.cli.unattended import UnattendedSending
from pettui.cli.user_outboxes import (
    keep_user,
    take_sent,
    use_own_key,
    use_profile_key,
    user_directories,
)
from pettui.cli.user_outboxes import user_directory as directory_of
from pettui.client import ErrorBodyError, NoAnswerError, PetClientError
from pettui.models import ErrorBody
from pettui.outbox import DirectoryEntryStore, EntryState, entry_counts
from pettui.outbox.stores import directory as directory_store
from pettui.settings import ApiKey, Profile, Settings, StoreKind
from tests.outbox.scripted import ScriptedClient, an_entry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from pettui.client import PetAnswer
    from pettui.models import NewPet

KEY = "a-key-of-the-tests"
SHOP = Profile("shop", StoreKind.SERVICE, "http://h.example/v1", ApiKey(KEY), "SHOP", "red")


class Log:
    """The events that were written."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._written = asyncio.Event()

    def write(self, event: str, **fields: Any) -> None:
        self.events.append({"event": event, **fields})
        self._written.set()

    async def wait_for(self, event: str, count: int = 1) -> dict[str, Any]:
        async with asyncio.timeout(60):
            while len(found := [one for one in self.events if one["event"] == event]) < count:
                self._written.clear()
                await self._written.wait()
        return found[-1]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "pettui"


@pytest.fixture
async def client() -> ScriptedClient:
    return ScriptedClient()


@asynccontextmanager
async def sending(client: ScriptedClient, log: Log) -> AsyncIterator[UnattendedSending]:
    """Send what is left, with short pauses after an error."""
    with ThreadPoolExecutor(1) as thread:
        one = UnattendedSending(client, Settings(profile=SHOP, delay=0), thread, log)
        task = asyncio.create_task(keep_running(one.run, one.report, 0.01))
        yield one
        await stopped(task)


def leave(user: str, *names: str, state: EntryState = EntryState.WAITING) -> Path:
    """Leave animals as a session does that has ended."""
    directory = directory_of(SHOP, f"SHA256:{user}")
    keep_user(directory, f"{user}@till", f"SHA256:{user}")
    store = DirectoryEntryStore(directory)
    store.load()
    for number, name in enumerate(names, 1):
        store.add(an_entry(name, state, key=f"{number:020d}-00000000"))
    store.close()
    return directory


def away() -> PetClientError:
    return NoAnswerError("connect to", "h.example", "refused", maybe_sent=False, transient=True)


@pytest.mark.usefixtures("state")
async def test_a_service_that_is_away_gets_the_requests_of_one_user_and_not_of_all(
    client: ScriptedClient,
) -> None:
    directories = [leave(f"user{number}", "Rex") for number in range(20)]
    client.adds = [away()] * 2
    log = Log()
    async with sending(client, log):
        assert (await log.wait_for("outbox waits"))["reason"] == str(away())
        assert len(client.sent) == 1
        await log.wait_for("outbox sent", 20)
    assert len(client.sent) == 20 + 2  # those that were out while it was away
    assert [*map(entry_counts, directories)] == [{"added": 1}] * 20


@pytest.mark.usefixtures("state")
async def test_a_wait_that_the_service_asks_for_is_that_of_all_users(
    client: ScriptedClient,
) -> None:
    directories = [leave(f"user{number}", "Rex", "Max") for number in range(3)]
    body = ErrorBody(code="unavailable", message="No.", status=503)
    client.adds = [
        ErrorBodyError(503, body, maybe_sent=True, transient=True, retry_after=60.0),
    ]
    log = Log()
    async with sending(client, log) as one:
        sent = await log.wait_for("outbox sent")
        assert (sent["key"], sent["unknown"], sent["waiting"]) == ("user0@till", 1, 1)
        await log.wait_for("outbox waits")
        for _ in range(3):
            one.wake()
            await asyncio.sleep(0)
        assert len(client.sent) == 1
    assert sum(entry_counts(each).get("waiting", 0) for each in directories) == 5


@pytest.mark.usefixtures("state")
async def test_nothing_that_is_unknown_is_sent_again_by_itself(client: ScriptedClient) -> None:
    cut_off = leave("anna", "Rex", state=EntryState.SENDING)
    leave("ben", "Luna")
    log = Log()
    async with sending(client, log):
        await log.wait_for("outbox sent", 2)
    first, second = log.events
    assert (first["key"], first["unknown"], first["added"]) == ("anna@till", 1, 0)
    assert (second["key"], second["unknown"], second["added"]) == ("ben@till", 0, 1)
    assert [pet.name for pet in client.sent] == ["Luna"]
    assert entry_counts(cut_off) == {"unknown": 1}


@pytest.mark.usefixtures("state")
async def test_nothing_is_looked_for_until_a_session_leaves_something(
    client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def counted(profile: str) -> list[Path]:
        looks.append(profile)
        return user_directories(profile)

    monkeypatch.setattr(unattended, "user_directories", counted)
    leave("anna", "Rex")
    body = ErrorBody(code="internal", message="Lost.", status=500)
    client.adds = [ErrorBodyError(500, body, maybe_sent=True)]  # and nothing waits behind it
    log = Log()
    async with sending(client, log) as one:
        await log.wait_for("outbox sent")
        leave("ben", "Luna")
        for _ in range(20):
            await asyncio.to_thread(int)  # as a look would take
        assert len(looks) == 1
        one.wake()
        await log.wait_for("outbox sent", 2)


@pytest.mark.usefixtures("state")
async def test_what_was_typed_for_a_key_of_the_users_own_is_not_sent_with_the_profiles(
    client: ScriptedClient,
) -> None:
    directory = leave("anna", "Rex")
    use_own_key(directory)
    leave("ben", "Luna")
    log = Log()
    async with sending(client, log) as one:
        await log.wait_for("outbox sent")
        assert [pet.name for pet in client.sent] == ["Luna"]
        use_profile_key(directory)  # at the next login
        one.wake()
        await log.wait_for("outbox sent", 2)
    assert (take_sent(directory), take_sent(directory)) == (1, 0)


async def test_after_an_error_it_is_told_and_goes_on(client: ScriptedClient, state: Path) -> None:
    leave("anna", "Rex")
    (state / "unattended").write_text("in its way")
    log = Log()
    async with sending(client, log):
        failed = await log.wait_for("outbox failed", 2)
        assert failed["reason"] == "Not a directory"
        (state / "unattended").unlink()
        await log.wait_for("outbox sent")
    assert json.dumps(log.events).count(KEY) == 0


class OneRefused(ScriptedClient):
    """A client that can never send one animal, as if something in between dropped it."""

    async def create_pet(self, new_pet: NewPet, **options: Any) -> PetAnswer:
        if new_pet.name == "Rex":
            raise away()
        return await super().create_pet(new_pet, **options)


@pytest.mark.usefixtures("state")
async def test_a_user_for_whom_sending_always_fails_keeps_nobody_waiting() -> None:
    client, log = OneRefused(), Log()
    leave("anna", "Rex")
    for user in ("ben", "cleo"):
        leave(user, "Luna")
    async with sending(client, log):
        await log.wait_for("outbox sent", 2)
    assert {one["key"] for one in log.events if one["event"] == "outbox sent"} == {
        "ben@till", "cleo@till",
    }  # fmt: skip


def only_entry(directory: Path) -> Path:
    (entry,) = directory.glob("0*.json")
    return entry


@pytest.mark.usefixtures("state")
async def test_what_cannot_be_read_is_told_once_and_keeps_nobody_waiting(
    client: ScriptedClient,
) -> None:
    damaged, unreadable = leave("anna", "Rex"), leave("ben", "Rex")
    only_entry(damaged).write_text("{")
    unreadable.rename(unreadable.parent / "elsewhere")
    unreadable.write_text("in its way")
    leave("cleo", "Luna")
    log = Log()
    async with sending(client, log) as one:
        await log.wait_for("outbox sent")
        leave("dora", "Max")
        one.wake()
        await log.wait_for("outbox sent", 2)
    failed = [event for event in log.events if event["event"] == "outbox failed"]
    assert [(event["key"], event["reason"].split(": ")[-1]) for event in failed] == [
        (unreadable.parent.name, "Not a directory"),
        ("anna@till", "it is not JSON"),
    ]
    assert [pet.name for pet in client.sent] == ["Luna", "Max"]


@pytest.mark.usefixtures("state")
async def test_a_disk_that_keeps_nothing_is_told_without_the_animal(
    client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bool:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    leave("anna", "Rex")
    log = Log()
    with monkeypatch.context() as full:
        full.setattr(directory_store, "_renamed", fail)
        async with sending(client, log):
            waits = await log.wait_for("outbox waits")
    assert waits["reason"].endswith("no space left on device")
    assert "Rex" not in json.dumps(log.events)
    assert not client.sent
