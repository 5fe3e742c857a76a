"""Entries of a store that adds once: they are sent again until an answer says what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.client import Backoff
from pettui.outbox.entries import OutboxError
from pettui.outbox.sending import idempotency_key
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.outbox.on_disk import entry_counts
from tests.outbox.scripted import (
    OTHER_STORE,
    STORE,
    KeepingClient,
    Lost,
    SteppedTimer,
    Unconfirmed,
    add,
    cut,
    offline,
    refusal,
    states,
)
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pettui.outbox.outbox import Outbox
    from tests.outbox.conftest import MakeOutbox


@pytest.fixture
def client() -> KeepingClient:
    return KeepingClient()


@pytest.fixture
async def outbox_of(make_outbox: MakeOutbox) -> Callable[..., Outbox]:
    """Make outboxes that ask what is promised."""

    def make(client: KeepingClient, store: object = None, **options: object) -> Outbox:
        return make_outbox(store, client=client, asks=True, **options)

    return make


@pytest.fixture
async def outbox(outbox_of: Callable[..., Outbox], client: KeepingClient) -> Outbox:
    return outbox_of(client)


# ── the promise ──────────────────────────────────────────────────────────────────────────────────


async def test_until_the_promise_can_be_asked_for_nothing_is_sent(
    outbox: Outbox, client: KeepingClient
) -> None:
    client.lists = [offline(), refusal(503)]
    await add(outbox, "Rex")
    await until(lambda: states(outbox) == ["Rex added"])
    assert (len(client.listed), len(client.sent)) == (3, 1)


@pytest.mark.parametrize("store_id", [None, STORE], ids=["nothing", "by the store that it says"])
async def test_a_service_that_refuses_lists_promises(
    outbox: Outbox, client: KeepingClient, store_id: str | None
) -> None:
    client.lists = [refusal(403, store_id=store_id)]
    await add(outbox, "Rex")
    await until(lambda: states(outbox) == ["Rex added"])
    assert client.keys[0][1] == store_id


# ── what had no answer is sent again ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "error",
    [cut(), refusal(502), refusal(503), refusal(403), refusal(429), refusal(400, store_id="other")],
    ids=["cut", "502", "503", "403 of a proxy", "429", "400 of another store"],
)
@pytest.mark.parametrize("lost", [Lost, lambda error: error], ids=["stored", "not stored"])
async def test_what_has_no_answer_is_sent_again_until_it_is_there_once(
    outbox: Outbox, client: KeepingClient, error: Exception, lost: Callable[..., Exception]
) -> None:
    client.adds = [lost(error), lost(error), lost(error)]
    await add(outbox, "Rex", "Mimi")
    await until(lambda: states(outbox) == ["Rex added", "Mimi added"])
    assert sorted(client.names) == ["Mimi", "Rex"]
    assert len(set(client.keys)) == 2
    assert [entry.error for entry in outbox.entries] == [None, None]


async def test_it_is_sent_again_at_longer_and_longer_times(
    outbox_of: Callable[..., Outbox], client: KeepingClient
) -> None:
    timer = SteppedTimer(end=3600.0)
    outbox = outbox_of(client, backoff=Backoff(), timer=timer, look_every=float("inf"))
    client.refused = {"Rex": cut()}
    await add(outbox, "Rex")
    await timer.has_ended.wait()
    assert 60 < len(client.sent) < 300
    assert 0 < outbox.goes_again_in(outbox.entries[0]) <= 60
    outbox.sending.resume()
    assert outbox.goes_again_in(outbox.entries[0]) == 0


# ── a promise that ends, and another store ───────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("adds", "remark"),
    [([Unconfirmed()], None), ([Lost(cut()), Unconfirmed()], "it may be there twice")],
    ids=["first", "later"],
)
async def test_an_answer_that_does_not_send_the_key_back_adds_and_ends_the_promise(
    outbox: Outbox, client: KeepingClient, adds: list[Exception], remark: str | None
) -> None:
    client.adds = [*adds]
    await add(outbox, "Rex")
    await until(lambda: states(outbox) == ["Rex added"])
    assert (remark or "") in (outbox.entries[0].error or "")
    assert (outbox.entries[0].error is None) is (remark is None)
    await add(outbox, "Mimi")
    await until(lambda: states(outbox)[-1] == "Mimi added")
    assert client.keys[-1] == (None, None)


async def test_what_another_store_would_have_to_add_waits_for_its_own(
    outbox: Outbox, client: KeepingClient
) -> None:
    client.adds = [Lost(cut())]
    client.when_sent = lambda _: setattr(client, "store_id", OTHER_STORE)
    await add(outbox, "Rex", "Mimi")
    await until(lambda: states(outbox) == ["Rex sending", "Mimi added"])
    await until(lambda: "another store" in (outbox.entries[0].error or ""))
    assert client.keys[1][1] == OTHER_STORE
    client.when_sent = lambda _: None
    client.store_id = STORE
    await until(lambda: states(outbox)[0] == "Rex added")
    assert client.keys[-1] == client.keys[0]


async def test_a_store_that_says_that_it_is_another_one_is_waited_for(
    outbox: Outbox, client: KeepingClient
) -> None:
    await add(outbox, "Rex")
    await until(lambda: states(outbox) == ["Rex added"])
    client.store_id = OTHER_STORE
    mimi = await add(outbox, "Mimi")
    await until(lambda: states(outbox)[-1] == "Mimi sending")
    await until(lambda: outbox.entries[-1].error)
    assert client.names == ["Rex"]
    await outbox.give_up(mimi.entry_id)
    await outbox.send_again(mimi.entry_id)
    await until(lambda: states(outbox)[-1] == "Mimi added")


# ── after a crash, in another window, at the next start ──────────────────────────────────────────


async def test_another_window_goes_on_with_what_this_one_was_sending(
    outbox_of: Callable[..., Outbox], client: KeepingClient, directory: Path
) -> None:
    client.refused = {"Rex": cut()}
    first = outbox_of(client, DirectoryEntryStore(directory))
    await add(first, "Rex")
    await until(lambda: first.entries[0].is_sent_again)
    other_client = KeepingClient()
    other_client.stored, other_client.added = client.stored, client.added
    second = outbox_of(other_client, DirectoryEntryStore(directory))
    assert second.entries[0].owned_elsewhere
    await first.close()
    await until(lambda: states(second) == ["Rex added"])
    assert set(other_client.keys) == set(client.keys)


async def test_a_request_that_is_cut_off_at_the_end_is_sent_again_at_the_next_start(
    outbox_of: Callable[..., Outbox], client: KeepingClient, directory: Path
) -> None:
    client.may_respond.clear()
    outbox = outbox_of(client, DirectoryEntryStore(directory))
    await add(outbox, "Rex")
    await until(lambda: client.out == 1)
    await outbox.close(grace=0.0)
    assert entry_counts(directory) == {"sending": 1}
    client.may_respond.set()
    outbox = outbox_of(client, DirectoryEntryStore(directory))
    await until(lambda: states(outbox) == ["Rex added"])
    assert client.keys == [(idempotency_key(outbox.entries[0]), STORE)] * 2


# ── what somebody does with it ───────────────────────────────────────────────────────────────────


async def test_what_may_be_out_is_neither_taken_back_nor_edited_nor_forgotten(
    outbox: Outbox, client: KeepingClient
) -> None:
    client.refused = {"Rex": cut()}
    rex = await add(outbox, "Rex")
    await until(lambda: outbox.entries[0].is_sent_again)
    for move in (outbox.take_back, outbox.copy, outbox.forget, outbox.send_again):
        with pytest.raises(OutboxError, match="Rex is now sending"):
            await move(rex.entry_id)
    assert await outbox.take_newest_back() is None


async def test_somebody_who_gives_up_makes_it_unknown(
    outbox: Outbox, client: KeepingClient
) -> None:
    client.refused = {"Rex": Lost(cut())}
    rex = await add(outbox, "Rex")
    await until(lambda: outbox.entries[0].is_sent_again)
    await outbox.give_up(rex.entry_id)
    assert states(outbox) == ["Rex unknown"]
    assert outbox.entries[0].error == f"given up: {cut()}"
    sent = len(client.sent)
    await add(outbox, "Mimi")
    await until(lambda: states(outbox) == ["Rex unknown", "Mimi added"])
    assert len(client.sent) == sent + 1
    client.refused = {}
    await outbox.send_again(rex.entry_id)
    await until(lambda: states(outbox)[0] == "Rex added")
    assert client.names == ["Rex", "Mimi"]


async def test_giving_up_ends_the_request_that_is_out(
    outbox: Outbox, client: KeepingClient
) -> None:
    client.may_respond.clear()
    rex = await add(outbox, "Rex")
    await until(lambda: client.out == 1)
    await outbox.give_up(rex.entry_id)
    assert (states(outbox), client.out) == (["Rex unknown"], 0)


async def test_what_no_store_adds_once_cannot_be_given_up_while_it_is_out(
    outbox_of: Callable[..., Outbox],
) -> None:
    client = KeepingClient(None)
    client.may_respond.clear()
    outbox = outbox_of(client)
    rex = await add(outbox, "Rex")
    await until(lambda: client.out == 1)
    with pytest.raises(OutboxError, match="Rex is being sent"):
        await outbox.give_up(rex.entry_id)


@pytest.mark.parametrize("store_id", [STORE, None], ids=["promised", "not promised"])
async def test_where_lists_are_refused_what_has_no_answer_is_not_asked_about_without_end(
    outbox_of: Callable[..., Outbox], store_id: str | None
) -> None:
    """An API key may add and not list; a list that is refused is an answer all the same."""
    client = KeepingClient(store_id)
    timer = SteppedTimer(end=600.0)
    outbox = outbox_of(client, backoff=Backoff(), timer=timer, look_every=float("inf"))
    client.refused = {"Rex": cut()}
    client.lists = [refusal(403, store_id=store_id)] * 1000
    await add(outbox, "Rex")
    await add(outbox, "Tiny")
    await until(timer.has_ended.is_set if store_id else lambda: states(outbox)[1] == "Tiny added")
    assert len(client.listed) <= len(client.sent) + 1 < 100
    assert "Tiny" in client.names
