"""What users of ``pettui ssh`` left is sent at the pace of one, and goes on after an error."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pettui.client import Backoff
from pettui.composition.store import owners_of
from pettui.composition.unattended import UnattendedSending
from pettui.outbox.entries import OutboxError
from pettui.outbox.owners import ssh_owner
from pettui.outbox.receipts import today
from pettui.outbox.store_thread import SharedThread
from pettui.outbox.stores import directory as directory_store
from pettui.outbox.stores import directory_owners
from pettui.outbox.stores.directory_owners import DirectoryOwner as Owner
from pettui.outbox.stores.directory_owners import DirectoryOwners
from pettui.settings.settings import ApiKey, Profile, Settings, StoreKind
from pettui.system import files
from pettui.system.background_tasks import keep_running, stopped
from tests.outbox.on_disk import entry_counts
from tests.outbox.scripted import (
    GOOD,
    STORE,
    KeepingClient,
    Lost,
    ScriptedClient,
    cut,
    entry_id_of,
    left_behind,
    offline,
    refusal,
)
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path


KEY = "a-key-of-the-tests"
LOOK = 0.01  # seconds
SHOP = Profile("shop", StoreKind.SERVICE, "http://h.example/v1", ApiKey(KEY), "SHOP", "red")


class Sender:
    """Sends what is left, with short pauses after an error, and has the events that were written."""

    def __init__(self) -> None:
        self.client = ScriptedClient()
        self.events: list[dict[str, Any]] = []
        self.audit: list[dict[str, Any]] = []  # the lines of which there is no bound
        self._written = asyncio.Event()

    def write(self, event: str, **fields: Any) -> None:
        self.events.append({"event": event, **fields})
        self._written.set()

    def write_now(self, event: str, fields: Mapping[str, Any]) -> None:
        self.audit.append({"event": event, **fields})

    async def wait_for(self, event: str, count: int = 1) -> dict[str, Any]:
        async with asyncio.timeout(60):
            while len(found := [one for one in self.events if one["event"] == event]) < count:
                self._written.clear()
                await self._written.wait()
        return found[-1]

    @asynccontextmanager
    async def running(
        self, owners: DirectoryOwners | None = None, delay: float = 0
    ) -> AsyncIterator[UnattendedSending]:
        with SharedThread() as thread:
            settings = Settings(profile=SHOP, delay=delay)
            one = UnattendedSending(
                owners or owners_of(SHOP), self.client, settings, thread, self, look_every=LOOK
            )
            task = asyncio.create_task(keep_running(one.run, one.report, 0.01))
            yield one
            await stopped(task)

    @property
    def names(self) -> list[str]:
        """Of the animals that were sent, in order."""
        return [pet.name for pet in self.client.sent]


@pytest.fixture
async def sender() -> Sender:
    return Sender()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "pettui"


def leave(user: str, *names: str, state: str = "waiting") -> Path:
    """Leave animals as a session does that has ended; return the outbox's directory."""
    owner = owners_of(SHOP).of(ssh_owner(f"SHA256:{user}"))
    owner.log_in(f"{user}@till", f"SHA256:{user}")
    return leave_for(owner, *names, state=state)


def leave_for(owner: Owner, *names: str, state: str = "waiting") -> Path:
    directory = owner.directory
    for number, name in enumerate(names, 1):
        entry, entry_id = GOOD.replace("Rex", name), f"{number:020d}-00000000"
        left_behind(directory, entry, entry_id=entry_id, state=state)
    return directory


