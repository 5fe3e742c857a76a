"""Entries sort in the order in which they were typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.outbox.new_entries import NewEntries
from pettui.outbox.stores.file_names import EntryName, entry_name

NEWEST_POSSIBLE = "09999999999999999999-ffffffff"


@given(clock=st.lists(st.floats(-1e9, 9e9), min_size=2))
def test_keys_follow_the_typing_however_the_clock_jumps(clock: list[float]) -> None:
    times = iter(clock)
    new_entries = NewEntries(lambda: next(times), delay=3.0)
    keys = [new_entries.make("Rex", 3, None, "").key for _ in clock]
    assert keys == sorted(set(keys))


def test_a_key_follows_those_that_were_kept_when_the_clock_was_ahead() -> None:
    ahead = NewEntries(lambda: 9e9, 3.0).make("Rex", 3, None, "").key
    assert NewEntries(lambda: 1e9, 3.0).make("Mimi", 3, None, after=ahead).key > ahead


@pytest.mark.parametrize("clock", [-1e12, 0.0, 1e12])
@pytest.mark.parametrize("after", ["", NEWEST_POSSIBLE])
def test_whatever_the_clock_says_the_file_of_an_entry_is_found_again(
    clock: float, after: str
) -> None:
    entry = NewEntries(lambda: clock, 3.0).make("Rex", 3, None, after)
    assert entry_name(str(EntryName(entry.key, "0" * 16, entry.state))) is not None


def test_two_instances_never_give_the_same_key() -> None:
    keys = {NewEntries(lambda: 1.0, 3.0).make("Rex", 3, None, "").key for _ in range(100)}
    assert len(keys) == 100


def test_an_entry_knows_up_to_which_id_animals_were_seen_before_it() -> None:
    new_entries = NewEntries(lambda: 1.0, 3.0)
    assert new_entries.make("Rex", 3, None, "").after_id is None
    new_entries.saw([4, 7, 5])
    new_entries.saw([6])
    new_entries.saw([])
    assert new_entries.make("Rex", 3, None, "").after_id == 7


def test_an_entry_is_due_when_it_can_be_taken_back_no_more() -> None:
    assert NewEntries(lambda: 100.0, 3.0).make("Rex", 3, None, "").due == 103.0
