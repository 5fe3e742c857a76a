"""``pettui ssh`` whose standard error is a pipe that nobody reads any more, or on a full disk."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
from typing import IO, TYPE_CHECKING

import asyncssh
import pytest

from pettui.ssh.status import running_servers
from tests.peers.ssh_server import PROGRAM, wait_until
from tests.peers.terminal import PATIENCE
from tests.stuck_pipe import fill

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def started(environment: Mapping[str, str], log: IO[bytes] | int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [PROGRAM, "ssh", "--port", "0", "--workers", "1"],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=log,
    )


@pytest.fixture
def server(environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    with started(environment, subprocess.PIPE) as process:
        yield process
        process.kill()


def port_of(server: subprocess.Popen[bytes]) -> int:
    for line in iter(server.stderr.readline, b""):
        if found := re.search(rb"ssh -p (\d+) ", line):
            return int(found[1])
    pytest.fail("it never printed how to connect")


async def has_app(port: int) -> bool:
    """Connect, and wait for the app's first screen."""
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


async def test_clients_are_served_and_it_ends_with_0(server: subprocess.Popen[bytes]) -> None:
    port = port_of(server)
    fill(server.stderr.fileno())
    async with asyncio.timeout(PATIENCE):
        for _ in range(3):
            assert await has_app(port)
    server.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(server.wait, PATIENCE) == 0


async def test_a_full_disk_from_the_start_does_not_keep_clients_out(
    home: Path, environment: Mapping[str, str]
) -> None:
    """Its status socket tells the port; the line on standard error is lost."""
    directory = home / ".local/state/pettui/ssh-status"
    with open("/dev/full", "wb") as full, started(environment, full) as server:  # noqa: ASYNC230, PTH123
        try:
            wait_until(lambda: bool(running_servers(directory)), "its status socket")
            [(port, _)] = running_servers(directory)
            async with asyncio.timeout(PATIENCE):
                assert await has_app(port)
            server.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(server.wait, PATIENCE) == 0
        finally:
            server.kill()
