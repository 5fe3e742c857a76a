"""Sends one outbox to its end, for a server or a command: nobody sits before it."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from typing import TYPE_CHECKING

from pettui.outbox.entries import EntryState
from pettui.outbox.outbox import GRACE, Outbox

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from pettui.outbox.owners import Owner


async def send_to_its_end(
    outbox: Outbox,
    owner: Owner,
    *,
    again: Container[EntryState] = (),
    only: Container[str] | None = None,
    patience: float = 0.0,
    cut_off: int = 0,
    grace: Callable[[], float] = lambda: GRACE,
) -> Counter[EntryState]:
    """Send what waits until nothing does, or the service is away; return what entries became.

    What is sent again by itself is left for later, and what waits for an API key of the user's own.

    The outbox is closed then. Drafts stay for their user's next session, who is told there how many
    animals were added.

    Args:
        outbox: not started yet.
        owner: whose it is.
        again: the states of entries that are sent again.
        only: ids of the entries that are sent; None for all. The others stay as they are.
        patience: the longest wait, in seconds, before an entry is sent again here, or since the
            service asks for it.
        cut_off: how many were being sent as the last outbox ended. Those that no store adds once
            became unknown.
        grace: returns the seconds that a request gets to end which is out when this is cancelled.
    """
    outbox.start(with_drafts=False, only=only)
    await outbox.opened()
    before = {entry.entry_id: entry.state for entry in outbox.entries}
    try:
        for entry in outbox.entries:
            if entry.state in again and not entry.owned_elsewhere:
                await outbox.send_again(entry.entry_id)
        await _wait_until_sent(outbox, patience)
    finally:
        await outbox.close(grace())
        if outbox.added_here:
            await asyncio.to_thread(owner.record_added, len(outbox.added_here))
    became = (each.state for each in outbox.entries if before.get(each.entry_id) is not each.state)
    lost = cut_off - sum(state is EntryState.SENDING for state in before.values())
    counts = Counter({EntryState.ADDED: len(outbox.added_here), EntryState.UNKNOWN: lost})
    return Counter(became) | +counts


def _waits(outbox: Outbox) -> float:
    """Return for how long nothing goes out; inf where the service does not say so itself."""
    sending = outbox.sending
    return math.inf if sending.tries_in and not sending.is_too_fast else sending.tries_in


async def _wait_until_sent(outbox: Outbox, patience: float) -> None:
    changed = asyncio.Event()
    outbox.subscribe(lambda _: changed.set())
    while _waits(outbox) <= patience and any(
        outbox.goes_again_in(entry) <= patience for entry in outbox.on_the_way
    ):
        await changed.wait()
        changed.clear()
