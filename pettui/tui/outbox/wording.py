"""The texts of the outbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.outbox import EntryState
from pettui.text.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.outbox import Entry


DUPLICATE_RISK = (
    "It may already have been added. Then there would be two, and neither can be deleted."
)


def counts_text(entries: Sequence[Entry]) -> str:
    """Return how many entries there are, and how many of each state but added."""
    count = counted(len(entries), "entry")
    states = [entry.state for entry in entries]
    others = [
        f"{states.count(state)} {state.value}"
        for state in EntryState
        if state is not EntryState.ADDED and state in states
    ]
    return ", ".join((count, *others))


def loss_text(entry: Entry) -> str:
    """Return what is lost if an entry is forgotten that is not known to be added."""
    if entry.state is EntryState.UNKNOWN:
        return "It may have been added. Once forgotten, there is no way to tell from here."
    if entry.state is EntryState.WAITING:
        return "It was not sent yet, and what you typed will be lost."
    return "It was not added, and what you typed will be lost."
