"""Which connection goes when there is no room for another one."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable


class Connection(Protocol):
    """What is known of a connection."""

    @property
    def address(self) -> str:
        """Whom it belongs to."""
        ...

    @property
    def has_key(self) -> bool:
        """Whether its last request had a known key."""
        ...

    @property
    def waiting_since(self) -> float | None:
        """Since when it is there for nothing, or None while a request is answered."""
        ...

    def check(self, now: float) -> None:
        """Close the connection where it waits too long."""
        ...

    def abort(self) -> None:
        """Close the connection at once; what was not sent yet is lost."""
        ...


class Handshake:
    """A connection that has no protocol yet: over TLS that takes a while."""

    has_key = False

    def __init__(self, address: str) -> None:
        self.address = address
        self.waiting_since: float | None = time.monotonic()
        self.task: asyncio.Task[None] | None = None

    def check(self, now: float) -> None:
        """Leave the deadline to asyncio."""

    def abort(self) -> None:
        """Close the connection."""
        if self.task is not None:
            self.task.cancel()


def least_missed(connections: Iterable[Connection], before: float) -> Connection | None:
    """Return the connection that waits for nothing since before a time, and may go first.

    Those that have shown a key stay as long as there is another one. Of these goes first one of
    the address that has most, and there the one that has waited longest.
    """
    everybody = list(connections)
    waiting = [connection for connection in everybody if connection.waiting_since is not None]
    candidates = [connection for connection in waiting if not connection.has_key] or waiting
    counts = Counter(connection.address for connection in everybody)
    ranked = [
        (-counts[connection.address], since, index)
        for index, connection in enumerate(candidates)
        if (since := connection.waiting_since) is not None and since <= before
    ]
    return candidates[min(ranked)[-1]] if ranked else None