async def test_a_service_that_is_away_gets_one_request_and_not_one_of_each_user(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        leave(f"user{number}", "Rex")
    sender.client.adds = [offline()] * 20
    backoff = Backoff(first=1e6, longest=1e6)
    monkeypatch.setattr("pettui.composition.unattended.Backoff", lambda: backoff)
    async with sender.running():
        assert (await sender.wait_for("outbox waits"))["reason"] == str(offline())
        await asyncio.sleep(3 * LOOK)  # not a wait: of a request that must not come
        assert len(sender.client.sent) == 1


class AwayOnce(DirectoryOwners):
    """What keeps the outboxes cannot be asked at the first look."""

    was_away = False

    def unattended(self) -> list[Owner]:
        if not self.was_away:
            self.was_away = True
            raise OutboxError("the database is away")
        return super().unattended()


async def test_what_waited_while_the_outboxes_were_away_does_not_wait_for_its_delay_again(
    sender: Sender, state: Path
) -> None:
    owners = AwayOnce(state, SHOP.name, SHOP.base_url)
    leave_for(owners.of(ssh_owner("SHA256:anna")), "Rex")
    async with sender.running(owners, delay=3600):
        await sender.wait_for("outbox sent")
    assert sender.names == ["Rex"]


async def test_a_wait_that_the_service_asks_for_is_that_of_all_users(sender: Sender) -> None:
    directories = [leave(f"user{number}", "Rex", "Max") for number in range(3)]
    sender.client.adds = [refusal(503, maybe_sent=True, transient=True, retry_after=60.0)]
    async with sender.running():
        sent = await sender.wait_for("outbox sent")
        assert (sent["key"], sent["unknown"], sent["waiting"]) == ("user0@till", 1, 1)
        await sender.wait_for("outbox waits")
        await asyncio.sleep(3 * LOOK)  # not a wait: of a request that must not come
        assert len(sender.client.sent) == 1
    assert sum(entry_counts(each).get("waiting", 0) for each in directories) == 5


async def test_what_meets_429_is_sent_again_and_so_is_what_other_users_left(
    sender: Sender,
) -> None:
    directories = [leave(f"user{number}", "Rex") for number in range(3)]
    sender.client.adds = [refusal(429, transient=True)]
    async with sender.running():
        await sender.wait_for("outbox sent", 3)
    assert len(sender.client.sent) == 3 + 1
    assert [*map(entry_counts, directories)] == [{"added": 1}] * 3


async def test_a_refused_key_is_tried_again_when_another_user_leaves_something(
    sender: Sender,
) -> None:
    leave("anna", "Rex")
    sender.client.adds = [refusal(401)]
    async with sender.running():
        await sender.wait_for("outbox waits")
        leave("ben", "Luna")
        await sender.wait_for("outbox sent", 2)
    assert sorted(sender.names) == ["Luna", "Rex", "Rex"]


async def test_another_api_key_of_the_profile_is_tried_at_once(sender: Sender) -> None:
    leave("anna", "Rex")
    sender.client.adds = [refusal(401)]
    another = ScriptedClient("another-key-of-the-profile")
    async with sender.running() as sending:
        await sender.wait_for("outbox waits")
        sending.renew_client(another)
        await sender.wait_for("outbox sent")
        assert sending.settings.profile.api_key == another.api_key
    assert (sender.names, [pet.name for pet in another.sent]) == (["Rex"], ["Rex"])


async def test_nothing_that_is_unknown_is_sent_again_by_itself(sender: Sender) -> None:
    cut_off = leave("anna", "Rex", state="sending")
    leave("ben", "Luna")
    async with sender.running():
        await sender.wait_for("outbox sent", 2)
    first, second = sender.events
    assert (first["key"], first["unknown"], first["added"]) == ("anna@till", 1, 0)
    assert (second["key"], second["unknown"], second["added"]) == ("ben@till", 0, 1)
    assert sender.names == ["Luna"]
    assert entry_counts(cut_off) == {"unknown": 1}


async def test_where_nothing_waits_a_look_reads_no_directory_again(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: Counter[str] = Counter()
    listed = os.listdir

    def counted(directory: Path) -> list[str]:
        reads[directory.parent.name] += 1
        return listed(directory)

    monkeypatch.setattr(directory_owners.os, "listdir", counted)
    monkeypatch.setattr(files, "SETTLED_AFTER", 0)  # no clock of a file system is that fine
    idle = leave("anna", "Rex", state="added")
    async with sender.running():
        for user in ("ben", "cleo", "dora"):  # each is found by another look
            leave(user, "Luna")
            await sender.wait_for("outbox sent", len(sender.events) + 1)
    assert reads[idle.parent.name] == 1


async def test_what_was_typed_for_a_key_of_the_users_own_is_not_sent_with_the_profiles(
    sender: Sender,
) -> None:
    anna = leave("anna", "Rex", state="waiting.own-key")
    left_behind(anna, GOOD.replace("Rex", "Mimi"), entry_id=entry_id_of(2))
    leave("ben", "Luna")
    async with sender.running():
        await sender.wait_for("outbox sent", 2)
        owner = owners_of(SHOP).of(ssh_owner("SHA256:anna"))
        assert owner.log_in("anna@till", "SHA256:anna") == 1
        leave("cleo", "Tiny")
        await sender.wait_for("outbox sent", 3)
    assert "Rex" not in sender.names
    assert owner.summary().entries == {"added": 1, "waiting": 1}


async def test_what_had_no_answer_is_sent_again_and_keeps_nobody_waiting(sender: Sender) -> None:
    sender.client = client = KeepingClient()
    client.refused = {"Rex": Lost(cut())}
    anna = leave("anna", "Rex")
    leave("ben", "Luna")
    async with sender.running():
        await sender.wait_for("outbox sent")
        assert entry_counts(anna) == {"sending": 1}
        client.refused = {}
        await sender.wait_for("outbox sent", 2)
    assert entry_counts(anna) == {"added": 1}
    assert client.names == ["Rex", "Luna"]
    assert all(one["unknown"] == 0 for one in sender.events if one["event"] == "outbox sent")


async def test_what_a_session_was_sending_as_it_ended_is_sent_again(sender: Sender) -> None:
    sender.client = KeepingClient()
    kept = GOOD.replace("}", f', "store_id": "{STORE}"}}')
    owner = owners_of(SHOP).of(ssh_owner("SHA256:anna"))
    left_behind(owner.directory, kept, state="sending")
    left_behind(owner.directory, entry_id=entry_id_of(2), state="sending")
    async with sender.running():
        sent = await sender.wait_for("outbox sent")
    assert (sent["added"], sent["unknown"]) == (1, 1)


async def test_after_an_error_it_is_told_and_goes_on(sender: Sender, state: Path) -> None:
    leave("anna", "Rex")
    (state / "unattended").write_text("in its way")
    async with sender.running():
        failed = await sender.wait_for("outbox failed", 2)
        assert failed["reason"].endswith("not a directory")
        (state / "unattended").unlink()
        await sender.wait_for("outbox sent")
    assert json.dumps(sender.events).count(KEY) == 0
    [line] = sender.audit
    assert (line["event"], line["source"], line["profile"]) == ("animal added", "server", "shop")


async def test_a_user_for_whom_sending_always_fails_keeps_nobody_waiting(sender: Sender) -> None:
    sender.client.refused["Rex"] = offline()  # each time, as if something in between dropped it
    leave("anna", "Rex")
    for user in ("ben", "cleo"):
        leave(user, "Luna")
    async with sender.running():
        await sender.wait_for("outbox sent", 2)
    sent = {one["key"] for one in sender.events if one["event"] == "outbox sent"}
    assert sent == {"ben@till", "cleo@till"}


async def test_what_cannot_be_read_is_told_once_and_keeps_nobody_waiting(sender: Sender) -> None:
    damaged, unreadable = leave("anna", "Rex"), leave("ben", "Rex")
    (entry,) = damaged.glob("0*.json")
    entry.write_text("{")
    unreadable.rename(unreadable.parent / "elsewhere")
    unreadable.write_text("in its way")
    leave("cleo", "Luna")
    async with sender.running():
        await sender.wait_for("outbox sent")
        leave("dora", "Max")
        await sender.wait_for("outbox sent", 2)
    failed = [event for event in sender.events if event["event"] == "outbox failed"]
    assert [(event["key"], event["reason"].split(": ")[-1]) for event in failed] == [
        ("anna@till", "it is not JSON"),
        ("SHA256:ben", "part of its path is not a directory"),
    ]
    assert sender.names == ["Luna", "Max"]


async def test_a_disk_that_keeps_nothing_is_told_without_the_animal(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bool:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    leave("anna", "Rex")
    with monkeypatch.context() as full:
        full.setattr(directory_store, "_renamed", fail)
        async with sender.running():
            waits = await sender.wait_for("outbox waits")
    assert waits["reason"].endswith("the disk is full")
    assert "Rex" not in json.dumps(sender.events)
    assert not sender.client.sent


async def test_what_is_sent_unattended_is_in_the_receipt_of_its_user(sender: Sender) -> None:
    leave("kim", "Rex")
    async with sender.running():
        await sender.wait_for("outbox sent")
    receipts = owners_of(SHOP).of(ssh_owner("SHA256:kim")).receipts()
    (added,) = receipts.of(today()).added
    assert (added.pet.name, added.source) == ("Rex", "server")
    others = owners_of(SHOP).of(ssh_owner("SHA256:lee")).receipts()
    assert others.days() == []


@pytest.mark.parametrize(("drains", "became"), [(True, "added"), (False, "unknown")])
async def test_what_is_out_when_a_server_ends_that_has_drained_is_not_cut_off(
    sender: Sender, monkeypatch: pytest.MonkeyPatch, drains: bool, became: str
) -> None:
    monkeypatch.setattr("pettui.composition.unattended.GRACE", 0.0)
    sender.client.may_respond.clear()
    directory = leave("anna", "Rex")
    async with sender.running() as sending:
        await until(lambda: sender.client.sent)
        if drains:
            sending.drain()
            asyncio.get_running_loop().call_later(0.1, sender.client.may_respond.set)
    assert entry_counts(directory) == {became: 1}
