"""Clients that are gone without having said so are disconnected; those that are only quiet stay."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from pettui.ssh import connection as ssh_connection
from pettui.ssh.connection import SILENCE
from tests.ssh.conftest import broken
from tests.ssh.user_keys import KEY, KeyFile, line

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.ssh.asyncssh_internals import ServerConnection
    from tests.ssh.conftest import Running, Serve

TWO_MINUTES = 120.0


@pytest.fixture(autouse=True)
def _checked_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssh_connection, "INTERVAL", 0.01)


async def make_silent(running: Running, connection: ServerConnection) -> None:
    """Have a client be silent for as long as it takes to be asked, and wait until it is."""
    connection.silent_since -= SILENCE
    moved = connection.silent_since
    await running.wait_until(lambda: connection.silent_since > moved)


async def make_gone(running: Running, connection: ServerConnection) -> None:
    """Have two minutes go by for a client that does not read; it is disconnected only then."""
    for asked in range(1, int(TWO_MINUTES / SILENCE)):
        await make_silent(running, connection)
        assert connection.unanswered == asked
        assert not running.events("dropped")
    connection.silent_since -= SILENCE
    await running.wait_until(lambda: connection not in running.state.connections)


async def test_a_client_that_is_gone_is_disconnected_within_two_minutes(serve: Serve) -> None:
    async with serve() as running, running.session() as screen:
        client: Any = screen.channel.get_connection()
        client._transport.pause_reading()
        await make_gone(running, *running.state.connections)
        await running.wait_until(lambda: not running.state.sessions)
        assert running.events("dropped")[0]["reason"] == "the client does not respond"
        assert running.events("end")[0]["reason"] == "cut"
        assert not running.bugs


async def test_a_client_that_types_after_a_while_without_responding_stays(serve: Serve) -> None:
    async with serve() as running, running.session() as screen:
        client: Any = screen.channel.get_connection()
        [connection] = running.state.connections
        client._transport.pause_reading()
        await make_silent(running, connection)
        await make_silent(running, connection)
        assert connection.unanswered == 2
        client._transport.resume_reading()
        screen.press("j")
        await screen.wait_for("▌    59")
        assert connection.unanswered == 0
        assert not running.events("dropped")


@pytest.mark.parametrize("knows_the_request", [True, False])
async def test_a_client_that_is_only_quiet_stays(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, knows_the_request: bool
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


async def test_a_client_that_is_logging_in_is_not_asked(serve: Serve, tmp_path: Path) -> None:
    keys = KeyFile(tmp_path / "keys", line(KEY)).keys
    async with serve(keys) as running:
        _, writer = await asyncio.open_connection("127.0.0.1", running.port)
        await running.wait_until(lambda: running.state.connections)
        [unfinished] = running.state.connections
        unfinished.silent_since -= TWO_MINUTES
        async with await running.connect(client_keys=[KEY]) as client:
            [finished] = running.state.connections - {unfinished}
            await make_silent(running, finished)  # in the same check
            client.abort()
        assert unfinished.unanswered == 0
        assert not running.events("dropped")
        writer.close()


async def test_a_bug_in_a_check_ends_only_its_connection(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve() as running, await running.connect() as client:
        [connection] = running.state.connections
        async with running.session() as screen:
            monkeypatch.setattr(connection, "request_reply", broken)
            connection.silent_since -= SILENCE
            await client.wait_closed()
            assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]
            [other] = running.state.connections
            await make_silent(running, other)
            screen.press("j")
            await screen.wait_for("▌    59")
