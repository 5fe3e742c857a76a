"""Every state of a connection that a client without a key can stall: it ends, and others are served."""

from __future__ import annotations

import asyncio
import struct
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from pettui.ssh import connection as ssh_connection
from tests.ssh.connections.test_connection import open_channel
from tests.ssh.user_keys import KEY, KeyFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.ssh.conftest import Running

PATIENCE = 60.0  # seconds, enough on a busy machine
BANNER = b"SSH-2.0-nobody\r\n"


class Stalling(asyncssh.SSHClient):
    """A client that never finishes logging in."""

    async def public_key_auth_requested(self) -> Any:
        await asyncio.Event().wait()


async def hold_raw(running: Running, data: bytes) -> None:
    """Send data, and wait until the server disconnects."""
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    writer.write(data)
    async with asyncio.timeout(PATIENCE):
        while await reader.read(65_536):
            pass
    writer.close()


async def hold_login(running: Running) -> None:
    with pytest.raises((asyncssh.Error, OSError)):
        await running.connect(client_factory=Stalling, client_keys=None)


async def hold_without_channel(running: Running) -> None:
    connection = await running.connect(client_keys=[KEY])
    await connection.wait_closed()


async def hold_channel(running: Running) -> None:
    connection = await running.connect(client_keys=[KEY])
    await open_channel(connection)
    await connection.wait_closed()


def raw(data: bytes) -> Callable[[Running], Any]:
    async def hold(running: Running) -> None:
        await hold_raw(running, data)

    return hold


STATES = {
    "TCP": raw(b""),
    "half a banner": raw(b"SSH-2.0-nobo"),
    "a banner of any bytes": raw(b"SSH-2.0-\xff\xfe\r\n"),
    "a banner without end": raw(b"x" * 300),
    "key exchange": raw(BANNER),
    "half a packet": raw(BANNER + struct.pack(">I", 1000) + b"\x00" * 10),
    "a packet of any length": raw(BANNER + struct.pack(">I", 0xFFFFFFFF) + b"\x00" * 60),
    "packets of nothing": raw(BANNER + b"\x00" * 4096),
    "login": hold_login,
    "logged in": hold_without_channel,
    "a channel without a shell": hold_channel,
}


@pytest.mark.parametrize("state", STATES)
async def test_each_stalled_state_ends_and_the_next_client_is_served(
    serve: Callable[..., Any], tmp_path: Path, state: str
) -> None:
    keys = KeyFile(tmp_path / "keys", f"{KEY.export_public_key().decode().strip()}").keys
    async with serve(keys, login_timeout=2, per_address=1) as running:
        async with asyncio.timeout(PATIENCE):
            await STATES[state](running)
        await running.wait_until(lambda: not running.state.connections)
        async with await running.connect(client_keys=[KEY]) as connection:
            screen = await running.open(connection)
            await screen.wait_for("DEMO", "Mitzi")
        assert not running.bugs


async def test_a_client_that_sends_requests_without_reading_is_disconnected(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh_connection, "UNSENT_MAXIMUM", 100_000)
    async with serve() as running:
        connection: Any = await running.connect()
        connection._transport.pause_reading()
        request = b"\x00\x00\x00\x04what\x01"  # a global request that wants a reply
        while not running.events("dropped"):
            for _ in range(500):
                connection.send_packet(80, request)
            await asyncio.sleep(0.01)
        assert running.events("dropped")[0]["reason"] == "the client does not read"
        connection.abort()
        async with running.session():
            pass
