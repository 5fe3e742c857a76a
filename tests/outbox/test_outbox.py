"""What the screens ask of the outbox."""

from __future__ import annotations

import asyncio
import math
import threading
from typing import TYPE_CHECKING

import pytest

from pettui.models.pets import Pet
from pettui.outbox.entries import Draft, Entry, EntryState, OutboxError
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.outbox.stores.memory import MemoryEntryStore
from tests.outbox.scripted import (
    ScriptedClient,
    add,
    an_entry,
    cut,
    numbered,
    states,
)
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.outbox.outbox import Outbox
    from tests.outbox.conftest import MakeOutbox, OpenStore

ADDED = 100  # entries that stay


class FailingStore(MemoryEntryStore):
    """A store on a disk that fails while ``failing`` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.failing = False
        self.written: list[Draft] = []
        self.proceed = threading.Event()
        self.proceed.set()

    def change(self, old: Entry, new: Entry, *, draft: int | None = None) -> bool:
        self._fail()
        return super().change(old, new, draft=draft)

    def add(self, entry: Entry, *, draft: int = 0) -> Entry:
        self.proceed.wait(20)
        self._fail()
        return super().add(entry, draft=draft)

    def keep_draft(self, number: int, draft: Draft) -> None:
        self.proceed.wait(20)
        self._fail()
        self.written.append(draft)
        super().keep_draft(number, draft)

    def _fail(self) -> None:
        if self.failing:
            raise OutboxError("no space left on device")


async def unknown(outbox: Outbox, client: ScriptedClient, name: str = "Rex") -> Entry:
    client.adds.append(cut())
    entry = await add(outbox, name)
    await until(lambda: f"{name} unknown" in states(outbox))
    return entry


async def test_an_entry_whose_typist_goes_away_is_taken_all_the_same(
    make_outbox: MakeOutbox,
) -> None:
    store = FailingStore()
    store.proceed.clear()
    outbox = make_outbox(store, delay=1e6)
    adding = asyncio.create_task(outbox.add("Rex", 3, None))
    await asyncio.sleep(0)
    adding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await adding
    store.proceed.set()
    await until(lambda: states(outbox) == ["Rex waiting"])


async def test_what_cannot_be_kept_as_being_sent_is_not_sent(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    store = FailingStore()
    outbox = make_outbox(store, delay=0.01)
    await add(outbox, "Rex")
    store.failing = True
    await until(lambda: outbox.sending.waiting_for)
    assert outbox.sending.waiting_for == "no space left on device"
    assert client.sent == []
    store.failing = False
    await until(lambda: states(outbox) == ["Rex added"])
    assert len(client.sent) == 1


async def test_a_response_that_cannot_be_kept_counts_and_is_kept_once_there_is_room(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    store = FailingStore()
    client.when_sent = lambda _: setattr(store, "failing", True)
    outbox = make_outbox(store)
    await add(outbox, "Rex")
    await until(lambda: states(outbox) == ["Rex added"])
    assert outbox.store_state.error == "no space left on device"
    assert store.load().entries[0].state is EntryState.SENDING
    store.failing = False
    client.when_sent = lambda _: None
    await add(outbox, "Mimi")
    await until(lambda: outbox.store_state.error is None)
    await until(lambda: states(outbox) == ["Rex added", "Mimi added"])
    assert store.load().entries[0].state is EntryState.ADDED
    assert len(client.sent) == 2


async def test_a_refresh_that_began_before_a_change_failed_does_not_hide_that_it_failed(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    for _ in range(20):
        store = FailingStore()
        client.when_sent = lambda _, store=store: setattr(store, "failing", True)
        outbox = make_outbox(store, look_every=0.0005)
        await add(outbox, "Rex")
        await until(lambda outbox=outbox: states(outbox) == ["Rex added"])
        assert outbox.store_state.error == "no space left on device"


async def test_what_could_not_be_kept_is_kept_at_the_end_where_there_is_room_by_then(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    store = FailingStore()
    client.when_sent = lambda _: setattr(store, "failing", True)
    outbox = make_outbox(store, look_every=math.inf)
    await add(outbox, "Rex")
    await until(lambda: states(outbox) == ["Rex added"])
    store.failing = False
    await outbox.close()
    assert store.load().entries[0].state is EntryState.ADDED


# ── taking back, mending, sending again, looking for, forgetting ─────────────────────────────────


async def test_of_taking_back_and_sending_at_once_only_one_happens(
    kept_outbox: Outbox, client: ScriptedClient
) -> None:
    back = []
    for name in numbered(50):
        await add(kept_outbox, name)
        taken = await kept_outbox.take_newest_back()
        back += [taken.name] if taken else []
    await until(lambda: all(entry.pet_id for entry in kept_outbox.entries))
    sent = [pet.name for pet in client.sent]
    assert sorted(back + sent) == sorted(numbered(50))


def states_on_disk(directory: Path) -> list[str]:
    return [path.name.split(".")[2] for path in directory.glob("*.json")]


async def test_pressing_twice_to_send_again_sends_once(
    outbox: Outbox, client: ScriptedClient
) -> None:
    entry = await unknown(outbox, client)
    await asyncio.gather(
        outbox.send_again(entry.entry_id), outbox.send_again(entry.entry_id), return_exceptions=True
    )
    await until(lambda: states(outbox) == ["Rex added"])
    await add(outbox, "Mimi")
    await until(lambda: states(outbox) == ["Rex added", "Mimi added"])
    assert [pet.name for pet in client.sent] == ["Rex", "Rex", "Mimi"]
    assert outbox.entries[0].error is None


async def test_an_animal_is_what_one_entry_became_unless_its_id_was_given_again(
    outbox: Outbox, client: ScriptedClient
) -> None:
    client.ids = [7]
    await add(outbox, "Rxe")
    await until(lambda: states(outbox) == ["Rxe added"])
    first, second = await unknown(outbox, client), await unknown(outbox, client, "rex")
    pet = Pet(id=7, name="Rex", category_id=3)
    await outbox.resolve(first.entry_id, pet)
    with pytest.raises(OutboxError, match="id 7 is what Rex was added as"):
        await outbox.resolve(second.entry_id, pet)
    assert states(outbox) == ["Rxe added", "Rex added", "rex unknown"]


async def test_when_it_was_sent_is_kept_whatever_became_of_it(
    kept_outbox: Outbox, client: ScriptedClient, make_outbox: MakeOutbox, open_store: OpenStore
) -> None:
    assert kept_outbox.entries == ()
    entry = await unknown(kept_outbox, client)
    assert (await add(kept_outbox, "Mimi")).sent_at is None
    sent_at = kept_outbox.entries[0].sent_at
    assert kept_outbox.sent_ago(kept_outbox.entries[0]) < 60
    await kept_outbox.close()
    restarted = make_outbox(open_store(), clock=lambda: sent_at + 90)
    found = next(each for each in restarted.entries if each.entry_id == entry.entry_id)
    assert (found.state, restarted.sent_ago(found)) == (EntryState.UNKNOWN, 90)


async def test_an_entry_can_be_forgotten_unless_it_waits_to_be_sent(
    outbox: Outbox, client: ScriptedClient
) -> None:
    lost = await unknown(outbox, client)
    await outbox.forget(lost.entry_id)
    assert outbox.entries == ()
    entry = await unknown(outbox, client)
    await outbox.send_again(entry.entry_id)
    await until(lambda: states(outbox) == ["Rex added"])
    await outbox.forget(entry.entry_id)
    assert outbox.entries == ()
    with pytest.raises(OutboxError, match="no longer exists"):
        await outbox.forget(entry.entry_id)


class StuckStore(MemoryEntryStore):
    """It cannot forget one of its entries."""

    def remove(self, entry: Entry) -> bool:
        if entry.name == "animal 2":
            raise OutboxError("the disk is broken")
        return super().remove(entry)


async def test_many_added_entries_are_forgotten_with_one_notice(make_outbox: MakeOutbox) -> None:
    """A screen is drawn at each notice, while the next key waits."""
    store = StuckStore()
    for number, name in enumerate(numbered(60)):
        state = EntryState.REFUSED if number == 1 else EntryState.ADDED
        store.add(an_entry(name, state, number, pet_id=number))
    outbox = make_outbox(store)
    await until(lambda: len(outbox.entries) == 60)
    notices: list[Entry] = []
    outbox.subscribe(notices.append)
    with pytest.raises(OutboxError, match="the disk is broken"):
        await outbox.forget_added(entry.entry_id for entry in outbox.entries)
    assert states(outbox) == ["animal 1 refused", "animal 2 added"]
    assert [entry.name for entry in store.load().entries] == ["animal 1", "animal 2"]
    assert len(notices) == 1


async def test_of_the_added_entries_the_newest_hundred_stay(make_outbox: MakeOutbox) -> None:
    store = MemoryEntryStore()
    for number in range(ADDED + 5):
        store.add(an_entry(str(number), EntryState.ADDED, number, pet_id=number))
    store.add(an_entry("old", EntryState.UNKNOWN, 0))
    outbox = make_outbox(store)
    await until(lambda: len(outbox.entries) == ADDED + 1)
    assert outbox.entries[0].name == "old"
    assert outbox.entries[-1].name == str(ADDED + 4)


async def test_where_nobody_looks_the_added_entries_but_a_hundred_are_forgotten_too(
    make_outbox: MakeOutbox,
) -> None:
    outbox = make_outbox(look_every=math.inf)
    await add(outbox, *numbered(ADDED + 20))
    await until(lambda: all(entry.pet_id for entry in outbox.entries))
    await add(outbox, "last")
    assert len(outbox.entries) == ADDED + 1
    assert outbox.entries[-1].name == "last"


# ── listeners, the draft, the end ────────────────────────────────────────────────────────────────


# ── two instances on one profile ─────────────────────────────────────────────────────────────────


async def test_an_instance_sends_what_another_owns_once_that_has_ended(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path
) -> None:
    one = make_outbox(DirectoryEntryStore(directory), delay=1e6)
    other = make_outbox(DirectoryEntryStore(directory))
    await one.add("Rex", 3, None)
    await until(lambda: [entry.owned_elsewhere for entry in other.entries] == [True])
    assert await other.take_newest_back() is None
    assert client.sent == []
    await one.close()
    await until(lambda: states(other) == ["Rex added"])
    assert len(client.sent) == 1


async def test_an_entry_that_another_instance_took_out_leaves_this_one(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path
) -> None:
    one = make_outbox(DirectoryEntryStore(directory), delay=1e6)
    other = make_outbox(DirectoryEntryStore(directory), delay=1e6)
    entry = await one.add("Rex", 3, None)
    await until(lambda: len(other.entries) == 1)
    await other.take_back(entry.entry_id)
    await until(lambda: one.entries == ())
    assert other.drafts.draft == Draft("Rex", "3")


async def test_two_instances_that_send_one_unknown_entry_again_send_it_once(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path
) -> None:
    one = make_outbox(DirectoryEntryStore(directory))
    other = make_outbox(DirectoryEntryStore(directory))
    entry = await unknown(one, client)
    await until(lambda: states(other) == ["Rex unknown"])
    await asyncio.gather(
        one.send_again(entry.entry_id), other.send_again(entry.entry_id), return_exceptions=True
    )
    await until(lambda: states(one) == ["Rex added"])
    await until(lambda: states(other) == ["Rex added"])
    assert len(client.sent) == 2


# ── when outboxes look for what other instances did ─────────────────────────────────────────────
