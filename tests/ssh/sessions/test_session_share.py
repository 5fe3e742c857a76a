"""Starts and ends of sessions: others' keys go before them, and they count as their client's."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from pettui.ssh.apps.app_pool import AppPool
from pettui.ssh.priority_loop import PriorityEventLoop, current_priority
from pettui.token_bucket import TokenBucket
from tests.ssh.conftest import WatchedFactory

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.apps.app_pool import OpenApp
    from tests.ssh.conftest import Running

LONG = 0.09  # CPU seconds


async def use_session(running: Running, connection: asyncssh.SSHClientConnection) -> None:
    """Begin a session, and leave it."""
    screen = await running.open(connection)
    await screen.wait_for("DEMO", "Mitzi", " shown")
    screen.press("q")
    assert await screen.end() == 0


async def test_others_keys_go_before_each_start_and_each_end_of_a_session(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, bool]] = []
    open_app = AppPool.open

    async def note_start(*arguments: Any) -> OpenApp:
        seen.append(("start", current_priority().is_low))
        return await open_app(*arguments)

    class Closing(WatchedFactory):
        async def close(self, app: Any) -> None:
            seen.append(("end", current_priority().is_low))
            await super().close(app)

    monkeypatch.setattr(AppPool, "open", note_start)
    async with serve(factory=Closing, ready_apps=0) as running, await running.connect() as client:
        for _ in range(2):
            await use_session(running, client)
    assert seen == [("start", True), ("end", True)] * 2


def test_the_start_of_a_session_counts_as_its_clients_share(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[float] = []
    count, open_app = TokenBucket.use, AppPool.open

    def note(bucket: TokenBucket, amount: float) -> float:
        counted.append(amount)
        return count(bucket, amount)

    async def take_long(*arguments: Any) -> OpenApp:
        until = time.thread_time() + LONG
        while time.thread_time() < until:
            pass
        return await open_app(*arguments)

    async def main() -> None:
        monkeypatch.setattr(AppPool, "open", take_long)
        monkeypatch.setattr(TokenBucket, "use", note)
        async with serve() as running, await running.connect() as client:
            await use_session(running, client)

    with asyncio.Runner(loop_factory=PriorityEventLoop) as runner:
        runner.run(main())
    assert max(counted) >= LONG


async def test_a_session_that_has_not_ended_yet_counts_although_its_client_has_left_it(
    serve: Callable[..., Any],
) -> None:
    may_end = asyncio.Event()

    class Slow(WatchedFactory):
        async def close(self, app: Any) -> None:
            await may_end.wait()
            await super().close(app)

    async with serve(factory=Slow, per_connection=1) as running, await running.connect() as client:
        screen = await running.open(client)
        await screen.wait_for("DEMO", "Mitzi", " shown")
        screen.channel.close()
        await screen.channel.wait_closed()
        with pytest.raises(asyncssh.ChannelOpenError, match="too many sessions"):
            await running.open(client)
        may_end.set()
        await running.wait_until(lambda: not running.state.sessions)
        await use_session(running, client)
