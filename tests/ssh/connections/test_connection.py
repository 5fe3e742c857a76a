"""A connection: its deadlines, and the requests that are refused."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from pettui.ssh import logins
from pettui.ssh import session as ssh_session
from tests.exhaustive import only_whole
from tests.ssh.conftest import broken
from tests.ssh.user_keys import KEY, OTHER, KeyFile, line
from tests.ssh_reader import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.ssh.conftest import PassTime, Serve


async def open_channel(connection: asyncssh.SSHClientConnection) -> None:
    """Open a channel without a request."""
    channel: Any = asyncssh.SSHClientChannel(
        connection, asyncio.get_running_loop(), "strict", None, "strict", 65_536, 32_768
    )
    await channel._open(b"session")


async def wait_for_end(connection: asyncssh.SSHClientConnection) -> None:
    async with asyncio.timeout(PATIENCE):
        await connection.wait_closed()


@pytest.mark.parametrize("has_channel", [False, True], ids=["no channel", "a channel alone"])
async def test_a_client_that_opens_no_session_is_disconnected(
    serve: Serve, pass_time: PassTime, has_channel: bool
) -> None:
    async with serve(login_timeout=30) as running:
        connection = await running.connect()
        if has_channel:
            await open_channel(connection)
        pass_time(30)
        await wait_for_end(connection)
        assert running.events("dropped")[0]["reason"] == "no session was opened in time"


async def test_a_client_whose_session_has_ended_is_disconnected(serve: Serve) -> None:
    async with serve() as running:
        connection = await running.connect()
        screen = await running.open(connection)
        await screen.wait_for("DEMO", "Mitzi")
        running.state.options = replace(running.state.options, login_timeout=0.1)
        screen.press("q")
        await screen.end()
        await wait_for_end(connection)


async def test_a_client_that_leaves_the_channel_of_its_session_open_is_disconnected(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh_session, "CLOSE_SECONDS", 0.05)
    async with serve() as running:
        connection = await running.connect()
        screen = await running.open(connection)
        await screen.wait_for("DEMO", "Mitzi")
        running.state.options = replace(running.state.options, login_timeout=0.1)
        monkeypatch.setattr(screen.channel, "_close_send", lambda: None)
        screen.press("q")
        await wait_for_end(connection)
        assert not running.state.sessions


@pytest.mark.parametrize(
    "target", ["pettui.ssh.connection.unsent", "asyncssh.SSHServerConnection.disconnect"]
)
async def test_a_bug_in_a_check_of_a_connection_ends_it(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, pass_time: PassTime, target: str
) -> None:
    async with serve(login_timeout=30) as running:
        connection = await running.connect()
        monkeypatch.setattr(target, broken)
        pass_time(30)
        await wait_for_end(connection)
        assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]


async def test_a_client_with_a_session_is_not_disconnected(
    serve: Serve, pass_time: PassTime
) -> None:
    async with serve(login_timeout=30) as running, running.session() as screen:
        _, silent = await asyncio.open_connection("127.0.0.1", running.port)
        await running.wait_until(lambda: len(running.state.connections) == 2)
        pass_time(30)
        await running.wait_until(lambda: len(running.state.connections) == 1)
        silent.close()
        screen.press("j")
        await screen.wait_for("▌    59")


async def test_with_too_many_unfinished_logins_the_oldest_is_dropped(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
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
        before.press("j")
        await before.wait_for("▌    59")


@pytest.mark.parametrize("clients", [10, *only_whole(300)])
async def test_many_simultaneous_logins_are_delayed_and_none_is_dropped(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, clients: int
) -> None:
    monkeypatch.setattr(logins, "CONCURRENT", 2)
    async with serve(per_address=2) as running:  # a limit of sessions, not of logins

        async def log_in() -> None:
            async with await running.connect():
                pass

        await asyncio.gather(*(log_in() for _ in range(clients)))
        await running.wait_until(lambda: not running.state.connections)
        assert running.events("dropped") == []
        assert len(running.state.logins) == 0


async def test_a_delayed_login_does_not_delay_others(serve: Serve, tmp_path: Path) -> None:
    async with serve(KeyFile(tmp_path / "keys", line(KEY)).keys) as running:
        for _ in range(logins.FREE_FAILURES + 5):
            running.state.logins.failed("127.0.0.1")
        slow = asyncio.create_task(running.connect(client_keys=[OTHER]))
        await running.wait_until(lambda: bool(running.state.connections))
        async with await running.connect(client_keys=[KEY]) as connection:
            screen = await running.open(connection)
            await screen.wait_for("DEMO", "Mitzi")
        assert not slow.done()
        slow.cancel()
        await asyncio.wait([slow])


async def test_x11_forwarding_is_refused(serve: Serve, tmp_path: Path) -> None:
    asked = {"x11_display": "127.0.0.1:9", "x11_auth_path": str(tmp_path / "none")}
    async with serve() as running, await running.connect() as connection:
        with pytest.raises(asyncssh.ChannelOpenError, match="X11 forwarding request failed"):
            await running.open(connection, x11_forwarding=True, **asked)
        screen = await running.open(connection, x11_forwarding="ignore_failure", **asked)
        await screen.wait_for("DEMO", "Mitzi")


async def test_agent_forwarding_is_refused(serve: Serve, tmp_path: Path) -> None:
    async with serve() as running:
        asked = {"agent_forwarding": True, "agent_path": str(tmp_path / "none")}
        async with await running.connect(**asked) as connection:
            screen = await running.open(connection)
            await screen.wait_for("DEMO", "Mitzi")
            [served] = running.state.connections
            assert served.get_agent_path() is None
