"""What waits is sent: in order, kept first, and never twice by itself."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

import pytest

from pettui.outbox.entries import EntryState, OutboxError, Refusal, next_entry_id
from pettui.outbox.sending import LoopTimer, idempotency_key, random_key
from pettui.outbox.store_thread import SharedThread
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.outbox.stores.memory import MemoryEntryStore
from tests.outbox.scripted import (
    STORE,
    ScriptedClient,
    add,
    an_entry,
    cut,
    offline,
    refusal,
    send,
    states,
)
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pettui.outbox.outbox import Outbox
    from tests.outbox.conftest import MakeOutbox


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        (("Rex", 2**63, None), "categoryId"),
        (("Rex", 3, "newborn"), "status: must be available, pending or sold"),
        (("Rex \ud83d", 3, None), "name"),
    ],
)
async def test_what_the_interface_cannot_say_is_refused_without_asking(
    outbox: Outbox, client: ScriptedClient, typed: tuple[Any, ...], reason: str
) -> None:
    await outbox.add(*typed)
    await until(lambda: states(outbox) == [f"{typed[0]} refused"])
    assert client.sent == []
    assert reason in outbox.entries[0].error


async def test_while_the_service_cannot_be_reached_all_wait_in_order_and_it_is_reported(
    outbox: Outbox, client: ScriptedClient
) -> None:
    client.adds = [offline(), offline(), offline()]
    reasons: list[str | None] = []
    outbox.subscribe(lambda _: reasons.append(outbox.sending.waiting_for))
    await add(outbox, "Rex", "Mimi")
    await until(lambda: states(outbox) == ["Rex added", "Mimi added"])
    assert [pet.name for pet in client.sent] == ["Rex", "Rex", "Rex", "Rex", "Mimi"]
    assert "cannot connect to 127.0.0.1:1: connection refused" in reasons
    assert outbox.sending.waiting_for is None


async def test_without_a_good_key_all_wait_until_it_is_given_anew(
    outbox: Outbox, client: ScriptedClient
) -> None:
    client.adds = [refusal(401)]
    await add(outbox, "Rex", "Mimi")
    waiting = ["Rex waiting", "Mimi waiting"]
    await until(lambda: outbox.sending.api_key_error and states(outbox) == waiting)
    assert outbox.sending.waiting_for == "401 no: No."
    outbox.client = with_new_key = ScriptedClient()
    outbox.sending.resume()
    await until(lambda: states(outbox) == ["Rex added", "Mimi added"])
    assert [len(client.sent), len(with_new_key.sent)] == [1, 2]


async def test_what_was_unknown_or_refused_is_sent_again_only_by_who_asks_for_that_entry(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path
) -> None:
    client.adds = [cut(), refusal(400)]
    outbox = make_outbox(DirectoryEntryStore(directory))
    await add(outbox, "Rex", "Max")
    await until(lambda: states(outbox) == ["Rex unknown", "Max refused"])
    before = outbox.entries
    outbox.hurry()
    outbox.sending.resume()
    outbox.sending.service_responded()
    await add(outbox, "Mimi")
    await until(lambda: states(outbox)[2:] == ["Mimi added"])
    await outbox.close()
    outbox = make_outbox(DirectoryEntryStore(directory))
    await add(outbox, "Tiny")
    await until(lambda: states(outbox)[2:] == ["Mimi added", "Tiny added"])
    assert outbox.entries[:2] == before
    assert [pet.name for pet in client.sent] == ["Rex", "Max", "Mimi", "Tiny"]
    await outbox.send_again(before[1].entry_id)
    await until(lambda: states(outbox)[:2] == ["Rex unknown", "Max added"])
    assert [pet.name for pet in client.sent] == ["Rex", "Max", "Mimi", "Tiny", "Max"]


@pytest.mark.parametrize("jump", [-1e9, 1e9], ids=["back", "ahead"])
async def test_a_clock_that_jumps_keeps_nothing_waiting(
    make_outbox: MakeOutbox, client: ScriptedClient, jump: float
) -> None:
    times = iter([1e9])
    outbox = make_outbox(delay=0.01, clock=lambda: next(times, 1e9 + jump))
    await add(outbox, "Rex", "Mimi")
    await until(lambda: states(outbox) == ["Rex added", "Mimi added"])


# ── the end of the app ───────────────────────────────────────────────────────────────────────────


async def test_a_request_that_is_out_at_the_end_gets_its_response_if_that_comes_soon(
    kept_outbox: Outbox, client: ScriptedClient, directory: Path
) -> None:
    await send(kept_outbox, client, "Rex")
    closing = asyncio.create_task(kept_outbox.close(grace=20))
    client.may_respond.set()
    await closing
    assert states(kept_outbox) == ["Rex added"]
    (entry,) = DirectoryEntryStore(directory).load().entries
    assert entry.pet_id == 1


async def test_a_request_that_is_cut_off_at_the_end_leaves_its_entry_unknown(
    kept_outbox: Outbox, client: ScriptedClient, directory: Path
) -> None:
    await send(kept_outbox, client, "Rex", "Mimi")
    await kept_outbox.close(grace=0)
    entries = DirectoryEntryStore(directory).load().entries
    assert [entry.state for entry in entries] == [EntryState.UNKNOWN, EntryState.WAITING]


# ── what raises in the background is reported, and everything else goes on ───────────────────────


Target = TypeVar("Target")


class Surprise(Exception):
    """What nobody reckons with; its text must stand nowhere, since it may hold a key."""

    def __init__(self) -> None:
        super().__init__("Bearer a-secret-key")


def raising(target: Target, method: str, at_call: int = 1) -> Target:
    """Let one call of a method raise."""
    call, calls = getattr(target, method), count(1)

    def run(*arguments: Any, **options: Any) -> Any:
        if next(calls) == at_call:
            raise Surprise
        return call(*arguments, **options)

    setattr(target, method, run)
    return target


async def test_an_exception_while_sending_leaves_one_entry_unknown_and_the_rest_go_on(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    reported: list[Exception] = []
    outbox = make_outbox(report=reported.append)
    client.adds = [error := Surprise()]
    await add(outbox, "Rex", "Mimi", "Tiny")
    await until(lambda: states(outbox) == ["Rex unknown", "Mimi added", "Tiny added"])
    assert [pet.name for pet in client.sent] == ["Rex", "Mimi", "Tiny"]
    assert reported == [error]
    assert outbox.problems == ("a bug of pettui's own while sending (Surprise)",)
    assert outbox.entries[0].error == outbox.problems[0]


async def test_an_exception_while_a_list_is_loaded_is_waited_out_like_any_failure(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    reported: list[Exception] = []
    outbox = make_outbox(report=reported.append)
    error = Surprise()
    client.adds, client.lists = [error], [error, error, error]
    await add(outbox, "Rex", "Mimi")
    await until(lambda: states(outbox) == ["Rex unknown", "Mimi added"])
    assert len(outbox.problems) == 2
    assert reported == [error, error]  # once a kind, and not once a time


async def goes_on(outbox: Outbox, reported: list[Exception]) -> None:
    await add(outbox, "Rex")
    await until(lambda: states(outbox) == ["Rex added"])
    await until(lambda: outbox.problems)
    assert len(reported) == 1
    assert "a-secret-key" not in "".join(outbox.problems)
    await until(lambda: outbox.store_state.error is None)
    await add(outbox, "Mimi")
    await until(lambda: states(outbox) == ["Rex added", "Mimi added"])


@pytest.mark.parametrize(
    "faulty",
    [
        lambda: {"timer": raising(LoopTimer(), "wait")},
        lambda: {"store": raising(MemoryEntryStore(), "load", at_call=2)},
        lambda: {"store": raising(MemoryEntryStore(), "change")},
        lambda: {"store": raising(MemoryEntryStore(), "change", at_call=2)},
    ],
    ids=["sending", "looking", "keeping that it is sent", "keeping what it became"],
)
async def test_each_task_goes_on_after_an_exception(
    make_outbox: MakeOutbox, faulty: Callable[[], dict[str, Any]]
) -> None:
    reported: list[Exception] = []
    await goes_on(make_outbox(**faulty(), report=reported.append), reported)


async def test_what_comes_after_the_end_of_a_shared_thread_is_refused_and_no_bug(
    make_outbox: MakeOutbox,
) -> None:
    reported: list[Exception] = []
    thread = SharedThread()
    outbox = make_outbox(thread=thread, report=reported.append)
    await add(outbox, "First")
    thread.shutdown()
    with pytest.raises(OutboxError, match="the outbox is closed"):
        await add(outbox, "Late")
    await outbox.close()
    assert not reported


async def test_a_store_that_raises_at_the_start_ends_nothing(make_outbox: MakeOutbox) -> None:
    store = raising(MemoryEntryStore(), "load")
    store.add(an_entry("Rex"))
    outbox = make_outbox(store)
    assert "Surprise" in (outbox.store_state.error or "")
    await until(lambda: states(outbox) == ["Rex added"])
    assert outbox.store_state.error is None


REX = an_entry(entry_id="01700000000123456789-0a1b2c3d")


def test_a_key_is_a_uuid_of_version_7_whose_time_is_the_entrys_own() -> None:
    key = UUID(idempotency_key(REX))
    assert str(key) == idempotency_key(REX)
    assert (key.version, key.variant) == (7, "specified in RFC 4122")
    assert key.int >> 80 == 1_700_000_000_123


def test_keys_sort_as_their_entries_were_typed() -> None:
    ids = [next_entry_id(1_700_000_000 + number / 100, "") for number in range(100)]
    keys = [idempotency_key(replace(REX, entry_id=entry_id)) for entry_id in ids]
    assert keys == sorted(keys)


@pytest.mark.parametrize(
    "other",
    [
        {"name": "Rex "},
        {"category_id": 4},
        {"status": "sold"},
        {"entry_id": "01700000000123456789-0a1b2c3e"},
    ],
    ids=str,
)
def test_another_animal_has_another_key(other: dict[str, object]) -> None:
    assert idempotency_key(replace(REX, **other)) != idempotency_key(REX)


def test_nothing_else_of_an_entry_changes_its_key() -> None:
    other = replace(
        REX,
        state=EntryState.SENDING,
        due=9.0,
        refusal=Refusal("cut"),
        store_id=STORE,
        own_key="salt:digest",
    )
    assert idempotency_key(other) == idempotency_key(REX)


def test_the_key_of_an_entry_is_the_same_for_ever() -> None:
    """Another one would double what an earlier version sent."""
    entry = an_entry(
        "Zoë \U0001f439 \udcff", status="sold", entry_id="01700000000123456789-0a1b2c3d"
    )
    assert idempotency_key(entry) == "018bcfe5-687b-722e-9290-870c40fe9397"


def test_a_key_that_asks_is_never_the_same() -> None:
    assert random_key() != random_key()
