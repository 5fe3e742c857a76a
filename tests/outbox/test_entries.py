"""What both stores promise (EntryStore)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.outbox import DirectoryEntryStore, EntryState, EntryStore, MemoryEntryStore, OutboxError
from tests.outbox.scripted import an_entry

MakeStore = Callable[[Path], EntryStore]

any_store = pytest.mark.parametrize(
    "make", [lambda _: MemoryEntryStore(), DirectoryEntryStore], ids=["memory", "directory"]
)
# As strict as it gets: surrogates too, alone and in pairs.
any_text = st.text(st.characters(exclude_categories=()))


@any_store
@given(name=any_text, category_id=st.integers(-(2**63), 2**63 - 1), status=st.none() | any_text)
def test_an_entry_comes_back_exactly_as_it_was_typed(
    make: MakeStore, name: str, category_id: int, status: str | None
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        store = make(Path(directory))
        entry = an_entry(name, category_id=category_id, status=status, due=1.5)
        store.add(entry)
        assert store.load().entries == (entry,)
        store.close()


@any_store
def test_of_two_changes_from_one_state_the_first_is_kept(make: MakeStore, tmp_path: Path) -> None:
    store = make(tmp_path)
    entry = an_entry()
    store.add(entry)
    assert store.change(entry, entry.becoming(EntryState.SENDING))
    assert not store.take_out(entry)
    assert not store.remove(entry)
    assert not store.change(entry, entry.becoming(EntryState.REFUSED))
    assert store.load().entries == (entry.becoming(EntryState.SENDING),)
    store.close()


@any_store
def test_a_change_keeps_all_that_is_known_of_the_entry(make: MakeStore, tmp_path: Path) -> None:
    store = make(tmp_path)
    entry = an_entry(state=EntryState.SENDING)
    refused = an_entry(
        state=EntryState.REFUSED,
        error="400 invalid: no such category",
        error_code="invalid",
        error_message="no such category",
        error_status=400,
    )
    store.add(entry)
    assert store.change(entry, refused)
    assert store.load().entries == (refused,)
    store.close()


def test_an_entry_without_a_name_is_the_animal_in_messages() -> None:
    assert an_entry("").label == "the animal"


def test_a_name_in_a_message_is_one_short_line_that_steers_no_terminal() -> None:
    assert an_entry("\x1b[2J\n" + "x" * 100_000).label.startswith("␛[2J␊xxx")
    assert len(an_entry("x" * 100_000).label) <= 41


@pytest.mark.parametrize(
    ("bounds", "names", "after"),
    [((3, 1000), ["a", "b", "c"], "d"), ((9, 10), ["x" * 6], "y" * 5)],
    ids=["entries", "characters"],
)
def test_a_demos_outbox_that_is_full_takes_nothing_until_something_is_forgotten(
    bounds: tuple[int, int], names: list[str], after: str
) -> None:
    store = MemoryEntryStore(*bounds)
    entries = [an_entry(name, key=f"{key:020d}-00000000") for key, name in enumerate(names)]
    for entry in entries:
        store.add(entry)
    one_more = an_entry(after, key=f"{len(names):020d}-00000000")
    with pytest.raises(OutboxError, match="the demo's outbox is full; forget some"):
        store.add(one_more)
    assert store.load().entries == (*entries,)
    store.remove(entries[0])
    store.add(one_more)
    assert store.load().entries == (*entries[1:], one_more)
