"""What clients cost that use much: they, and nobody else."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from pettui.ssh.apps.app_pool import AppPool, OpenApp
from pettui.ssh.fair_loop import Share, current_activity
from tests.ssh.conftest import Running, WatchedFactory, serve
from tests.ssh_abuser import KINDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


# Starts and ends of sessions: others' keys go before them, and they count as their client's


async def use_session(running: Running, connection: asyncssh.SSHClientConnection) -> None:
    screen = await running.open(connection)
    await screen.wait_for("DEMO", "Mitzi", " shown")
    screen.press("q")
    assert await screen.end() == 0


async def test_each_start_and_end_of_a_session_gives_way_to_keys_and_counts_as_its_clients_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[str, bool, Share]] = []
    open_app = AppPool.open

    async def note_start(*arguments: Any) -> OpenApp:
        seen.append(("start", current_activity().gives_way, current_activity().share))
        return await open_app(*arguments)

    class Closing(WatchedFactory):
        async def close(self, app: Any) -> None:
            seen.append(("end", current_activity().gives_way, current_activity().share))
            await super().close(app)

    monkeypatch.setattr(AppPool, "open", note_start)
    async with serve(factory=Closing, ready_apps=0) as running, await running.connect() as client:
        for _ in range(2):
            await use_session(running, client)
        [connection] = running.state.connections
    assert seen == [("start", True, connection.share), ("end", True, connection.share)] * 2


async def test_a_session_that_has_not_ended_yet_counts_although_its_client_has_left_it() -> None:
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


# What malicious clients cost the server, while other users are served


BYTES_MAXIMUM = 20_000_000  # for four of them; the app of each is some 2 MB
KINDS_AT_ONCE = [KINDS[first : first + 4] for first in range(0, len(KINDS), 4)]


def memory() -> int:
    """Return the bytes of memory that this process shares with no other."""
    rollup = Path("/proc/self/smaps_rollup").read_text()
    found = re.search(r"^Private_Dirty:\s+(\d+)", rollup, re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


@asynccontextmanager
async def abuser(running: Running, kind: str) -> AsyncIterator[asyncio.StreamReader]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.ssh_abuser", str(running.port), kind,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert await process.stdout.readline() == b"in\n"
    yield process.stdout
    process.kill()
    await process.communicate()


@pytest.mark.exhaustive
@pytest.mark.parametrize("kinds", KINDS_AT_ONCE, ids=", ".join)
async def test_abuse_costs_bounded_memory_and_other_users_are_served(
    running: Running, kinds: tuple[str, ...]
) -> None:
    async with running.session() as other, AsyncExitStack() as abuse:
        before = memory()
        said = [await abuse.enter_async_context(abuser(running, kind)) for kind in kinds]
        for row in (59, 58, 57):
            other.press("j")
            await other.wait_for(f"▌    {row}")
        for lines in said:
            assert await lines.readline() == b"enough\n"
        other.press("k")
        await other.wait_for("▌    58")
        assert memory() - before < BYTES_MAXIMUM
        assert not running.bugs
