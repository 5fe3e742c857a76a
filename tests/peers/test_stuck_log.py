"""``pettui ssh`` whose standard error is a pipe that nobody reads any more."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
from typing import TYPE_CHECKING

import asyncssh
import pytest

from tests.peers.ssh_server import PROGRAM
from tests.peers.terminal import PATIENCE
from tests.stuck_pipe import fill

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@pytest.fixture
def server(environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [PROGRAM, "ssh", "--port", "0", "--workers", "1"],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    with process:
        yield process
        process.kill()


def port_of(server: subprocess.Popen[bytes]) -> int:
    for line in iter(server.stderr.readline, b""):
        if found := re.search(rb"ssh -p (\d+) ", line):
            return int(found[1])
    pytest.fail("it never said how to come in")


async def has_app(port: int) -> bool:
    """Come in, and wait for the app's first screen."""
    async with (
        asyncssh.connect("127.0.0.1", port, username="demo", known_hosts=None) as client,
        client.create_process(term_type="xterm", encoding=None) as app,
    ):
        seen = b""
        while b"DEMO" not in seen:
            part = await app.stdout.read(4096)
            if not part:
                return False
            seen += part
        return True


async def test_people_come_in_and_it_ends_with_0(server: subprocess.Popen[bytes]) -> None:
    port = port_of(server)
    fill(server.stderr.fileno())
    async with asyncio.timeout(PATIENCE):
        for _ in range(3):
            assert await has_app(port)
    server.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(server.wait, PATIENCE) == 0
