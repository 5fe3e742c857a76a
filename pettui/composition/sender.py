"""Sends one outbox to its end, for a server or a command: nobody sits before it."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from pettui.outbox import EntryState

if TYPE_CHECKING:
    from collections.abc import Container

    from pettui.outbox import Entry, Outbox, Owner


async def send_to_its_end(
    outbox: Outbox,
    owner: Owner,
    *,
    again: Container[EntryState] = (),
    only: Container[str] | None = None,
) -> Counter[EntryState]:
    """Send what waits until nothing does, or the service is away; return what entries became.

    The outbox is closed then. Drafts stay for their user's next session, who is told there how many
    animals were added.

    Args:
        outbox: not started yet.
        owner: whose it is.
        again: the states of entries that are sent again.
        only: ids of the entries that are sent; None for all. The others stay as they are.
    """
    outbox.start(with_drafts=False, only=only)
    await outbox.opened()
    before = {entry.entry_id: entry.state for entry in outbox.entries}
    try:
        for entry in outbox.entries:
            if entry.state in again and not entry.owned_elsewhere:
                await outbox.send_again(entry.entry_id)
        await _wait_until_sent(outbox)
    finally:
        await outbox.close()
        if outbox.added_here:
            await asyncio.to_thread(owner.record_added, len(outbox.added_here))
    became = (each.state for each in outbox.entries if before.get(each.entry_id) is not each.state)
    return Counter(became) | Counter({EntryState.ADDED: len(outbox.added_here)})


async def _wait_until_sent(outbox: Outbox) -> None:
    changed = asyncio.Event()
    outbox.subscribe(lambda _: changed.set())
    while any(map(is_on_the_way, outbox.entries)) and not outbox.sending.tries_in:
        await changed.wait()
        changed.clear()


def is_on_the_way(entry: Entry) -> bool:
    """Whether an entry waits or is being sent here."""
    is_own = not entry.owned_elsewhere
    return is_own and entry.state in (EntryState.WAITING, EntryState.SENDING)
