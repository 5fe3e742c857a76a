"""One thread that does what blocks, so that the loop does not wait for a disk."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from pettui.outbox.entries import OutboxError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

Result = TypeVar("Result")


class DiskThread:
    """Does one thing after the other, in the order of the calls; begun only when first used."""

    def __init__(self, shared: ThreadPoolExecutor | None = None) -> None:
        """Take a thread that others use too, which stays theirs to end; None for one of its own."""
        self._thread = shared or ThreadPoolExecutor(1, thread_name_prefix="outbox")
        self._is_shared = shared is not None
        self._changes: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Do something in the thread; after ``close`` that is an OutboxError."""
        if self._closed:
            raise OutboxError("the outbox is closed")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, function, *arguments)

    async def finish(self, change: Coroutine[Any, Any, Result]) -> Result:
        """See a change through, even if the one who waits for it is cancelled."""
        task = asyncio.create_task(change)
        self._changes.add(task)
        task.add_done_callback(self._changes.discard)
        return await asyncio.shield(task)

    async def close(self, last: Callable[[], None]) -> None:
        """Finish every change that was begun, do one last thing, and end the thread."""
        while self._changes:
            await asyncio.wait(self._changes)
        if not self._closed:
            await self.run(last)
            self._closed = True
            if not self._is_shared:
                self._thread.shutdown()
