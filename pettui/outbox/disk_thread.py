"""One thread for calls that block, so that the event loop does not wait for a disk."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

from pettui.outbox.entries import OutboxError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Sequence
    from typing import Any

    from pettui.outbox.background_errors import Faults
    from pettui.outbox.entries import Entry
    from pettui.outbox.entry_store import EntryStore

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

AT_ONCE = 50  # entries of many that are written in one call


class DiskThread:
    """Runs one call after the other, in order; started when first used."""

    def __init__(self, shared: ThreadPoolExecutor | None, faults: Faults) -> None:
        """Use a shared thread, which is not ended here; None for one of its own."""
        self._faults = faults
        self._thread = shared or ThreadPoolExecutor(1, thread_name_prefix="outbox")
        self._is_shared = shared is not None
        self._changes: set[asyncio.Task[Any]] = set()
        self._closed = False

    def run_here(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Call a function in the caller's thread; whatever it raises becomes an OutboxError."""
        with self._as_outbox_errors():
            return function(*arguments)

    async def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Call a function in the thread; raises OutboxError if it fails, or after ``close``."""
        if self._closed:
            raise OutboxError("the outbox is closed")
        is_dropped = False

        def call() -> Result:
            if is_dropped:
                raise OutboxError("it was not done")
            return function(*arguments)

        try:
            with self._as_outbox_errors():
                return await asyncio.get_running_loop().run_in_executor(self._thread, call)
        except OutboxError:
            # If the thread could not be started, the call is still in its queue.
            is_dropped = True
            raise

    async def finish(self, change: Coroutine[Any, Any, Result]) -> Result:
        """Finish a change even if its caller is cancelled."""
        task = asyncio.create_task(change)
        self._changes.add(task)
        task.add_done_callback(self._changes.discard)
        return await asyncio.shield(task)

    async def close(self, last: Callable[[], None]) -> None:
        """Finish every change that was begun, make one last call, and end the thread."""
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
            if not self._is_shared:
                self._thread.shutdown()

    @contextmanager
    def _as_outbox_errors(self) -> Iterator[None]:
        try:
            yield
        except OutboxError:
            raise
        except Exception as error:
            raise OutboxError(self._faults.report("using the disk", error)) from error


class _Owner(Protocol):
    disk: DiskThread


OwnerT = TypeVar("OwnerT", bound=_Owner)


def finished(
    change: Callable[Concatenate[OwnerT, Arguments], Coroutine[Any, Any, Result]],
) -> Callable[Concatenate[OwnerT, Arguments], Coroutine[Any, Any, Result]]:
    """Return a change that is finished even if its caller is cancelled."""

    @wraps(change)
    async def run(
        owner: OwnerT, /, *positional: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        return await owner.disk.finish(change(owner, *positional, **named))

    return run


async def keep_all(disk: DiskThread, store: EntryStore, entries: Sequence[Entry]) -> None:
    """Keep new entries for good, all of them; raises OutboxError, and then none is kept.

    The thread may be shared by many users: none waits for all entries of another.
    """
    try:
        for start in range(0, len(entries), AT_ONCE):
            await disk.run(store.prepare, entries[start : start + AT_ONCE])
        await disk.run(store.add_prepared, entries)
    except OutboxError:
        with suppress(OutboxError):  # the next instance removes it then
            await disk.run(store.drop_prepared)
        raise
