"""PromptWork: the background work of a prompt line, one task at a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from textual.screen import Screen
    from textual.worker import Worker


class PromptWork:
    """The work ends with its screen."""

    def __init__(self, screen: Screen[Any], stopped: Callable[[], None]) -> None:
        """Keep the screen, and what to call after a cancellation."""
        self._screen = screen
        self._stopped = stopped
        self._worker: Worker[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether work is running."""
        return self._worker is not None and not self._worker.is_finished

    def stop(self) -> None:
        """Cancel the work."""
        if self._worker is not None:
            self._worker.cancel()

    async def do(self, task: Callable[[], Coroutine[Any, Any, object]], seconds: float) -> bool:
        """Start a task, wait for it up to this many seconds, and return whether it is done."""
        done = asyncio.Event()

        async def run() -> None:
            try:
                await task()
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
