"""What waits is sent: in order, kept first, and never twice by itself."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from pettui.backoff import Backoff
from pettui.client import (
    ErrorBodyError,
    NoAnswerError,
    PetClientError,
)
from pettui.models import ErrorBody, NewPet
from pettui.outbox import DirectoryEntryStore, EntryState, MemoryEntryStore
from tests.outbox.scripted import ScriptedClient, an_entry, states, until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.outbox.conftest import MakeOutbox

OFFLINE = "connect to", "127.0.0.1:1", "connection refused"
FOR_EVER = Backoff(first=1e6, longest=1e6)


def offline() -> NoAnswerError:
    return NoAnswerError(*OFFLINE, transient=True)


def cut() -> NoAnswerError:
    return NoAnswerError("read from", "127.0.0.1:1", "closed", maybe_sent=True)


def refusal(status: int, code: str = "no") -> ErrorBodyError:
    return ErrorBodyError(status, ErrorBody(code=code, message="No.", status=status))


async def test_entries_are_sent_one_by_one_in_the_order_of_typing(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    outbox = make_outbox()
    names = [f"animal {number}" for number in range(20)]
    await asyncio.gather(*(outbox.add(name, 3, None) for name in names))
    await until(outbox, lambda: states(outbox) == [f"{name} added" for name in names])
    assert [pet.name for pet in client.sent] == names
    assert client.most_out == 1
    assert [entry.pet_id for entry in outbox.entries] == list(range(1, 21))


async def test_an_entry_is_kept_as_being_sent_before_the_request_goes_out(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path
) -> None:
    kept: list[str] = []

    def look(_: NewPet) -> None:
        kept.extend(path.name.split(".")[2] for path in directory.glob("*.json"))

    client.when_sent = look
    outbox = make_outbox(DirectoryEntryStore(directory))
    await outbox.add("Rex", 3, None)
    await until(outbox, lambda: states(outbox) == ["Rex added"])
    assert kept == ["sending"]


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        (("Rex", 2**63, None), "categoryId"),
        (("Rex", 3, "newborn"), "status: must be available, pending or sold"),
        (("Rex \ud83d", 3, None), "name"),
    ],
)
async def test_what_the_interface_cannot_say_is_refused_without_asking(
    make_outbox: MakeOutbox, client: ScriptedClient, typed: tuple[Any, ...], reason: str
) -> None:
    outbox = make_outbox()
    await outbox.add(*typed)
    await until(outbox, lambda: states(outbox) == [f"{typed[0]} refused"])
    assert client.sent == []
    assert reason in outbox.entries[0].error


async def test_while_the_service_cannot_be_reached_all_wait_in_order_and_it_is_reported(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    client.adds = [offline(), offline(), offline()]
    outbox = make_outbox()
    reasons: list[str | None] = []
    outbox.subscribe(lambda _: reasons.append(outbox.sending.waiting_for))
    await outbox.add("Rex", 3, None)
    await outbox.add("Mimi", 3, None)
    await until(outbox, lambda: states(outbox) == ["Rex added", "Mimi added"])
    assert [pet.name for pet in client.sent] == ["Rex", "Rex", "Rex", "Rex", "Mimi"]
    assert "cannot connect to 127.0.0.1:1: connection refused" in reasons
    assert outbox.sending.waiting_for is None


async def test_somebody_who_knows_that_the_service_is_back_ends_the_pause(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    client.adds = [offline()]
    outbox = make_outbox(backoff=FOR_EVER)
    await outbox.add("Rex", 3, None)
    await until(outbox, lambda: outbox.sending.waiting_for)
    outbox.sending.resume()
    await until(outbox, lambda: states(outbox) == ["Rex added"])


async def test_without_a_good_key_all_wait_until_it_is_given_anew(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    client.adds = [refusal(401)]
    outbox = make_outbox()
    await outbox.add("Rex", 3, None)
    await outbox.add("Mimi", 3, None)
    waiting = ["Rex waiting", "Mimi waiting"]
    await until(outbox, lambda: outbox.sending.key_error and states(outbox) == waiting)
    assert outbox.sending.waiting_for == "401 no: No."
    outbox.client = with_new_key = ScriptedClient()
    outbox.sending.resume()
    await until(outbox, lambda: states(outbox) == ["Rex added", "Mimi added"])
    assert [len(client.sent), len(with_new_key.sent)] == [1, 2]


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (refusal(400), "refused"),
        (refusal(429), "refused"),
        (cut(), "unknown"),
    ],
    ids=str,
)
async def test_whatever_else_comes_back_an_entry_is_sent_once_and_those_behind_it_go_on(
    make_outbox: MakeOutbox, client: ScriptedClient, error: PetClientError, state: str
) -> None:
    client.adds = [error]
    outbox = make_outbox()
    await outbox.add("Rex", 3, None)
    await outbox.add("Mimi", 3, None)
    await until(outbox, lambda: states(outbox) == [f"Rex {state}", "Mimi added"])
    assert [pet.name for pet in client.sent] == ["Rex", "Mimi"]
    assert outbox.entries[0].error == str(error)


async def test_a_bug_in_a_listener_stops_nothing(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    reported: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))

    def listener(_: object) -> None:
        raise RuntimeError("a bug")

    outbox = make_outbox()
    outbox.subscribe(listener)
    await outbox.add("Rex", 3, None)
    await until(outbox, lambda: states(outbox) == ["Rex added"])
    assert {str(context["exception"]) for context in reported} == {"a bug"}


# ── the time in which an entry can be taken back ─────────────────────────────────────────────────


@pytest.mark.parametrize("jump", [-1e9, 1e9], ids=["back", "ahead"])
async def test_a_clock_that_jumps_keeps_nothing_waiting(
    make_outbox: MakeOutbox, client: ScriptedClient, jump: float
) -> None:
    times = iter([1e9])
    outbox = make_outbox(delay=0.01, clock=lambda: next(times, 1e9 + jump))
    await outbox.add("Rex", 3, None)
    await outbox.add("Mimi", 3, None)
    await until(outbox, lambda: states(outbox) == ["Rex added", "Mimi added"])


async def test_an_entry_from_a_time_when_the_clock_was_ahead_waits_no_longer_than_any(
    make_outbox: MakeOutbox,
) -> None:
    store = MemoryEntryStore()
    store.add(an_entry("Rex", due=4e9))
    outbox = make_outbox(store, delay=0.01)
    await until(outbox, lambda: states(outbox) == ["Rex added"])


# ── the end of the app ───────────────────────────────────────────────────────────────────────────


async def test_a_request_that_is_out_at_the_end_gets_its_response_if_that_comes_soon(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path
) -> None:
    client.may_respond.clear()
    outbox = make_outbox(DirectoryEntryStore(directory))
    await outbox.add("Rex", 3, None)
    await until(outbox, lambda: client.out == 1)
    closing = asyncio.create_task(outbox.close(grace=20))
    client.may_respond.set()
    await closing
    assert states(outbox) == ["Rex added"]
    (entry,) = DirectoryEntryStore(directory).load().entries
    assert entry.pet_id == 1


async def test_a_request_that_is_cut_off_at_the_end_leaves_its_entry_unknown(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path
) -> None:
    client.may_respond.clear()
    outbox = make_outbox(DirectoryEntryStore(directory))
    await outbox.add("Rex", 3, None)
    await outbox.add("Mimi", 3, None)
    await until(outbox, lambda: client.out == 1)
    await outbox.close(grace=0)
    entries = DirectoryEntryStore(directory).load().entries
    assert [entry.state for entry in entries] == [EntryState.UNKNOWN, EntryState.WAITING]


async def test_what_waited_at_the_end_is_sent_at_the_next_start(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path
) -> None:
    outbox = make_outbox(DirectoryEntryStore(directory), delay=1e6)
    await outbox.add("Rex", 3, "sold")
    await outbox.close()
    outbox = make_outbox(DirectoryEntryStore(directory))
    await until(outbox, lambda: states(outbox) == ["Rex added"])
    assert [pet.name for pet in client.sent] == ["Rex"]


async def test_what_was_unknown_or_refused_is_not_sent_at_the_next_start(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path
) -> None:
    client.adds = [cut(), refusal(400)]
    outbox = make_outbox(DirectoryEntryStore(directory))
    await outbox.add("Rex", 3, None)
    await outbox.add("Mimi", 3, None)
    await until(outbox, lambda: states(outbox) == ["Rex unknown", "Mimi refused"])
    before = outbox.entries
    await outbox.close()
    outbox = make_outbox(DirectoryEntryStore(directory))
    await outbox.add("Tiny", 3, None)
    await until(outbox, lambda: states(outbox)[-1] == "Tiny added")
    assert outbox.entries[:2] == before
    assert [pet.name for pet in client.sent] == ["Rex", "Mimi", "Tiny"]


async def test_a_response_that_came_twice_does_not_count_for_the_next_entry(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    client.ids = [7, 7]
    outbox = make_outbox()
    await outbox.add("Rex", 3, None)
    await outbox.add("Mimi", 3, None)
    await until(outbox, lambda: states(outbox) == ["Rex added", "Mimi unknown"])
    assert outbox.entries[1].error == "the response has id 7, which another animal has"
