"""A connection: its deadlines, its silence, and the requests that are refused."""

from __future__ import annotations

import asyncio
import struct
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from pettui.ssh import connection as ssh_connection
from pettui.ssh import logins
from pettui.ssh import session as ssh_session
from pettui.ssh.connection import SILENCE
from tests.ssh.conftest import KEY, OTHER, KeyFile, broken, line, serve
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from pettui.ssh.asyncssh_internals import ServerConnection
    from tests.ssh.conftest import PassTime, Running, Screen


async def wait_for_end(connection: asyncssh.SSHClientConnection) -> None:
    async with asyncio.timeout(PATIENCE):
        await connection.wait_closed()


@pytest.mark.parametrize("has_channel", [False, True], ids=["no channel", "a channel alone"])
async def test_a_client_that_opens_no_session_is_disconnected(
    pass_time: PassTime, has_channel: bool
) -> None:
    async with serve(login_timeout=30) as running:
        connection = await running.connect()
        if has_channel:
            loop = asyncio.get_running_loop()
            sizes = (65_536, 32_768)  # of its window and packets
            channel = asyncssh.SSHClientChannel(connection, loop, "strict", None, "strict", *sizes)
            await channel._open(b"session")
        pass_time(30)
        await wait_for_end(connection)
        assert running.events("dropped")[0]["reason"] == "no session was opened in time"


async def test_a_client_that_leaves_the_channel_of_its_session_open_is_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ssh_session, "CLOSE_SECONDS", 0.05)
    async with serve() as running:
        connection = await running.connect()
        screen = await running.open(connection)
        await screen.wait_for("DEMO", "Mitzi")
        running.state.options = replace(running.state.options, login_timeout=1)
        monkeypatch.setattr(screen.channel, "_close_send", lambda: None)
        screen.press("q")
        await wait_for_end(connection)
        assert not running.state.sessions


async def test_with_too_many_unfinished_logins_the_oldest_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logins, "LOGINS_MAXIMUM", 2)
    async with serve() as running, running.session() as before, AsyncExitStack() as opened:
        silent = [await asyncio.open_connection("127.0.0.1", running.port) for _ in range(2)]
        for _, writer in silent:
            opened.callback(writer.close)
        async with running.session():  # an honest client is admitted
            pass
        [first, second] = [reader for reader, _ in silent]
        async with asyncio.timeout(PATIENCE):
            assert (await first.read()).startswith(b"SSH-2.0-pettui")  # and then it is dropped
        assert not second.at_eof()
        assert [event["reason"] for event in running.events("dropped")] == ["too many logins"]
        await before.move_down()


async def test_x11_forwarding_is_refused(tmp_path: Path) -> None:
    asked = {"x11_display": "127.0.0.1:9", "x11_auth_path": str(tmp_path / "none")}
    async with serve() as running, await running.connect() as connection:
        with pytest.raises(asyncssh.ChannelOpenError, match="X11 forwarding request failed"):
            await running.open(connection, x11_forwarding=True, **asked)
        screen = await running.open(connection, x11_forwarding="ignore_failure", **asked)
        await screen.wait_for("DEMO", "Mitzi")


async def test_agent_forwarding_is_refused(tmp_path: Path, running: Running) -> None:
    asked = {"agent_forwarding": True, "agent_path": str(tmp_path / "none")}
    async with running.session(login=asked):
        [served] = running.state.connections
        assert served.get_agent_path() is None


# Every state that a client without a key can stall ends, and others are served


BANNER = b"SSH-2.0-nobody\r\n"


