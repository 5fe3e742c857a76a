"""Both servers under systemd: what it is told, a restart that refuses nobody, and docs/deploy."""

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

import httpx
import pytest

from pettui.cli.command_line import CommandParser
from pettui.cli.declarations import COMMANDS
from pettui.configuration.reading import read_settings
from pettui.system.systemd import inherited_sockets, tell_ready
from tests.cli.conftest import PROGRAM, finished, needs
from tests.documentation import ROOT
from tests.peers.ssh_server import SSH, need_ssh, wait_until
from tests.peers.terminal import Terminal
from tests.ports import reserved_port
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEY = "till-0-0123456789"
# systemd passes descriptors from the third one on, and says to whom.
LAUNCHER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid()), "LISTEN_FDNAMES": "x"}
os.execv(sys.argv[2], sys.argv[2:])
"""
DEPLOY = ROOT / "docs" / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
INSTALLED = re.compile(r"/opt/pettui(?:-%i)?/bin/pettui")


class Manager:
    """What systemd does: it listens, hears of the service, and starts it."""

    def __init__(
        self, environment: dict[str, str], listening: socket.socket, told: socket.socket
    ) -> None:
        self.address = listening.getsockname()
        self._listening = listening
        self._told = told
        named = {"NOTIFY_SOCKET": told.getsockname(), "PETTUI_SERVICE_KEYS": KEY}
        self._environment = environment | named

    def hears(self) -> str:
        return self._told.recv(4096).decode()

    @contextmanager
    def started(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        number = self._listening.fileno()
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


@pytest.fixture
def manager(environment: dict[str, str], tmp_path: Path) -> Iterator[Manager]:
    with (
        socket.create_server(("127.0.0.1", 0), backlog=100) as listening,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told,
    ):
        told.bind(str(tmp_path / "notify"))
        told.settimeout(PATIENCE)
        yield Manager(environment, listening, told)


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


@pytest.fixture
def port() -> Iterator[int]:
    """A port for metrics."""
    with reserved_port() as port:
        yield port


def administered(environment: Mapping[str, str], *words: str) -> tuple[int, str]:
    """Run ``pettui ssh`` with an option for whoever runs the server."""
    ended = finished([str(PROGRAM), "ssh", *words], environment)
    return ended.returncode, ended.stdout + ended.stderr


def client(port: int) -> list[str]:
    """Return the command of a client of the demo."""
    need_ssh()
    options = ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR")
    words = [word for option in options for word in ("-o", option)]
    return [SSH, "-F", "none", *words, "-p", str(port), "demo@127.0.0.1"]


def test_a_new_process_serves_on_the_socket_of_one_that_drains(
    manager: Manager, environment: dict[str, str], port: int
) -> None:
    """It takes over the metrics, too."""
    words = ("ssh", "--demo", "--workers", "1", "--metrics", f"127.0.0.1:{port}")

    def clients() -> str:
        text = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
        return re.findall(r"^pettui_ssh_clients (.*)$", text, re.MULTILINE)[0]

    with manager.started(*words) as old:
        inside = Terminal(client(manager.address[1]), environment)
        inside.wait_for("DEMO", "Mitzi")
        with manager.started(*words) as new:
            code, said = administered(environment, "--drain")
            assert code == 2
            assert all(f"as process {each.pid}" in said for each in (old, new)), said
            code, said = administered(environment, "--drain", f"--pid={old.pid}")
            assert (code, said) == (0, "1 session left; it ends after the last one\n")
            assert manager.hears() == "STATUS=takes no new sessions, and ends with those that run"
            inside.wait_for("The server restarts: finish and log in again;")
            wait_until(lambda: {clients() for _ in range(8)} == {"0.0"}, "the new one's metrics")
            for _ in range(4):
                assert first_line(manager.address).startswith(b"SSH-2.0-pettui")
            other = Terminal(client(manager.address[1]), environment)
            other.wait_for("DEMO", "Mitzi")
            _, said = administered(environment, "--status", f"--pid={old.pid}")
            assert "It takes no new sessions" in said
            code, said = administered(environment, "--sessions", f"--pid={new.pid}", "--json")
            assert (code, said.count("\n")) == (0, 1)
            inside.quit()
            assert manager.hears() == "STOPPING=1"
            assert old.wait(PATIENCE) == 0
            other.press("j")
            other.wait_for("▌    59")
            other.quit()
            manager.ends(new)


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


@pytest.fixture(scope="module")
def analyze() -> str:
    return needs("systemd-analyze", "systemd")


def test_systemd_accepts_the_units(analyze: str, tmp_path: Path) -> None:
    for unit in DEPLOY.glob("*.s[eo][rc]*"):  # services and sockets
        # That of this machine: only a program that is there is accepted.
        text = INSTALLED.sub(sys.executable, unit.read_text(encoding="utf-8"))
        (tmp_path / unit.name).write_text(text, encoding="utf-8")
    verified = subprocess.run(
        [analyze, "verify", "--man=no", *tmp_path.iterdir()],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    of_ours = [line for line in verified.stderr.splitlines() if "pettui" in line]
    assert (verified.returncode, of_ours) == (0, [])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_may_do_little_more_than_it_needs(analyze: str, unit: Path) -> None:
    security = [analyze, "security", "--offline=true", "--threshold=25", unit]
    rated = subprocess.run(security, capture_output=True, text=True, check=False, timeout=60)
    assert rated.returncode == 0, rated.stdout


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_pettui_accepts_the_command_of_a_unit(unit: Path) -> None:
    text = unit.read_text(encoding="utf-8").replace("\\\n", " ")
    [line] = re.findall(rf"^ExecStart={INSTALLED.pattern} (.*)$", text, re.MULTILINE)
    name, *words = line.split()
    [command] = [each for each in COMMANDS if each.name == name]
    CommandParser(command).parse_args(words)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_the_process_of_a_unit_can_be_measured(unit: Path) -> None:
    """Without /proc/stat prometheus_client has no metrics of the process."""
    assert "ProcSubset=pid" not in unit.read_text(encoding="utf-8")


def test_the_profile_of_the_unit_is_accepted(tmp_path: Path) -> None:
    config = tmp_path / "ssh.toml"
    config.write_text((DEPLOY / config.name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "store.key").touch(mode=0o600)
    (tmp_path / "store.key").write_text("sekrit-0123456789\n")
    settings = read_settings({"config": str(config), "profile": "store"}, {})
    assert settings.profile.key_file == tmp_path / "store.key"
    assert settings.profile.base_url == "http://127.0.0.1:8080/v1"


def test_why_a_service_cannot_start_is_an_error_in_the_journal(environment: dict[str, str]) -> None:
    words = [PROGRAM, "ssh", "--json"]
    reading, writing = os.pipe()
    with os.fdopen(reading) as reader, os.fdopen(writing, "w") as journal:
        status = os.fstat(writing)
        named = environment | {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
        ended = subprocess.run(words, env=named, stderr=journal, check=False)
        journal.close()
        assert ended.returncode == 2
        assert reader.read() == "<3>pettui: --json: needs --status or --sessions\n"
    assert finished(words, named).stderr == "pettui: --json: needs --status or --sessions\n"
