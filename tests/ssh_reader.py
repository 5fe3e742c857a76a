"""A session of an SSH client that reads everything, and waits for some of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import asyncssh

from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable


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
