"""Clients come, wait, enter and are cut while processes die: no place is lost."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from itertools import cycle
from random import Random
from typing import TYPE_CHECKING

import asyncssh
import pytest

from pettui.ssh.status import read_answers, running_servers
from tests.exhaustive import times
from tests.peers.test_ssh_renewal import QUIT, tuned
from tests.ssh_reader import Reader

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.peers.test_ssh_renewal import TunedServer

KEYS = [b"q", b"\x03", b"\x1b", b"\x1b[200~pasted q\x1b[201~", QUIT]  # some leave the queue
CLIENTS, AT_ONCE = times(1_000), 20


async def come_and_go(server: TunedServer, dice: Random) -> None:
    """Open a few sessions, type something into each, and go, at any moment."""
    try:
        async with asyncio.timeout(60), await server.connect() as connection:
            for _ in range(dice.randrange(5)):
                channel, _ = await connection.create_session(
                    Reader, term_type="xterm-256color", encoding=None
                )
                await asyncio.sleep(dice.random() / 5)
                channel.write(dice.choice(KEYS))
            await asyncio.sleep(dice.random())
            connection.abort()
    except (OSError, asyncssh.Error):  # refused, or its process has died
        return


async def disturb(server: TunedServer, dice: Random) -> None:
    """Stop a process, kill one, and so on."""
    for number in cycle([signal.SIGSTOP, signal.SIGKILL]):
        await asyncio.sleep(0.5 + dice.random())
        if workers := server.workers:
            os.kill(dice.choice(workers), number)


def is_empty(home: Path) -> bool:
    """Whether there are no sessions and no waiting clients, if a process tells."""
    [(_, path)] = running_servers(home / "status")
    [status] = read_answers([path])
    if isinstance(status, OSError):  # all processes are stopped
        return False
    found = json.loads(status)
    return (found["sessions"], found["queue"]) == (0, 0)


@pytest.mark.exhaustive
async def test_clients_leave_every_count_at_zero_though_processes_die(
    home: Path, environment: Mapping[str, str]
) -> None:
    dice, options = Random(7), {"max_sessions": 5, "max_queue": 30, "per_address": 100}
    async with tuned(
        home, environment, workers=2, unresponsive_after=2.0, renew_after=0.3, **options
    ) as server:
        disturbing = asyncio.create_task(disturb(server, dice))
        for _ in range(CLIENTS // AT_ONCE):
            await asyncio.gather(*(come_and_go(server, dice) for _ in range(AT_ONCE)))
        disturbing.cancel()
        await server.wait_until(lambda: is_empty(home))
        await server.come_and_go()
        assert server.events("queued")
        assert server.events("worker unresponsive")
        assert server.events("worker ended")