class Stalling(asyncssh.SSHClient):
    """A client that never finishes logging in, and tells when it has begun."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def public_key_auth_requested(self) -> Any:
        self.begun.set()
        await asyncio.Event().wait()


@asynccontextmanager
async def raw(running: Running, data: bytes) -> AsyncIterator[None]:
    """Connect and send data, and then nothing; at the end wait until the server disconnects."""
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    writer.write(data)
    await reader.read(1)
    yield
    with suppress(ConnectionResetError):  # where it had not read all
        while await reader.read(65_536):
            pass
    writer.close()


@asynccontextmanager
async def logging_in(running: Running) -> AsyncIterator[None]:
    client = Stalling()
    connecting = asyncio.create_task(
        running.connect(client_factory=lambda: client, client_keys=None)
    )
    await client.begun.wait()
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
    tmp_path: Path, pass_time: PassTime, state: str
) -> None:
    keys = KeyFile(tmp_path / "keys", line(KEY)).keys
    async with serve(keys, login_timeout=30, per_address=1) as running:
        async with asyncio.timeout(PATIENCE), STATES[state](running):
            pass_time(30)
        await running.wait_until(lambda: not running.state.connections)
        assert len(running.state.logins) == 0
        async with running.session(login={"client_keys": [KEY]}):
            assert not running.bugs


async def test_a_client_that_sends_requests_without_reading_is_disconnected(
    monkeypatch: pytest.MonkeyPatch,
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


# Clients that are gone without having said so are disconnected; those that are only quiet stay


TWO_MINUTES = 120.0


@pytest.fixture(autouse=True)
def _checked_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssh_connection, "INTERVAL", 0.01)


async def make_silent(running: Running, connection: ServerConnection) -> None:
    """Have a client be silent for as long as it takes to be asked, and wait until it is."""
    connection.silent_since -= SILENCE
    moved = connection.silent_since
    await running.wait_until(lambda: connection.silent_since > moved)


async def test_a_client_that_is_gone_is_disconnected_within_two_minutes(
    running: Running, screen: Screen
) -> None:
    client: Any = screen.channel.get_connection()
    [connection] = running.state.connections
    client._transport.pause_reading()
    for asked in range(1, int(TWO_MINUTES / SILENCE)):
        await make_silent(running, connection)
        assert connection.unanswered == asked
        assert not running.events("dropped")
    connection.silent_since -= SILENCE
    await running.wait_until(lambda: not running.state.connections)
    await running.wait_until(lambda: not running.state.sessions)
    assert running.events("dropped")[0]["reason"] == "the client does not respond"
    assert running.events("end")[0]["reason"] == "cut"
    assert not running.bugs


@pytest.mark.parametrize("knows_the_request", [True, False])
async def test_a_client_that_is_only_quiet_stays(
    monkeypatch: pytest.MonkeyPatch, knows_the_request: bool
) -> None:
    if not knows_the_request:  # as OpenSSH's client: it refuses it
        handler = "_process_keepalive_at_openssh_dot_com_global_request"
        monkeypatch.delattr(asyncssh.connection.SSHConnection, handler)
    async with serve(login_timeout=3600) as running, await running.connect() as client:
        [connection] = running.state.connections
        for _ in range(2 * int(TWO_MINUTES / SILENCE)):
            await make_silent(running, connection)
            await running.wait_until(lambda: connection.unanswered == 0)
        assert not running.events("dropped")
        assert not running.bugs
        client.abort()


async def test_a_delayed_login_does_not_delay_others(locked: Running) -> None:
    for _ in range(logins.FREE_FAILURES + 5):
        locked.state.logins.failed("127.0.0.1")
    slow = asyncio.create_task(locked.connect(client_keys=[OTHER]))
    await locked.wait_until(lambda: bool(locked.state.connections))
    async with locked.session(login={"client_keys": [KEY]}):
        assert not slow.done()
    slow.cancel()
    await asyncio.wait([slow])


async def test_a_bug_in_a_check_ends_only_its_connection(
    monkeypatch: pytest.MonkeyPatch, running: Running
) -> None:
    async with await running.connect() as client:
        [connection] = running.state.connections
        async with running.session() as screen:
            monkeypatch.setattr(connection, "request_reply", broken)
            connection.silent_since -= SILENCE
            await client.wait_closed()
            assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]
            [other] = running.state.connections
            await make_silent(running, other)
            await screen.move_down()
