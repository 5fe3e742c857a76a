"""Every state of a connection that a client without a key can stall: it ends, and others are served."""

from __future__ import annotations

import asyncio
import struct
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from pettui.ssh import connection as ssh_connection
from tests.ssh.user_keys import KEY, KeyFile, line
from tests.ssh_reader import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from tests.ssh.conftest import PassTime, Running, Serve

BANNER = b"SSH-2.0-nobody\r\n"


class Stalling(asyncssh.SSHClient):
    """A client that never finishes logging in, and tells when it has begun."""

    def __init__(self, begun: asyncio.Event) -> None:
        self._begun = begun

    async def public_key_auth_requested(self) -> Any:
        self._begun.set()
        await asyncio.Event().wait()


@asynccontextmanager
async def raw(running: Running, data: bytes) -> AsyncIterator[None]:
    """Connect and send data, and then nothing; at the end wait until the server disconnects."""
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    writer.write(data)
    await reader.read(1)
    yield
    while await reader.read(65_536):
        pass
    writer.close()


@asynccontextmanager
async def logging_in(running: Running) -> AsyncIterator[None]:
    begun = asyncio.Event()
    connecting = asyncio.create_task(
        running.connect(client_factory=partial(Stalling, begun), client_keys=None)
    )
    await begun.wait()
    yield
    with pytest.raises((asyncssh.Error, OSError)):
        await connecting


STATES: dict[str, Callable[[Running], AbstractAsyncContextManager[None]]] = {
    "TCP": partial(raw, data=b""),
    "a banner of any bytes": partial(raw, data=b"SSH-2.0-\xff\xfe\r\n"),
    "a banner without end": partial(raw, data=b"x" * 300),
    "half a packet": partial(raw, data=BANNER + struct.pack(">I", 1000) + b"\x00" * 10),
    "a packet of any length": partial(
        raw, data=BANNER + struct.pack(">I", 0xFFFFFFFF) + b"\x00" * 60
    ),
    "packets of nothing": partial(raw, data=BANNER + b"\x00" * 4096),
    "login": logging_in,
}


@pytest.mark.parametrize("state", STATES)
async def test_each_stalled_state_ends_and_the_next_client_is_served(
    serve: Serve, tmp_path: Path, pass_time: PassTime, state: str
) -> None:
    keys = KeyFile(tmp_path / "keys", line(KEY)).keys
    async with serve(keys, login_timeout=30, per_address=1) as running:
        async with asyncio.timeout(PATIENCE), STATES[state](running):
            pass_time(30)
        await running.wait_until(lambda: not running.state.connections)
        assert len(running.state.logins) == 0
        async with await running.connect(client_keys=[KEY]) as connection:
            screen = await running.open(connection)
            await screen.wait_for("DEMO", "Mitzi")
        assert not running.bugs


async def test_a_client_that_sends_requests_without_reading_is_disconnected(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh_connection, "UNSENT_MAXIMUM", 100_000)
    async with serve() as running:
        connection: Any = await running.connect()
        connection._transport.pause_reading()
        request = b"\x00\x00\x00\x04what\x01"  # a global request that wants a reply
        while not running.events("dropped"):
            for _ in range(500):
                connection.send_packet(80, request)
            await asyncio.sleep(0)
        assert running.events("dropped")[0]["reason"] == "the client does not read"
        connection.abort()
        async with running.session():
            pass
