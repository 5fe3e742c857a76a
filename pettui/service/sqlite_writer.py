"""Group commit: what waits to be written goes to the disk together, in one transaction."""

from __future__ import annotations

import asyncio
import sqlite3
from itertools import chain, groupby
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from pettui.service.sqlite_schema import INSERT
from pettui.service.store import Row, StoreUnavailableError, row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.models import NewPet

GROUP_MAXIMUM = 256  # animals in one commit


def insert(connection: sqlite3.Connection, rows: Sequence[Row]) -> range:
    """Keep animals in one commit, and give their ids.

    It is one statement: the ids of one are consecutive, and between two statements this thread
    would have to win the interpreter back from a busy event loop.

    Raises:
        StoreUnavailableError: nothing was kept.
    """
    values = ", ".join(["(?, ?, ?)"] * len(rows))
    columns = list(chain.from_iterable(rows))
    try:
        last = connection.execute(INSERT + values, columns).lastrowid
    except sqlite3.Error as error:
        raise StoreUnavailableError(str(error)) from error
    assert last is not None  # noqa: S101 - an INSERT has one
    return range(last - len(rows) + 1, last + 1)


class _Write(NamedTuple):
    row: Row
    kept: asyncio.Future[int]


class GroupWriter:
    """A thread with a connection of its own, both from the first write on.

    While one commit waits for the disk the next writes gather, and share the commit after it.
    """

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], maximum: int = GROUP_MAXIMUM
    ) -> None:
        self._connect = connect
        self._maximum = maximum
        self._waiting: SimpleQueue[_Write | None] = SimpleQueue()
        self._thread: Thread | None = None

    async def create_pet(self, new_pet: NewPet) -> int:
        """Keep an animal, and give its id once it is on the disk."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="pettui-writer", daemon=True)
            self._thread.start()
        kept: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.put(_Write(row(new_pet), kept))
        return await kept

    async def close(self) -> None:
        """Write what still waits, then end the thread."""
        if self._thread is not None:
            self._waiting.put(None)
            await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        connection: sqlite3.Connection | None = None
        open_to_more = True
        while open_to_more:
            group, open_to_more = self._group()
            try:
                connection = connection or self._connect()
                ids = insert(connection, [write.row for write in group]) if group else ()
            except (sqlite3.Error, StoreUnavailableError) as error:
                _settle(group, [error] * len(group))
            else:
                _settle(group, ids)
        if connection is not None:
            connection.close()

    def _group(self) -> tuple[list[_Write], bool]:
        """Wait for a write, and take what is there by then; False with the last group."""
        group: list[_Write] = []
        write = self._waiting.get()
        while write is not None:
            group.append(write)
            if len(group) == self._maximum:
                return group, True
            try:
                write = self._waiting.get_nowait()
            except Empty:
                return group, True
        return group, False


def _settle(group: list[_Write], outcomes: Sequence[int | Exception]) -> None:
    """Tell each writer, waking every event loop once."""
    pairs = zip(group, outcomes, strict=True)
    for loop, part in groupby(pairs, key=lambda pair: pair[0].kept.get_loop()):
        if not loop.is_closed():
            loop.call_soon_threadsafe(_resolve, list(part))


def _resolve(pairs: list[tuple[_Write, int | Exception]]) -> None:
    for write, outcome in pairs:
        if write.kept.done():
            continue  # whoever waited has gone; the animal is kept all the same
        if isinstance(outcome, Exception):
            write.kept.set_exception(StoreUnavailableError(str(outcome)))
        else:
            write.kept.set_result(outcome)
