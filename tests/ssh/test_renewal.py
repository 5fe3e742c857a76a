"""Renewal: when a process is to be replaced."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import asyncssh

from pettui.ssh.connection import connection_options
from pettui.ssh.worker import accepted, own_memory, until_grown

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.ssh.conftest import PassTime, Running, Serve


class Watched:
    """A process whose measured memory a test sets, and which is due as often as it is grown."""

    def __init__(self, running: Running) -> None:
        self.memory = 100
        self.measurements = 0
        self.due = 0
        self._running = running

    async def watch(self) -> None:
        while True:
            await until_grown(self._running.state, self._measure)
            self.due += 1

    def _measure(self) -> int:
        self.measurements += 1
        return self.memory

    async def wait_for_measurement(self) -> None:
        """Wait until it has measured the memory once more."""
        measurements = self.measurements
        await self._running.wait_until(lambda: self.measurements > measurements)
        await asyncio.sleep(0)


@asynccontextmanager
async def watching(running: Running) -> AsyncIterator[Watched]:
    watched = Watched(running)
    task = asyncio.create_task(watched.watch())
    try:
        await watched.wait_for_measurement()
        yield watched
    finally:
        task.cancel()


async def test_an_unused_process_is_kept(serve: Serve) -> None:
    async with serve(renew_after=0.01) as running, watching(running) as watched:
        watched.memory = 1000
        await watched.wait_for_measurement()
        await watched.wait_for_measurement()
        assert watched.due == 0


async def test_a_process_that_has_hardly_grown_is_kept(serve: Serve) -> None:
    async with serve(renew_after=0.01) as running, watching(running) as watched:
        async with running.session():
            watched.memory = 120
        await watched.wait_for_measurement()
        assert watched.due == 0


async def test_a_process_that_has_grown_is_due_when_all_users_have_left(
    serve: Serve, pass_time: PassTime
) -> None:
    async with serve(renew_after=0.01) as running, watching(running) as watched:
        async with running.session() as screen:
            watched.memory = 130
            measurements = watched.measurements
            pass_time(60)
            screen.press("j")
            await screen.wait_for("▌    59")
            assert (watched.due, watched.measurements) == (0, measurements)
        await running.wait_until(lambda: watched.due > 0)


async def test_a_visit_between_two_checks_counts(serve: Serve) -> None:
    async with serve(renew_after=0.5) as running, watching(running) as watched:
        async with await running.connect():
            pass
        await running.wait_until(lambda: not running.state.connections)
        watched.memory = 130
        await running.wait_until(lambda: watched.due > 0)


async def test_a_process_that_could_not_be_replaced_is_due_again(serve: Serve) -> None:
    async with serve(renew_after=0.01) as running, watching(running) as watched:
        async with running.session():
            watched.memory = 130
        await running.wait_until(lambda: watched.due > 2)


def test_own_memory_is_the_resident_memory() -> None:
    before = own_memory()
    much = b"x" * 50_000_000
    assert own_memory() - before > 0.9 * len(much)


async def test_a_client_counts_before_its_connection_is_made(serve: Serve) -> None:
    """On a busy machine that takes a while, in which its process must not be replaced."""
    async with serve() as running:
        state = running.state
        async with await running.connect():
            assert not state.accepted
            assert not state.is_empty
        await running.wait_until(lambda: state.is_empty)
        key = asyncssh.generate_private_key("ssh-ed25519")
        connection = accepted(state, connection_options(state, key))
        assert not state.is_empty
        assert connection not in state.connections
