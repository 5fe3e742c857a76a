"""Starts: lets apps start in order of arrival, a few at a time.

All at once would be ready at the same late moment; one after the other, most are ready sooner.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

AT_ONCE: Final = 3  # since a start waits for frames in between
LONGEST: Final = 1.0  # seconds of a start, after which others no longer wait for it


class Starts:
    """The starts of one process."""

    def __init__(self) -> None:
        """Begin with none."""
        self._free = asyncio.Semaphore(AT_ONCE)

    async def turn(self) -> Callable[[], None]:
        """Wait for a turn; return what ends it, which may be called again."""
        await self._free.acquire()
        is_over = False

        def end() -> None:
            nonlocal is_over
            if not is_over:
                is_over = True
                late.cancel()
                self._free.release()

        late = asyncio.get_running_loop().call_later(LONGEST, end)
        return end
