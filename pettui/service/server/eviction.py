"""Which connection is closed when there is no room for another one."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable


class Connection(Protocol):
    """What eviction needs to know of a connection."""

    @property
    def address(self) -> str:
        """The client's address."""
        ...

    @property
    def has_key(self) -> bool:
        """Whether its last request had a known key."""
        ...

    @property
    def idle_since(self) -> float | None:
        """Since when it has been idle, by ``time.monotonic``; None during a request."""
        ...

    def check(self, now: float) -> None:
        """Close the connection if it is overdue."""
        ...

    def abort(self) -> None:
        """Close the connection at once; unsent data is lost."""
        ...


class Handshake:
    """A connection without a protocol yet: a TLS handshake takes a while."""

    has_key = False

    def __init__(self, address: str) -> None:
        self.address = address
        self.idle_since: float | None = time.monotonic()
        self.task: asyncio.Task[None] | None = None

    def check(self, now: float) -> None:
        """Do nothing: asyncio has a deadline for it."""

    def abort(self) -> None:
        """Close the connection."""
        if self.task is not None:
            self.task.cancel()


def most_dispensable(connections: Iterable[Connection], before: float) -> Connection | None:
    """Return the connection to close first, of those idle since before a time; None without any.

    Connections with a valid key are kept as long as there are others. Of these the address with
    most connections loses one first, and it loses the one that has been idle longest.
    """
    all_connections = list(connections)
    idle = [connection for connection in all_connections if connection.idle_since is not None]
    candidates = [connection for connection in idle if not connection.has_key] or idle
    counts = Counter(connection.address for connection in all_connections)
    ranked = [
        (-counts[connection.address], since, index)
        for index, connection in enumerate(candidates)
        if (since := connection.idle_since) is not None and since <= before
    ]
    return candidates[min(ranked)[-1]] if ranked else None
