"""A session of an SSH client that reads everything, and waits for some of it."""

from __future__ import annotations

import asyncio

import asyncssh

PATIENCE = 60.0  # seconds; a loaded machine is no failure


class Reader(asyncssh.SSHClientSession[bytes]):
    """Everything that was received on a channel."""

    def __init__(self) -> None:
        self.text = b""
        self.came = asyncio.Event()
        self.channel: asyncssh.SSHClientChannel[bytes]

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        """Remember the channel."""
        self.channel = chan

    def data_received(self, data: bytes, _datatype: object) -> None:
        """Keep what the server sent."""
        self.text += data
        self.came.set()

    async def wait_for(self, what: bytes) -> None:
        """Wait until this was received."""
        async with asyncio.timeout(PATIENCE):
            while what not in self.text:
                self.came.clear()
                await self.came.wait()
