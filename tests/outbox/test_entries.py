"""Entries: what all stores of them promise, and their ids."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pettui.outbox import EntryState, EntryStore, MemoryEntryStore, OutboxError, Refusal
from pettui.outbox.entries import next_entry_id
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.outbox.scripted import add, an_entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.outbox.conftest import MakeOutbox

MakeStore = Callable[[Path], EntryStore]

any_store = pytest.mark.parametrize(
    "make", [lambda _: MemoryEntryStore(), DirectoryEntryStore], ids=["memory", "directory"]
)


@pytest.fixture(params=["memory", "directory", "postgres"])
def any_make(request: pytest.FixtureRequest) -> MakeStore:
    if request.param == "postgres":
        owner = request.getfixturevalue("people_in_postgres").of("ssh SHA256:ann")
        return lambda _: owner.open()
    return DirectoryEntryStore if request.param == "directory" else lambda _: MemoryEntryStore()


# As strict as it gets: surrogates too, alone and in pairs.
any_text = st.text(st.characters(exclude_categories=()))


@any_store
@given(name=any_text, category_id=st.integers(-(2**63), 2**63 - 1), status=st.none() | any_text)
@example(name="\ud83d\ude00\x00\n ", category_id=3, status=None)  # two halves of one character
def test_an_entry_comes_back_exactly_as_it_was_typed(
    make: MakeStore, name: str, category_id: int, status: str | None
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        store = make(Path(directory))
        entry = an_entry(name, category_id=category_id, status=status, due=1.5)
        store.add(entry)
        assert store.load().entries == (entry,)
        store.close()


def test_of_two_changes_from_one_state_the_first_is_kept(
    any_make: MakeStore, tmp_path: Path
) -> None:
    store = any_make(tmp_path)
    entry = an_entry()
    store.add(entry)
    assert store.change(entry, entry.becoming(EntryState.SENDING))
    assert not store.take_back(entry, 0)
    assert not store.remove(entry)
    assert not store.change(entry, entry.becoming(EntryState.REFUSED))
    assert store.load().entries == (entry.becoming(EntryState.SENDING),)
    store.close()


def test_a_change_keeps_all_that_is_known_of_the_entry(any_make: MakeStore, tmp_path: Path) -> None:
    store = any_make(tmp_path)
    entry = an_entry(state=EntryState.SENDING)
    refused = an_entry(
        state=EntryState.REFUSED,
        refusal=Refusal("400 invalid: no such category", "invalid", "no such category", 400),
    )
    store.add(entry)
    assert store.change(entry, refused)
    assert store.load().entries == (refused,)
    store.close()


def test_a_name_in_a_message_is_one_short_line_that_steers_no_terminal() -> None:
    assert an_entry("\x1b[2J\n" + "x" * 100_000).label.startswith("␛[2J␊xxx")
    assert len(an_entry("x" * 100_000).label) <= 41
    assert an_entry("").label == "the animal"


@pytest.mark.parametrize(
    ("bounds", "names", "after"),
    [((3, 1000), ["a", "b", "c"], "d"), ((9, 10), ["x" * 6], "y" * 5)],
    ids=["entries", "characters"],
)
def test_a_demos_outbox_that_is_full_takes_nothing_until_something_is_forgotten(
    bounds: tuple[int, int], names: list[str], after: str
) -> None:
    store = MemoryEntryStore(*bounds)
    entries = [an_entry(name, number=number) for number, name in enumerate(names)]
    for entry in entries:
        store.add(entry)
    one_more = an_entry(after, number=len(names))
    with pytest.raises(OutboxError, match="the demo's outbox is full; forget some"):
        store.add(one_more)
    assert store.load().entries == (*entries,)
    store.remove(entries[0])
    store.add(one_more)
    assert store.load().entries == (*entries[1:], one_more)


# ── ids ─────────────────────────────────────────────────────────────────────────────────

NEWEST_POSSIBLE = "10000000000000000000-ffffffff"


def ids(times: Sequence[float], newest: str = "") -> list[str]:
    """Return the ids of entries that were typed at these times, after an earlier one's."""
    return [newest := next_entry_id(time, newest) for time in times]


@given(times=st.lists(st.floats(-1e9, 9e9), min_size=2))
def test_ids_follow_the_typing_however_the_clock_jumps(times: list[float]) -> None:
    typed = ids(times)
    assert typed == sorted(set(typed))


@pytest.mark.parametrize("clock", [-1e12, 0.0, 1e12])
@pytest.mark.parametrize("after", ["", NEWEST_POSSIBLE])
def test_whatever_the_clock_says_the_file_of_an_entry_is_found_again(
    store: DirectoryEntryStore, clock: float, after: str
) -> None:
    [entry_id] = ids([clock], after)
    store.add(an_entry(entry_id=entry_id))
    assert [entry.entry_id for entry in store.load().entries] == [entry_id]


async def test_after_an_id_of_the_far_future_the_order_is_still_that_of_typing(
    make_outbox: MakeOutbox,
) -> None:
    store, newest = MemoryEntryStore(), NEWEST_POSSIBLE
    store.add(an_entry(state=EntryState.REFUSED, entry_id=newest))
    outbox = make_outbox(store, delay=1e6)
    typed = [newest, (await add(outbox, "Rex")).entry_id, (await add(outbox, "Mimi")).entry_id]
    assert typed == sorted(set(typed))


def test_two_instances_never_give_the_same_id() -> None:
    assert len({entry_id for _ in range(100) for entry_id in ids([1.0])}) == 100


async def test_an_entry_is_due_when_it_can_be_taken_back_no_more(make_outbox: MakeOutbox) -> None:
    assert (await add(make_outbox(delay=3.0, clock=lambda: 100.0), "Rex")).due == 103.0
