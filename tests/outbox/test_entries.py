"""Entries: their names in messages, their ids, and when they are due."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.outbox.entries import next_entry_id
from tests.outbox.scripted import add, an_entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.outbox.stores.directory import DirectoryEntryStore
    from tests.outbox.conftest import MakeOutbox


def test_a_name_in_a_message_is_one_short_line_that_steers_no_terminal() -> None:
    assert an_entry("\x1b[2J\n" + "x" * 100_000).label.startswith("␛[2J␊xxx")
    assert len(an_entry("x" * 100_000).label) <= 41
    assert an_entry("").label == "the animal"


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


def test_two_instances_never_give_the_same_id() -> None:
    assert len({entry_id for _ in range(100) for entry_id in ids([1.0])}) == 100


async def test_an_entry_is_due_when_it_can_be_taken_back_no_more(make_outbox: MakeOutbox) -> None:
    assert (await add(make_outbox(delay=3.0, clock=lambda: 100.0), "Rex")).due == 103.0
