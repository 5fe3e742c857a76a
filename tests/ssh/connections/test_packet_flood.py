"""Packets that cost little each: a flood of them is read slowly, and the others are served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pettui.ssh.fair_loop import MEMORY, SHARE
from pettui.ssh.session import SshSession

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

SIZES = 6_000  # packets that the system takes at once
FEW = 2_000


async def test_a_key_of_another_user_does_not_wait_for_a_flood_of_sizes(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
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
