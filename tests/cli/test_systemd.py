"""Both servers under systemd: what it is told, and a restart that refuses nobody."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.systemd import inherited_sockets, tell_ready
from tests.cli.conftest import PROGRAM, finished
from tests.peers.ssh_server import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEY = "till-0-0123456789"
PATIENCE = 60.0
# systemd passes descriptors from the third one on, and says to whom.
LAUNCHER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid()), "LISTEN_FDNAMES": "x"}
os.execv(sys.argv[2], sys.argv[2:])
"""


class Manager:
    """What systemd does: it listens, hears of the service, and starts it."""

    def __init__(self, environment: Mapping[str, str], directory: Path) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.address = self.listening.getsockname()
        self._told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._told.bind(str(directory / "notify"))
        self._told.settimeout(PATIENCE)
        self._environment = {
            **environment,
            "NOTIFY_SOCKET": str(directory / "notify"),
            "PETTUI_SERVICE_KEYS": KEY,
        }

    def hears(self) -> str:
        return self._told.recv(4096).decode()

    @contextmanager
    def started(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        number = self.listening.fileno()
        process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, str(number), str(PROGRAM), *words],
            env=self._environment,
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            try:
                assert self.hears() == "READY=1"
                yield process
            finally:
                process.kill()

    def ends(self, process: subprocess.Popen[str]) -> None:
        process.send_signal(signal.SIGTERM)
        assert self.hears() == "STOPPING=1"
        assert process.wait(PATIENCE) == 0

    def close(self) -> None:
        self.listening.close()
        self._told.close()


@pytest.fixture
def manager(environment: Mapping[str, str], tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(environment, tmp_path)
    yield manager
    manager.close()


def first_line(address: tuple[str, int], sent: bytes = b"") -> bytes:
    """Connect, and return the first line that the server sends; b"" if it refuses or drops."""
    with suppress(OSError), socket.create_connection(address, timeout=PATIENCE) as connection:
        connection.sendall(sent)
        return connection.makefile("rb").readline()
    return b""


def test_a_restart_of_the_service_refuses_nobody(manager: Manager) -> None:
    request = f"GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\n\r\n".encode()
    answers: list[bytes] = []
    is_over = threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            answers.append(first_line(manager.address, request))

    def wait_for_more() -> None:
        before = len(answers)
        wait_until(lambda: len(answers) >= before + 20, "20 answers more")

    clients = [threading.Thread(target=ask) for _ in range(4)]
    words = ("serve", "--database", ":memory:")
    with manager.started(*words) as first:
        for client in clients:
            client.start()
        wait_for_more()
        manager.ends(first)
    with manager.started(*words) as second:
        wait_for_more()
        is_over.set()
        for client in clients:
            client.join()
        manager.ends(second)
    assert set(answers) == {b"HTTP/1.1 200 OK\r\n"}


def test_a_restart_of_the_ssh_server_refuses_nobody(manager: Manager) -> None:
    words = ("ssh", "--demo", "--workers", "2")
    with manager.started(*words) as first:
        assert first_line(manager.address).startswith(b"SSH-2.0-pettui")
        manager.ends(first)
    with (
        socket.create_connection(manager.address, timeout=PATIENCE) as waiting,
        manager.started(*words) as second,
    ):
        assert waiting.makefile("rb").readline().startswith(b"SSH-2.0-pettui")
        manager.ends(second)


@pytest.mark.parametrize("words", [("serve", "--database", ":memory:"), ("ssh", "--demo")])
def test_reading_again_is_told(manager: Manager, words: tuple[str, ...]) -> None:
    with manager.started(*words) as process:
        before = time.monotonic_ns() // 1000
        process.send_signal(signal.SIGHUP)
        reloading = re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=(\d+)", manager.hears())
        assert reloading is not None
        assert before <= int(reloading[1]) <= time.monotonic_ns() // 1000
        assert manager.hears() == "READY=1"
        manager.ends(process)


def refusal(environment: Mapping[str, str], passed: int, *words: str) -> str:
    """Return the line with which a server ends that is passed a descriptor."""
    given = {**environment, "PETTUI_SERVICE_KEYS": KEY}
    launched = [sys.executable, "-c", LAUNCHER, str(passed), PROGRAM, *words]
    ended = finished(launched, given, pass_fds=[passed])
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    return ended.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["serve"], "host 0.0.0.0 is reachable from other machines"),
        (["ssh", "--demo"], "on 0.0.0.0 would let anyone on the network in; add --public"),
    ],
)
def test_a_passed_socket_that_others_reach_needs_leave(
    environment: Mapping[str, str], words: list[str], reason: str
) -> None:
    with socket.create_server(("0.0.0.0", 0)) as reachable:
        assert reason in refusal(environment, reachable.fileno(), *words)


@pytest.mark.parametrize("server", ["serve", "ssh"])
def test_a_passed_file_is_no_socket(environment: Mapping[str, str], server: str) -> None:
    with Path(os.devnull).open() as file:
        assert "ocket" in refusal(environment, file.fileno(), server)


def test_an_abstract_address_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind(f"\0pettui-test-{os.getpid()}")
        monkeypatch.setenv("NOTIFY_SOCKET", f"@pettui-test-{os.getpid()}")
        tell_ready()
        assert told.recv(100) == b"READY=1"


def test_what_was_passed_to_another_process_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LISTEN_PID", "1")
    monkeypatch.setenv("LISTEN_FDS", "1")
    assert inherited_sockets() == []
