"""LineWork: what a line to type in does in the background, one thing at a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from textual.screen import Screen
    from textual.worker import Worker


class LineWork:
    """It ends with its screen."""

    def __init__(self, screen: Screen[Any], stopped: Callable[[], None]) -> None:
        """Take where it happens, and what is called where it was stopped."""
        self._screen = screen
        self._stopped = stopped
        self._worker: Worker[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether something is under way."""
        return self._worker is not None and not self._worker.is_finished

    def stop(self) -> None:
        """Stop it."""
        if self._worker is not None:
            self._worker.cancel()

    async def do(self, begin: Callable[[], Coroutine[Any, Any, None]], seconds: float) -> bool:
        """Do something, and wait for it so many seconds; whether it is done by then."""
        done = asyncio.Event()

        async def run() -> None:
            try:
                await begin()
            except asyncio.CancelledError:
                self._stopped()
                raise
            finally:
                done.set()

        self._worker = self._screen.run_worker(run, group="line")
        try:
            async with asyncio.timeout(seconds):
                await done.wait()
        except TimeoutError:
            return False
        return True
