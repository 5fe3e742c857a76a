"""Entries sort in the order in which they were typed, whatever the clock does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.outbox import DirectoryEntryStore, Entry, EntryState, MemoryEntryStore, Outbox
from tests.outbox.scripted import ScriptedClient, add, an_entry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pettui.outbox import EntryStore

NEWEST_POSSIBLE = "09999999999999999999-ffffffff"
LAST = "99999999999999999999-ffffffff"
FAR_FUTURE = [
    NEWEST_POSSIBLE,
    "99999999999999999998-ffffffff",
    "99999999999999999999-fffffffd",
]


async def typed(times: Sequence[float], store: EntryStore) -> list[Entry]:
    """Type an animal at each of these times, and send none of them; return their entries."""
    client = ScriptedClient()
    client.may_respond.clear()
    time = times[0]
    outbox = Outbox(store, client, delay=3.0, clock=lambda: time)
    outbox.start()

    async def add_at(moment: float) -> Entry:
        nonlocal time
        time = moment
        return await add(outbox, "Rex")

    entries = [await add_at(moment) for moment in times]
    await outbox.close(grace=0.0)
    return entries


def keys_typed(times: Sequence[float], after: str = "") -> list[str]:
    """Return the keys of animals that were typed at these times, after an earlier one's."""
    store = MemoryEntryStore()
    if after:
        store.add(an_entry(state=EntryState.REFUSED, key=after))
    return [entry.key for entry in asyncio.run(typed(times, store))]


@given(times=st.lists(st.floats(-1e9, 9e9), min_size=2))
def test_keys_follow_the_typing_however_the_clock_jumps(times: list[float]) -> None:
    keys = keys_typed(times)
    assert keys == sorted(set(keys))


@pytest.mark.parametrize("clock", [-1e12, 0.0, 1e12])
@pytest.mark.parametrize("after", ["", NEWEST_POSSIBLE])
async def test_whatever_the_clock_says_the_file_of_an_entry_is_found_again(
    directory: Path, clock: float, after: str
) -> None:
    store = DirectoryEntryStore(directory)
    if after:
        store.add(an_entry(state=EntryState.REFUSED, key=after))
    [entry] = await typed([clock], store)
    assert DirectoryEntryStore(directory).load().entries[-1].key == entry.key


@pytest.mark.parametrize("newest", FAR_FUTURE)
async def test_after_a_key_of_the_far_future_the_order_is_still_that_of_typing(
    directory: Path, newest: str
) -> None:
    store = DirectoryEntryStore(directory)
    store.add(an_entry(state=EntryState.REFUSED, key=newest))
    keys = [newest, *(entry.key for entry in await typed([1.8e9] * 2, store))]
    assert keys == sorted(set(keys))
    assert [entry.key for entry in DirectoryEntryStore(directory).load().entries] == keys


def test_a_key_that_leaves_no_room_for_another_is_never_given_twice() -> None:
    assert len(set(keys_typed([1.8e9] * 100, after=LAST))) == 100


def test_two_instances_never_give_the_same_key() -> None:
    assert len({key for _ in range(100) for key in keys_typed([1.0])}) == 100


async def test_an_entry_knows_up_to_which_id_animals_were_seen_before_it(outbox: Outbox) -> None:
    for seen in ([4, 7, 5], [6], []):
        outbox.saw(seen)
    assert (await add(outbox, "Rex")).after_id == 7


async def test_an_entry_is_due_when_it_can_be_taken_back_no_more() -> None:
    [entry] = await typed([100.0], MemoryEntryStore())
    assert entry.due == 103.0
