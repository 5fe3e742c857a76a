"""A session of an SSH client that reads everything, and waits for some of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import asyncssh

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 60.0  # seconds; a loaded machine is no failure


async def until(condition: Callable[[], object]) -> None:
    """Wait for a state that nothing tells of."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.01)


class Reader(asyncssh.SSHClientSession[bytes]):
    def __init__(self) -> None:
        self.written = b""
        self.came = asyncio.Event()
        self.channel: asyncssh.SSHClientChannel[bytes]

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        self.channel = chan

    def data_received(self, data: bytes, _datatype: object) -> None:
        self.written += data
        self.came.set()

    async def wait_for(self, what: bytes) -> None:
        await self.wait_until(lambda: what in self.written)

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self.came.clear()
                await self.came.wait()
