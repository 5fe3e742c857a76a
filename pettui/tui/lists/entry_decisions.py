"""What can be done about an entry of the outbox, and which entries wait for a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.outbox import EntryState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pettui.outbox import Entry

POSSIBLE: Mapping[str, tuple[EntryState, ...]] = {
    "open": (EntryState.ADDED,),
    "edit": (EntryState.WAITING, EntryState.REFUSED, EntryState.UNKNOWN),
    "look_for": (EntryState.UNKNOWN,),
    "send_again": (EntryState.REFUSED, EntryState.UNKNOWN),
    "forget": (EntryState.ADDED, EntryState.REFUSED, EntryState.UNKNOWN),
}
"""The states in which an entry of this window can be opened, edited and so on."""


def is_possible(action: str, entry: Entry | None) -> bool:
    """Whether one of the actions in POSSIBLE can be done, with an entry or without any."""
    return entry is not None and entry.state in POSSIBLE[action] and not entry.owned_elsewhere


def next_undecided(entries: Sequence[Entry], index: int, step: int) -> int | None:
    """Return the index of the next refused or unknown entry, wrapping round; None for none.

    Args:
        entries: in the order in which they are shown.
        index: the cursor's; it comes last.
        step: 1 for the next one, -1 for the previous one.
    """
    around = ((index + step * distance) % len(entries) for distance in range(1, len(entries) + 1))
    return next((i for i in around if is_possible("send_again", entries[i])), None)
