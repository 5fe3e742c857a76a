"""Descriptors of a running ``pettui ssh`` run out: a line in the log, and all is well afterwards."""

from __future__ import annotations

import json
import resource
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pettui.ssh.status import STATUS, running_servers
from tests.peers.ssh_server import SshServer, need_ssh
from tests.peers.terminal import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest


def workers_of(server: SshServer) -> list[int]:
    words = ["pgrep", "-P", str(server.process.pid)]
    return [
        int(pid) for pid in subprocess.run(words, capture_output=True, check=True).stdout.split()
    ]


def test_a_lack_of_descriptors_is_logged_once_and_ends(
    environment: Mapping[str, str], home: Path
) -> None:
    need_ssh()
    server = SshServer(home, environment, "--demo", "--workers", "1", "--login-timeout", "5")
    [worker] = workers_of(server)
    before = server.terminal("-t")
    before.wait_for("DEMO", "Mitzi")
    usual = resource.prlimit(worker, resource.RLIMIT_NOFILE)
    highest = max(int(path.name) for path in Path(f"/proc/{worker}/fd").iterdir())
    resource.prlimit(worker, resource.RLIMIT_NOFILE, (highest + 3, usual[1]))
    with ExitStack() as held:
        for _ in range(6):
            held.enter_context(socket.create_connection(("127.0.0.1", server.port)))
        server.wait_for_event("shortage")
        before.press("j")
        before.wait_for("▌    59")
    after = server.terminal("-t")
    after.wait_for("DEMO", "Mitzi")
    for terminal in (before, after):
        terminal.press("\x11")
        assert terminal.wait_for_end() == 0
        terminal.assert_restored()
        terminal.close()
    assert len(server.events("shortage")) == 1
    assert "Traceback" not in server.log
    assert "a bug of its own" not in server.log
    assert server.stop() == 0


def test_the_status_comes_once_there_is_a_descriptor(
    environment: Mapping[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = SshServer(home, environment, "--demo", "--workers", "1")
    [(_, path)] = running_servers(home / ".local" / "state" / "pettui" / "ssh-status")
    monkeypatch.chdir(path.parent)  # the whole path is longer than an address may be
    pid = server.process.pid
    usual = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, usual[1]))
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(PATIENCE)
        asking.connect(path.name)
        asking.sendall(STATUS)
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.recv(10)  # the workers have descriptors
        resource.prlimit(pid, resource.RLIMIT_NOFILE, usual)
        assert json.loads(asking.recv(100_000))["port"] == server.port
    assert server.stop() == 0
