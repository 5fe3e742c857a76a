"""Clients connect to ``pettui ssh`` and leave in every way there is: nothing is left."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from tests.exhaustive import times
from tests.ssh_reader import PATIENCE, Reader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from pathlib import Path

pytestmark = pytest.mark.exhaustive

BATCHES = 4  # of 250 if whole
AT_ONCE = 12
OF_SESSIONS = (
    "PetApp", "Screen", "Widget", "SshSession", "Connection", "SSHServerConnection", "SSHServerChannel",
    "Outbox", "PetClient", "sqlite3.Connection",
)  # fmt: skip
THREADS_MAXIMUM = 10  # of asyncio's pool, the outboxes and the main one
BYTES_MAXIMUM = 250_000_000  # for those that are there and those that ended, not yet looked for
FIRST_FRAME, ANIMALS, FORM, ON_ITS_WAY = b"\x1b[2J", b"Mitzi", b"Add an animal", b"Castor"


async def connect(port: int) -> asyncssh.SSHClientConnection:
    return await asyncssh.connect(
        "127.0.0.1", port, username="demo", known_hosts=None, client_keys=[], config=None
    )


async def open_session(
    connection: asyncssh.SSHClientConnection, until: bytes, *keys: str, then: bytes = b""
) -> Reader:
    """Open a session, wait for what it shows, press keys, and wait for what they make it show."""
    _, reader = await connection.create_session(
        Reader, term_type="xterm-256color", term_size=(100, 30), encoding=None
    )
    await reader.wait_for(until)
    for key in keys:
        reader.channel.write(key.encode())
    await reader.wait_for(then)
    return reader


# The ways to come and go: each of them is one session, or less than one.


async def quit_it(port: int) -> None:
    async with await connect(port) as connection:
        reader = await open_session(connection, ANIMALS, "\x11")
        await reader.channel.wait_closed()
        assert reader.channel.get_exit_status() == 0


async def cut_in_the_first_frame(port: int) -> None:
    connection = await connect(port)
    await open_session(connection, FIRST_FRAME)
    connection.abort()


async def cut_at_the_list(port: int) -> None:
    connection = await connect(port)
    await open_session(connection, ANIMALS)
    connection.abort()


async def cut_with_the_form_open(port: int) -> None:
    connection = await connect(port)
    await open_session(connection, ANIMALS, "a", then=FORM)
    connection.abort()


async def cut_while_an_add_is_out(port: int) -> None:
    connection = await connect(port)
    await open_session(connection, ANIMALS, "a", "Castor", "\t", "3", "\r", then=ON_ITS_WAY)
    connection.abort()


async def cut_before_the_app(port: int) -> None:
    connection = await connect(port)
    await connection.create_session(Reader, term_type="xterm", encoding=None)
    connection.abort()


async def open_a_channel_alone(port: int) -> None:
    """Open a channel, and request nothing on it."""
    connection = await connect(port)
    channel: Any = asyncssh.SSHClientChannel(
        connection, asyncio.get_running_loop(), "strict", None, "strict", 65_536, 32_768
    )
    await channel._open(b"session")
    connection.abort()


async def log_in_alone(port: int) -> None:
    async with await connect(port):
        pass


async def say_nothing(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await reader.readline()
    writer.close()
    await writer.wait_closed()


async def stop_in_the_key_exchange(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"SSH-2.0-half\r\n")
    await reader.read(1000)
    writer.transport.abort()


WAYS: dict[Callable[[int], Awaitable[None]], int] = {  # and how often, in a batch
    quit_it: 16,
    cut_in_the_first_frame: 16,
    cut_at_the_list: 16,
    cut_with_the_form_open: 16,
    cut_while_an_add_is_out: 16,
    cut_before_the_app: 10,
    open_a_channel_alone: 40,
    log_in_alone: 40,
    say_nothing: 40,
    stop_in_the_key_exchange: 40,
}


class Server:
    """A running server that counts what is left in it."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self._process = process
        self.port = port

    async def left(self) -> dict[str, int]:
        """Return what is there now."""
        self._process.stdin.write(b"\n")
        return json.loads(await self._process.stdout.readline())

    async def rest(self) -> dict[str, int]:
        """Wait until all sessions are over, and return what is left.

        An app is taken apart half a second after its end. Timers that the last session cancelled
        while it was counted hold on to its app: the count that is returned began after all had ended.
        """
        with suppress(TimeoutError):  # what is left then is returned
            async with asyncio.timeout(PATIENCE):
                while any(map((await self.left()).__getitem__, OF_SESSIONS)):  # noqa: ASYNC110 - asks
                    await asyncio.sleep(0.1)
        return await self.left()


@asynccontextmanager
async def serve(home: Path, environment: Mapping[str, str]) -> AsyncIterator[Server]:
    with (home / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.peers.counted_ssh_server", str(home),
            env=dict(environment), stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=log,
        )  # fmt: skip
    try:
        yield Server(process, int(await process.stdout.readline()))
    finally:
        process.stdin.close()  # ends it
        code = await process.wait()
    assert code == 0
    assert b"bug" not in (home / "log").read_bytes()


async def come_and_go(server: Server) -> None:
    """Have a batch of clients connect and leave, several at once."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(way: Callable[[int], Awaitable[None]]) -> None:
        async with places:
            await way(server.port)

    ways = [way for way, count in WAYS.items() for _ in range(times(count))]
    Random(5).shuffle(ways)
    async with asyncio.TaskGroup() as group:
        for way in ways:
            group.create_task(one(way))


async def test_sessions_leave_nothing(home: Path, environment: Mapping[str, str]) -> None:
    async with serve(home, environment) as server:
        before = await server.left()
        after = []
        for _ in range(BATCHES):
            await come_and_go(server)
            after.append(await server.rest())
    for left in after:
        assert {name: left[name] for name in OF_SESSIONS} == dict.fromkeys(OF_SESSIONS, 0)
        assert (left["tasks"], left["files"]) == (before["tasks"], before["files"])
        assert left["threads"] <= THREADS_MAXIMUM
    # What the first people made the process import and keep for all is there for good.
    # A leak grows with every batch; what the machine's load delays is in one of them only.
    second, *later = (left["blocks"] for left in after[1:])
    assert min(later) < second * 1.02, after
    assert after[-1]["bytes"] < BYTES_MAXIMUM, after
