"""Requests that wait for a database share a transaction: one round trip, one wait for the disk.

Beside ten connections that take one request each, PostgreSQL stores 1.2, 5.8 and 14 times as many
animals a second so, with 1, 16 and 64 clients, and reads 1.1, 1.7 and 1.8 times as many pages (of
one page for all 1.1, 8 and 17 times). With 16 clients an add takes a seventh of the CPU time, a
page of one's own half of it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from pettui.service.stores.store import ConstraintError, NotStoredError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

PENDING: Final = 500  # requests without a result; more are refused at once
BYTES: Final = 4 * 1024 * 1024  # of names, after which a batch takes no more requests
CLOSE_SECONDS: Final = 10.0  # for the last batches

logger = logging.getLogger(__name__)

Request = TypeVar("Request")
Result = TypeVar("Result")


class Batches(Generic[Request, Result]):
    """Collects requests while others run, and runs them together."""

    def __init__(
        self,
        run: Callable[[Callable[[], list[Request]]], Awaitable[Sequence[Result]]],
        *,
        seconds: float,
        at_once: int = 1,
        maximum: int = 64,
        is_read: bool = False,
    ) -> None:
        """Create a batcher; nothing runs yet.

        Args:
            run: returns a result for each request, in their order, or fails for all of them. It
                takes them when it can run them: until then others join.
            seconds: for a batch, with its wait.
            at_once: batches that run at once.
            maximum: requests in one batch.
            is_read: nothing is stored.
        """
        self._run = run
        self._seconds = seconds
        self._turn = asyncio.Semaphore(at_once)
        self._maximum = maximum
        self._is_read = is_read
        self._open: (
            tuple[list[Request], asyncio.Task[Sequence[Result | ConstraintError]]] | None
        ) = None
        self._size = 0  # bytes of names in the open batch
        self._pending = 0
        self._tasks: set[asyncio.Task[Any]] = set()

    async def submit(self, request: Request, size: int = 0) -> Result:
        """Return the result of a request, which is run even if the caller is cancelled.

        Raises:
            NotStoredError: it was not stored.
            StoreUnavailableError: there is no result, or none in time.
            ConstraintError: a bug.
        """
        if self._pending >= PENDING:
            raise failure("TooManyRequests", is_read=self._is_read)
        self._pending += 1
        batch, results = self._open = self._open or self._start()
        index = len(batch)
        batch.append(request)
        self._size += size
        if len(batch) == self._maximum or self._size >= BYTES:
            self._open = None
        result = (await asyncio.shield(results))[index]
        if isinstance(result, ConstraintError):
            raise result
        return result

    async def close(self) -> None:
        """Wait until every request has its result; a disk that hangs is given up."""
        if self._tasks:
            _, left = await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)
            if left:
                logger.error("the last animals could not be written to the disk")

    def _start(self) -> tuple[list[Request], asyncio.Task[Sequence[Result | ConstraintError]]]:
        batch: list[Request] = []
        self._size = 0
        task = asyncio.create_task(self._results(batch))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return batch, task

    async def _results(self, batch: list[Request]) -> Sequence[Result | ConstraintError]:
        is_taken = False

        def take() -> list[Request]:
            nonlocal is_taken
            is_taken = True
            if self._open is not None and self._open[0] is batch:
                self._open = None  # no more requests join
            return batch

        try:
            async with asyncio.timeout(self._seconds), self._turn:
                try:
                    return await self._run(take)
                except ConstraintError:  # of one request; nothing is stored of the others
                    return [await self._alone(request) for request in batch]
        except TimeoutError:
            reason = f"there was no result within {self._seconds:g} seconds"
            raise failure(reason, is_read=self._is_read, is_sure=not is_taken) from None
        finally:
            take()
            self._pending -= len(batch)

    async def _alone(self, request: Request) -> Result | ConstraintError:
        try:
            [result] = await self._run(lambda: [request])
        except ConstraintError as error:
            return error
        return result


def failure(reason: str, *, is_read: bool, is_sure: bool = True) -> StoreUnavailableError:
    """Return the error of a request, which says whether it surely stored nothing."""
    return (NotStoredError if is_sure and not is_read else StoreUnavailableError)(reason)
