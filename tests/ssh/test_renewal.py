"""When a process is to be replaced by a fresh one."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from pettui.ssh.renewal import Renewal, own_memory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.ssh.conftest import Running


class Watched:
    """A renewal with memory that a test sets."""

    def __init__(self, running: Running) -> None:
        self.memory = 100
        self.looks = 0
        self.due = 0
        self._running = running
        self.renewal = Renewal(running.state, self._note, self._measure)

    def _note(self) -> None:
        self.due += 1

    def _measure(self) -> int:
        self.looks += 1
        return self.memory

    async def look(self) -> None:
        """Wait until it has looked at the memory once more."""
        looks = self.looks
        await self._running.wait_until(lambda: self.looks > looks)
        await asyncio.sleep(0)


@asynccontextmanager
async def watching(running: Running) -> AsyncIterator[Watched]:
    watched = Watched(running)
    task = asyncio.create_task(watched.renewal.watch())
    try:
        await watched.look()
        yield watched
    finally:
        task.cancel()


async def test_a_process_that_nobody_used_is_kept(serve: Callable[..., Any]) -> None:
    async with serve(renew_after=0.01) as running, watching(running) as watched:
        watched.memory = 1000
        await watched.look()
        await watched.look()
        assert watched.due == 0


async def test_one_that_has_hardly_grown_is_kept(serve: Callable[..., Any]) -> None:
    async with serve(renew_after=0.01) as running, watching(running) as watched:
        async with running.session():
            watched.memory = 120
        await watched.look()
        assert watched.due == 0


async def test_one_that_has_grown_is_replaced_when_everybody_has_left(
    serve: Callable[..., Any],
) -> None:
    async with serve(renew_after=0.01) as running, watching(running) as watched:
        async with running.session():
            watched.memory = 130
            looks = watched.looks
            await asyncio.sleep(0.1)  # ten times what it waits for
            assert (watched.due, watched.looks) == (0, looks)
        await running.wait_until(lambda: watched.due > 0)


async def test_one_that_is_not_replaced_then_is_due_again(serve: Callable[..., Any]) -> None:
    async with serve(renew_after=0.01) as running, watching(running) as watched:
        async with running.session():
            watched.memory = 130
        await running.wait_until(lambda: watched.due > 2)


def test_the_memory_of_a_process_is_what_it_has() -> None:
    before = own_memory()
    much = b"x" * 50_000_000
    assert own_memory() - before > 0.9 * len(much)
