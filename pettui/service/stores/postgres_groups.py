"""Requests that wait for PostgreSQL at the same time share a connection, a trip and a commit."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from psycopg import AsyncConnection, Error
from psycopg_pool import AsyncConnectionPool

from pettui.service.stores.store import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

WAITING_MAXIMUM: Final = 500  # requests without an answer; more are answered 503 at once
GROUP_MAXIMUM: Final = 64  # requests
CONNECTION_SECONDS: Final = 3.0  # to wait for a connection
ANSWER_SECONDS: Final = 10.0  # for one operation as a whole
IDLE_SECONDS: Final = 0.1  # after which a connection is tried; no server starts again faster

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class TimedConnection(AsyncConnection[Any]):
    """A connection that knows when it was last of use."""

    used = 0.0  # time.monotonic()


async def check(connection: TimedConnection) -> None:
    """Try a connection before it is used, unless it was of use a moment ago.

    After the database has started again no request fails that could have been answered, and
    while many come none pays for the round trip.
    """
    if time.monotonic() - connection.used > IDLE_SECONDS:
        await AsyncConnectionPool.check_connection(connection)


class Groups(Generic[Question, Answer]):
    """Gathers questions while there is no connection for them, and asks them together.

    Args:
        pool: of connections.
        answer: gives an answer for each question, in their order, or fails for all of them.
        connections: of the pool that are used at once.
        maximum: questions in one group.
    """

    def __init__(
        self,
        pool: AsyncConnectionPool[TimedConnection],
        answer: Callable[[TimedConnection, list[Question]], Awaitable[Sequence[Answer]]],
        connections: int,
        maximum: int = GROUP_MAXIMUM,
    ) -> None:
        self._pool = pool
        self._answer = answer
        self._connections = asyncio.Semaphore(connections)
        self._maximum = maximum
        self._gathering: tuple[list[Question], asyncio.Task[Sequence[Answer]]] | None = None
        self._running: set[asyncio.Task[Sequence[Answer]]] = set()
        self._waiting = 0

    async def ask(self, question: Question) -> Answer:
        """Give the answer to a question; it is asked, too, if whoever waits for it goes away.

        Raises:
            StoreUnavailableError: there is none, or none in time.
        """
        if self._waiting >= WAITING_MAXIMUM:
            raise StoreUnavailableError("TooManyRequests")
        self._waiting += 1
        group, answers = self._gathering = self._gathering or self._new_group()
        place = len(group)
        group.append(question)
        if len(group) == self._maximum:
            self._gathering = None
        return (await asyncio.shield(answers))[place]

    async def close(self) -> None:
        """Wait until every question is answered."""
        if self._running:
            await asyncio.wait(self._running)

    def _new_group(self) -> tuple[list[Question], asyncio.Task[Sequence[Answer]]]:
        group: list[Question] = []
        answers = asyncio.create_task(self._answers(group))
        self._running.add(answers)
        answers.add_done_callback(self._running.discard)
        return group, answers

    async def _answers(self, group: list[Question]) -> Sequence[Answer]:
        until = time.monotonic() + CONNECTION_SECONDS
        try:
            async with (
                asyncio.timeout(ANSWER_SECONDS),
                self._connections,
                self._pool.connection(until - time.monotonic()) as connection,
            ):
                self._complete(group)
                answers = await self._answer(connection, group)
                connection.used = time.monotonic()
                return answers
        except (Error, TimeoutError) as error:
            raise StoreUnavailableError(type(error).__name__) from error
        finally:
            self._complete(group)
            self._waiting -= len(group)

    def _complete(self, group: list[Question]) -> None:
        if self._gathering is not None and self._gathering[0] is group:
            self._gathering = None
