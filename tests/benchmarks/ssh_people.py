"""People who come in over SSH and press keys: real connections, and what came when."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import asyncssh

from tests.peers.ssh_reader import PATIENCE, Reader

if TYPE_CHECKING:
    from tests.benchmarks.ssh_servers import Target

DOWN, UP = b"\x1b[B", b"\x1b[A"
FIRST_FRAME, FIRST_ANIMALS = b"DEMO", b"Mitzi"  # in the header; the newest sample
KEPT = 100_000  # bytes of what came that are looked through


class Screen(Reader):
    """One session: how much came, and its beginning."""

    received = 0

    def data_received(self, data: bytes, datatype: object) -> None:
        """Take what the server sent."""
        self.received += len(data)
        super().data_received(data if len(self.text) < KEPT else b"", datatype)


@dataclass
class Visitor:
    """One person who is there."""

    connection: asyncssh.SSHClientConnection
    channel: asyncssh.SSHClientChannel[bytes]
    screen: Screen
    first_frame: float  # milliseconds from before the connection
    first_animals: float

    async def press(self, key: bytes) -> float:
        """Press a key; gives the milliseconds to what it makes the server send."""
        began = time.perf_counter()
        self.screen.came.clear()
        self.channel.write(key)
        async with asyncio.timeout(PATIENCE):
            await self.screen.came.wait()
        return (time.perf_counter() - began) * 1000

    async def type(self, until: float, every: float, taken: list[float]) -> None:
        """Press a key at each interval, beginning anywhere within the first one."""
        await asyncio.sleep(random.uniform(0, every))
        turn = 0
        while (began := time.perf_counter()) < until:
            taken.append(await self.press(UP if turn % 2 else DOWN))
            turn += 1
            await asyncio.sleep(max(every - (time.perf_counter() - began), 0))


async def come_in(target: Target) -> Visitor:
    """Connect, and wait for the first animals."""
    began = time.perf_counter()
    connection = await asyncssh.connect("127.0.0.1", target.port, **target.options)
    channel, screen = await connection.create_session(
        Screen, term_type="xterm-256color", term_size=(100, 30), encoding=None,
        env={"COLORTERM": "truecolor", "LANG": "C.UTF-8"},
    )  # fmt: skip
    await screen.wait_for(FIRST_FRAME)
    first_frame = (time.perf_counter() - began) * 1000
    await screen.wait_for(FIRST_ANIMALS)
    first_animals = (time.perf_counter() - began) * 1000
    return Visitor(connection, channel, screen, first_frame, first_animals)


async def come_in_together(target: Target, count: int, at_once: int) -> list[Visitor]:
    """Let many come in, a number of them at a time."""
    places = asyncio.Semaphore(at_once)

    async def one() -> Visitor:
        async with places:
            return await come_in(target)

    return await asyncio.gather(*(one() for _ in range(count)))


async def leave(target: Target, visitors: list[Visitor], processes: int) -> None:
    """Cut them all, and wait until no more processes are left than there were."""
    for visitor in visitors:
        visitor.connection.abort()
    async with asyncio.timeout(PATIENCE):
        while len(target.family()) > processes:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.1)
    await asyncio.sleep(1.0)  # until the server has looked for the memory that they leave
