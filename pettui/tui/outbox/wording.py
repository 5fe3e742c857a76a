"""The texts of the outbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.outbox import EntryState
from pettui.text.amounts import counted, seconds_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.outbox import Entry, Outbox


LOOKS = "{look_for} shows the listed animals that it could be."

GIVEN_UP_RISK = (
    "It may have been added, or still be. It is unknown then, and no longer sent again by itself."
)


def sending_text(outbox: Outbox, entry: Entry) -> str:
    """Return the state of an entry that is not added, in words, and when it is sent again."""
    if outbox.waits_for_own_key(entry):
        return f"{entry.state.value}, for its API key"
    if not entry.is_sent_again:
        return entry.state.value
    seconds = outbox.goes_again_in(entry)
    return f"sending again in {seconds_text(seconds)}" if seconds else "sending again"


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
    if entry.state is EntryState.UNKNOWN or entry.unanswered_by is not None:
        return "It may have been added. Once forgotten, there is no way to tell from here."
    if entry.state is EntryState.WAITING:
        return "It was not sent yet, and what you typed will be lost."
    return "It was not added, and what you typed will be lost."
