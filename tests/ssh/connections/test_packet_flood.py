"""Packets that cost little each: a flood of them is read slowly, and the others are served."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from pettui.ssh.fair_loop import MEMORY, SHARE, FairEventLoop
from pettui.ssh.session import SshSession

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from tests.ssh.conftest import Serve


SIZES = 6_000  # packets that the system takes at once
FEW = 2_000
NO_VERSION = b"SSH-1.0-x\r\n"  # that the server speaks
FLOOD = 100_000  # bytes
TURNS = 100  # of the loop


async def test_a_key_of_another_user_does_not_wait_for_a_flood_of_sizes(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    processed = 0
    change = SshSession.terminal_size_changed

    def count(session: SshSession, *size: int) -> None:
        nonlocal processed
        processed += 1
        change(session, *size)

    monkeypatch.setattr(SshSession, "terminal_size_changed", count)
    async with serve() as running, running.session() as flooding:
        [connection] = running.state.connections
        connection.share.add(SHARE * MEMORY)  # nothing is free any more
        async with running.session() as other:
            for number in range(SIZES):
                flooding.channel.change_terminal_size(80 + number % 40, 24)
            other.press("j")
            await other.wait_for("▌    59")
            assert processed < FEW
            await running.wait_until(lambda: processed == SIZES)  # slowly, but none is lost
            flooding.press("q")
            assert await flooding.end() == 0
            assert not running.bugs


async def test_a_client_whose_connection_is_closed_by_force_is_read_no_more(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is aborted when it is the client's turn, which may take a while."""
    held: list[Callable[[], object]] = []
    usual = FairEventLoop.call_soon

    def hold(loop: FairEventLoop, callback: Any, *arguments: Any, **options: Any) -> Any:
        if getattr(callback, "__name__", "") in ("abort", "_cleanup"):
            held.append(partial(callback, *arguments))
            return None
        return usual(loop, callback, *arguments, **options)

    async with serve() as running:
        _, writer = await asyncio.open_connection("127.0.0.1", running.port)
        await running.wait_until(lambda: bool(running.state.connections))
        [connection] = running.state.connections
        with monkeypatch.context() as patched:
            patched.setattr(FairEventLoop, "call_soon", hold)
            writer.write(NO_VERSION)
            await running.wait_until(lambda: len(held) > 1)
            received: list[bytes] = []
            patched.setattr(connection, "data_received", received.append)
            writer.write(bytes(FLOOD))
            for _ in range(TURNS):
                await asyncio.sleep(0)
            assert not received
        for call in held:
            call()
        await running.wait_until(lambda: not running.state.connections)
        writer.close()
