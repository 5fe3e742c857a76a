"""The log of ``pettui ssh`` when a client sends nonsense."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING

import asyncssh

from tests.peers.ssh_server import SshServer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

REQUESTS = 1000


async def request_and_disconnect(port: int, worker: int) -> None:
    """Send unknown global requests (RFC 4254, 4), and read no reply.

    The worker is stopped until the client is gone.
    """
    connection = await asyncssh.connect(
        "127.0.0.1", port, username="demo", known_hosts=None, client_keys=[], config=None
    )
    os.kill(worker, signal.SIGSTOP)
    for _ in range(REQUESTS):
        wants_reply = asyncssh.packet.Boolean(True)
        name = asyncssh.packet.String("nothing@example")
        connection.send_packet(asyncssh.connection.MSG_GLOBAL_REQUEST, name, wants_reply)
    connection.abort()
    await connection.wait_closed()
    os.kill(worker, signal.SIGCONT)


def test_a_flood_of_unknown_requests_is_a_few_lines_of_json(
    home: Path, environment: Mapping[str, str]
) -> None:
    server = SshServer(home, environment, "--demo", "--workers=1")
    words = ["pgrep", "-P", str(server.process.pid)]
    [worker] = subprocess.run(words, capture_output=True, check=True).stdout.split()
    asyncio.run(request_and_disconnect(server.port, int(worker)))
    server.wait_for_event("warning")
    assert server.stop() == 0
    lines = server.log.splitlines()
    assert len(lines) < REQUESTS / 10
    assert all(json.loads(line).keys() >= {"time", "event"} for line in lines)
