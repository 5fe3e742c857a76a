"""A process that no longer responds is replaced, and those who waited for it get on."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.peers.test_ssh_renewal import tuned

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs /proc")  # noqa: PTH112


async def test_a_stopped_process_is_replaced_and_its_sessions_free_their_slots(
    home: Path, environment: Mapping[str, str]
) -> None:
    async with tuned(home, environment, unresponsive_after=1.0, max_sessions=1) as server:
        [stopped] = server.workers
        connection = await server.connect()
        await server.come_in(connection)
        os.kill(stopped, signal.SIGSTOP)
        next_one = asyncio.create_task(server.come_and_go())  # nobody answers it yet
        await connection.wait_closed()
        await next_one
        assert [event["pid"] for event in server.events("worker unresponsive")] == [stopped]
        assert [event["code"] for event in server.events("worker ended")] == [-signal.SIGKILL]
        assert stopped not in server.workers
