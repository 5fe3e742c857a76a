"""A foreground ``pettui ssh`` and the signals of its terminal: everybody's is restored."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import asyncssh
import pytest

from tests.exhaustive import exhaustive, exhaustive_rows
from tests.peers.ssh_server import SshServer, need_ssh, wait_until
from tests.peers.terminal import PROGRAM, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class ForegroundServer(SshServer):
    """A server in a terminal of its own, as somebody starts it by hand."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self._home, self._environment = home, dict(environment)
        words = [PROGRAM, "ssh", "--demo", "--port", "0", "--workers", "2"]
        self.shown = Terminal(words, environment)
        self.shown.wait_for("log in with")
        found = re.search(r"ssh -p (\d+) ", self.shown.text)
        assert found is not None
        self.port = int(found[1])


@pytest.fixture
def server(environment: Mapping[str, str], home: Path) -> Iterator[ForegroundServer]:
    need_ssh()
    server = ForegroundServer(home, environment)
    yield server
    server.shown.close()


HANGUP_CODE = 129


@pytest.mark.parametrize(
    ("key", "code"),
    [("\x03", 0), *exhaustive_rows(("\x1c", 131))],
    ids=["ctrl+c", "ctrl+backslash"],
)
def test_a_signal_key_ends_all_sessions_cleanly(
    server: ForegroundServer, key: str, code: int
) -> None:
    clients = [server.terminal("-t") for _ in range(3)]
    for client in clients:
        client.wait_for("DEMO", "Mitzi")
    server.shown.press(key)
    for client in clients:
        assert client.wait_for_end() == 0
        client.assert_restored()
        assert "the server is stopping" in client.after_screen()
        client.close()
    assert server.shown.wait_for_end() == code


def test_it_ends_with_its_terminal(server: ForegroundServer) -> None:
    client = server.terminal("-t")
    client.wait_for("DEMO", "Mitzi")
    assert server.shown.hang_up() == HANGUP_CODE
    assert client.wait_for_end() == 0
    client.assert_restored()


@pytest.mark.parametrize(
    "number",
    [signal.SIGHUP, *exhaustive(signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM)],
    ids=str,
)
def test_a_signal_that_others_send_ends_no_session(
    server: ForegroundServer, number: signal.Signals
) -> None:
    client = server.terminal("-t")
    client.wait_for("DEMO", "Mitzi")
    os.killpg(server.shown.process.pid, number)
    os.kill(server.shown.process.pid, number)
    client.press("a")
    client.wait_for("Add an animal")
    other = server.terminal("-t")
    other.wait_for("DEMO", "Mitzi")
    for each in (client, other):
        each.close()


def test_sighup_reads_the_host_key_again_and_keeps_sessions(
    serve_ssh: Callable[..., SshServer], home: Path
) -> None:
    key = home / "host_key"
    server = serve_ssh("--workers=2", f"--host-key={key}")
    before = fingerprint(server.port)
    client = server.terminal()
    client.wait_for("DEMO", "Mitzi")
    key.unlink()
    os.kill(server.process.pid, signal.SIGHUP)
    assert "No such file" in server.wait_for_event("warning")["reason"]
    assert not key.exists()
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(key)
    key.chmod(0o600)
    os.kill(server.process.pid, signal.SIGHUP)
    now = server.wait_for_event("read again")["host_key"]
    assert now != before
    wait_until(
        lambda: {fingerprint(server.port) for _ in range(8)} == {now}, "the new key in each process"
    )
    client.press("a")
    client.wait_for("Add an animal")


def fingerprint(port: int) -> str:
    """Return the fingerprint of the host key that a new connection gets."""
    key = asyncio.run(asyncssh.get_server_host_key("127.0.0.1", port, config=None))
    assert key is not None
    return key.get_fingerprint()


def test_the_end_of_a_process_that_is_no_worker_does_not_end_the_server(
    environment: Mapping[str, str], home: Path, tmp_path: Path
) -> None:
    program, child = tmp_path / "program", tmp_path / "child"
    # As a shell leaves a child behind, or a container a process without a parent.
    program.write_text(f'#!/bin/sh\nsleep 3600 & echo $! > {child}\nexec {PROGRAM} "$@"\n')
    program.chmod(0o700)
    server = SshServer(home, environment, "--demo", "--workers=1", program=str(program))
    pid = int(child.read_text())
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), "the wait for its end")
    assert server.stop() == 0


WITHOUT_REALTIME_SIGNALS = """
import signal
for name in ("SIGRTMIN", "SIGRTMAX", "sigwaitinfo", "sigtimedwait"):
    delattr(signal, name)
"""


def test_it_serves_and_stops_where_the_system_has_fewer_signals(
    serve_ssh: Callable[..., SshServer], tmp_path: Path
) -> None:
    """As on macOS, where no process is replaced."""
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_REALTIME_SIGNALS)
    server = serve_ssh("--workers=2", PYTHONPATH=str(tmp_path))
    terminal = server.terminal()
    terminal.wait_for("DEMO", "Mitzi")
    assert server.stop() == 0
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()
