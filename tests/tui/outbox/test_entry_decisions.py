"""Which entry of the outbox is the next to be decided."""

from __future__ import annotations

import pytest

from pettui.outbox import Entry, EntryState
from pettui.tui.outbox.entry_decisions import next_undecided

STATES = {state.value[0]: state for state in EntryState}


def entries_of(states: str) -> list[Entry]:
    """Return an entry for each letter; a capital is one of another window."""
    return [
        Entry(str(n), "Rex", 3, None, STATES[each.lower()], 0.0, owned_elsewhere=each.isupper())
        for n, each in enumerate(states)
    ]


@pytest.mark.parametrize(
    ("states", "index", "step", "found"),
    [
        ("aswr", 0, 1, 3),
        ("raua", 2, 1, 0),
        ("raua", 3, -1, 2),
        ("aaua", 2, 1, 2),
        ("aaua", 2, -1, 2),
        ("aRUr", 0, 1, 3),
        ("aRUw", 0, 1, None),
        ("asw", 2, -1, None),
        ("", 0, 1, None),
    ],
)
def test_the_next_undecided_entry_is_refused_or_unknown_and_of_this_window(
    states: str, index: int, step: int, found: int | None
) -> None:
    assert next_undecided(entries_of(states), index, step) == found
