"""What both stores promise (EntryStore)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.outbox import DirectoryEntryStore, Draft, EntryState, EntryStore, MemoryEntryStore
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


@any_store
def test_an_entry_that_is_taken_out_is_the_draft(make: MakeStore, tmp_path: Path) -> None:
    store = make(tmp_path)
    entry = an_entry("Rex", category_id=-7, status="sold")
    store.add(entry)
    assert store.take_out(entry)
    assert store.load().entries == ()
    store.close()
    next_store = make(tmp_path) if isinstance(store, DirectoryEntryStore) else store
    assert next_store.take_over_draft() == Draft("Rex", "-7", "sold")
    next_store.close()


@any_store
def test_an_entry_that_is_removed_is_gone(make: MakeStore, tmp_path: Path) -> None:
    store = make(tmp_path)
    entry = an_entry()
    store.add(entry)
    assert store.remove(entry)
    assert not store.remove(entry)
    assert store.load().entries == ()
    store.close()


def test_an_entry_without_a_name_is_the_animal_in_messages() -> None:
    assert an_entry("").label == "the animal"


def test_a_name_in_a_message_is_one_short_line_that_steers_no_terminal() -> None:
    assert an_entry("\x1b[2J\n" + "x" * 100_000).label.startswith("␛[2J␊xxx")
    assert len(an_entry("x" * 100_000).label) <= 41
