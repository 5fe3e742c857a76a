"""Loads what other instances did from time to time, and forgets old entries."""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.outbox.entries import EntryState, OutboxError
from pettui.outbox.sending.search import LISTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.outbox.entry_cache import EntryCache

# As many as one list has, so that a search takes no animal of another entry for its own.
ADDED_KEPT: Final = LISTED
# Moments in each interval at which the outboxes of a process look: waking an idle process costs
# more than most looks do, but all looks at once would hold up the keys of its users.
MOMENTS: Final = 4


async def poll(cache: EntryCache, every: float, then: Callable[[], None]) -> None:
    """Refresh the cache every so many seconds until cancelled, and call ``then`` after each time.

    Without other instances it returns at once, and adding has to call ``forget_old``.
    """
    if every == math.inf:
        return  # without a timer that outlives the outbox
    while True:
        await asyncio.sleep(until_next_look(asyncio.get_running_loop().time(), every))
        await cache.refresh()
        await forget_old(cache)
        then()


def until_next_look(now: float, every: float) -> float:
    """Return the seconds until an outbox looks again, at a moment that it shares with others.

    They are at most ``every``, and exactly that from one of the moments to the next.

    Args:
        now: the loop's time.
        every: seconds between two looks.
    """
    return every - now % (every / MOMENTS)


async def forget_old(cache: EntryCache) -> None:
    """Forget added entries, but for the newest hundred."""
    added = [entry for entry in cache.entries if entry.state is EntryState.ADDED]
    for entry in added[:-ADDED_KEPT]:
        with suppress(OutboxError):  # tried again after the next refresh
            await cache.remove(entry)
