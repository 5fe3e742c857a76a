"""StoreThread: one thread for calls that block, so that the event loop waits for no store.

Where a store is far away, its outboxes share several: one makes the calls of each in order.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from pettui.outbox.entries import OutboxError
from pettui.system.threads import settle

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from pettui.system.background_tasks import Bugs

Result = TypeVar("Result")


class SharedThread(ThreadPoolExecutor):
    """The thread of many outboxes, or several, which may end before the last of them is closed.

    Calls are made in their order, and of one outbox there is one at a time. An outbox asks for one
    after the other, so that a long work of one lets others in between.
    """

    def __init__(self, threads: int = 1) -> None:
        """Begin without a call."""
        super().__init__(threads, thread_name_prefix="outboxes")
        self.is_over = False
        self._lock = threading.Lock()
        self._waiting: deque[tuple[StoreThread, Future[Any], Callable[[], Any]]] = deque()
        self._running: set[StoreThread] = set()

    def submit_for(
        self, outbox: StoreThread, call: Callable[[], Result], *, goes_first: bool = False
    ) -> Future[Result]:
        """Make a call when it is its turn. Raises RuntimeError if there is no thread.

        Args:
            outbox: whose call it is.
            call: what is called.
            goes_first: before all that wait, of any outbox: somebody waits for it.
        """
        future: Future[Result] = Future()
        with self._lock:
            wait = self._waiting.appendleft if goes_first else self._waiting.append
            wait((outbox, future, call))
        self.submit(self._make_calls)
        return future

    def _make_calls(self) -> None:
        """Make the next call, and then those that waited for the end of that one."""
        while (turn := self._next()) is not None:
            outbox, future, call = turn
            settle(future, call)
            with self._lock:
                self._running.discard(outbox)

    def _next(self) -> tuple[StoreThread, Future[Any], Callable[[], Any]] | None:
        with self._lock:
            turn = next((each for each in self._waiting if each[0] not in self._running), None)
            if turn is not None:
                self._waiting.remove(turn)
                self._running.add(turn[0])
            return turn

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End it after everything that was begun."""
        self.is_over = True
        super().shutdown(wait, cancel_futures=cancel_futures)


class StoreThread:
    """Runs one call after the other, in order.

    The thread starts with the first call. What a call raises goes to its caller and does not end
    the thread. Where the system has no thread to give, the call fails, which its caller shows, and
    the next call starts it. ``close`` ends it, after everything that was begun.
    """

    def __init__(self, shared: SharedThread | None, bugs: Bugs) -> None:
        """Use a shared thread, which is not ended here; None for one of its own."""
        self._bugs = bugs
        self._thread = shared or ThreadPoolExecutor(1, thread_name_prefix="outbox")
        self._shared = shared
        self._changes: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def run(
        self, function: Callable[..., Result], *arguments: Any, goes_first: bool = False
    ) -> Result:
        """Call a function in the thread; raises OutboxError if it fails, or after ``close``.

        Args:
            function: what is called.
            arguments: with which.
            goes_first: before all that wait, where the thread is shared.
        """
        if self._closed or (self._shared is not None and self._shared.is_over):
            raise OutboxError("the outbox is closed")
        is_dropped = False

        def call() -> Result:
            if is_dropped:
                raise OutboxError("it was not done")
            return function(*arguments)

        try:
            with self._reporting_bugs():
                if self._shared is not None:
                    future = self._shared.submit_for(self, call, goes_first=goes_first)
                    return await asyncio.wrap_future(future)
                return await asyncio.get_running_loop().run_in_executor(self._thread, call)
        except OutboxError:
            # If the thread could not be started, the call is still in its queue.
            is_dropped = True
            raise

    def run_here(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Call a function in the caller's thread; whatever it raises becomes an OutboxError."""
        with self._reporting_bugs():
            return function(*arguments)

    async def shielded(self, change: Coroutine[Any, Any, Result]) -> Result:
        """Run a change to its end even if its caller is cancelled."""
        task = asyncio.create_task(change)
        self._changes.add(task)
        task.add_done_callback(self._changes.discard)
        return await asyncio.shield(task)

    async def close(self, last: Callable[[], None]) -> None:
        """Run every change to its end that was begun, make one last call, and end the thread."""
        while self._changes:
            await asyncio.wait(self._changes)
        if self._closed:
            return
        try:
            try:
                await self.run(last)
            except OutboxError:  # no thread could be started for it
                self.run_here(last)
        finally:
            self._closed = True
            if self._shared is None:
                self._thread.shutdown()

    @contextmanager
    def _reporting_bugs(self) -> Iterator[None]:
        """Let an OutboxError of the store pass, which words what the disk said; report all else."""
        try:
            yield
        except OutboxError:
            raise
        except Exception as error:
            raise OutboxError(self._bugs.report("using the outbox", error)) from error
