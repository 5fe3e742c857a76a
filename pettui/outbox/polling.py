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


async def poll(cache: EntryCache, every: float, then: Callable[[], None]) -> None:
    """Refresh the cache every so many seconds until cancelled, and call ``then`` after each time.

    Without other instances it returns at once, and adding has to call ``forget_old``.
    """
    if every == math.inf:
        return  # without a timer that outlives the outbox
    while True:
        await asyncio.sleep(every)
        await cache.refresh()
        await forget_old(cache)
        then()


async def forget_old(cache: EntryCache) -> None:
    """Forget added entries, but for the newest hundred."""
    added = [entry for entry in cache.entries if entry.state is EntryState.ADDED]
    for entry in added[:-ADDED_KEPT]:
        with suppress(OutboxError):  # tried again after the next refresh
            await cache.remove(entry)
