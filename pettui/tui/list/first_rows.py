"""FirstRows: keys that act on the animals of a list wait for its first response."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class FirstRows:
    """Whether the first rows have come, or will not; afterwards no key waits for them."""

    def __init__(self, longest: float) -> None:
        """Wait at most this many seconds, from the first key that waits."""
        self._longest = longest
        self._came = asyncio.Event()

    @property
    def have_come(self) -> bool:
        """Whether there was a response yet, or a failure, or a key has waited for long enough."""
        return self._came.is_set()

    def came(self) -> None:
        """Let the keys go on that wait."""
        self._came.set()

    async def wait(self) -> None:
        """Wait for them, but never for long, and only once."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._longest):
                await self._came.wait()
        self._came.set()
