"""One thread that does what blocks, so that the loop does not wait for a disk."""

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

AT_ONCE = 50  # entries of many that are written before anybody else's turn


class DiskThread:
    """Does one thing after the other, in the order of the calls; begun only when first used."""

    def __init__(self, shared: ThreadPoolExecutor | None, faults: Faults) -> None:
        """Take a thread that others use too, which stays theirs to end; None for one of its own."""
        self._faults = faults
        self._thread = shared or ThreadPoolExecutor(1, thread_name_prefix="outbox")
        self._is_shared = shared is not None
        self._changes: set[asyncio.Task[Any]] = set()
        self._closed = False

    def run_here(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Do something at once, in the caller's thread; whatever it raises is an OutboxError."""
        with self._as_outbox_errors():
            return function(*arguments)

    async def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Do something in the thread; whatever it raises is an OutboxError, and after ``close``."""
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
            # A thread that could not be started has it in its queue still, and starts some day.
            is_dropped = True
            raise

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
            raise OutboxError(self._faults.tell("using the disk", error)) from error


class _Owner(Protocol):
    disk: DiskThread


OwnerT = TypeVar("OwnerT", bound=_Owner)


def finished(
    change: Callable[Concatenate[OwnerT, Arguments], Coroutine[Any, Any, Result]],
) -> Callable[Concatenate[OwnerT, Arguments], Coroutine[Any, Any, Result]]:
    """Return a change that is seen through, even if the one who waits for it is cancelled."""

    @wraps(change)
    async def run(
        owner: OwnerT, /, *positional: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        return await owner.disk.finish(change(owner, *positional, **named))

    return run


async def keep_all(disk: DiskThread, store: EntryStore, entries: Sequence[Entry]) -> None:
    """Keep new entries for good, all of them; raises OutboxError, and then none is kept.

    The thread may be that of many people: none of them waits for all of another's.
    """
    try:
        for start in range(0, len(entries), AT_ONCE):
            await disk.run(store.prepare, entries[start : start + AT_ONCE])
        await disk.run(store.add_prepared, entries)
    except OutboxError:
        with suppress(OutboxError):  # whoever takes over removes it then
            await disk.run(store.drop_prepared)
        raise
