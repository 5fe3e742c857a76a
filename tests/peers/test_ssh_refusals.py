"""What ``pettui ssh`` refuses the OpenSSH client, each with one clear line."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from typing import TYPE_CHECKING

import pytest

from tests.peers.ssh_server import SshServer, need_ssh, wait_until
from tests.peers.terminal import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    """A demo for all tests here; none of them changes it."""
    need_ssh()
    home = tmp_path_factory.mktemp("home")
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm-256color",
    }  # fmt: skip
    server = SshServer(home, environment, "--workers=1")
    yield server
    assert server.stop() == 0


def one_line(finished: subprocess.CompletedProcess[str]) -> str:
    assert finished.stdout == ""
    assert finished.returncode != 0
    assert finished.stderr.count("\n") == 1
    return finished.stderr.strip()


def test_a_command_is_not_run(server: SshServer) -> None:
    line = one_line(server.run(command="uname -a"))
    assert line == "pettui: commands are not supported; connect without one"


def test_there_is_no_file_transfer(server: SshServer) -> None:
    line = one_line(server.run_subsystem("sftp"))
    assert line == "pettui: file transfer is not supported; use ssh alone"


def test_there_is_no_other_subsystem(server: SshServer) -> None:
    line = one_line(server.run_subsystem("netconf"))
    assert line == "pettui: subsystems are not supported; use ssh alone"


def test_without_a_terminal_a_line_says_that_it_needs_one(server: SshServer) -> None:
    assert one_line(server.run("-T")) == "pettui: needs a terminal; connect with ssh -t"


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
def test_a_terminal_that_cannot_draw_gets_a_line_that_says_so(server: SshServer, kind: str) -> None:
    terminal = server.terminal(TERM=kind)
    assert terminal.wait_for_end() == 1
    line = "TERM cannot draw screens; set it to your terminal's type, such as xterm-256color"
    assert terminal.written.decode() == f"pettui: {line}\r\n"


def test_forwarding_to_another_host_is_refused(server: SshServer) -> None:
    finished = server.run("-o", "LogLevel=INFO", "-W", f"127.0.0.1:{server.port}")
    assert finished.returncode != 0
    assert "administratively prohibited: forwarding is not supported" in finished.stderr


def test_remote_forwarding_is_refused(server: SshServer) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    finished = server.run(
        "-N", "-o", "ExitOnForwardFailure=yes", "-R", f"{port}:127.0.0.1:{server.port}"
    )
    assert finished.returncode != 0
    assert f"remote port forwarding failed for listen port {port}" in finished.stderr


@contextmanager
def agent(path: Path) -> Iterator[str]:
    """Run an agent; yield the path of its socket."""
    words = ["ssh-agent", "-D", "-a", str(path)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        try:
            wait_until(path.exists, "the agent's socket")
            yield str(path)
        finally:
            process.terminate()


@pytest.mark.parametrize("option", ["-X", "-A"])
def test_x11_and_agent_forwarding_are_refused_and_the_app_is_there(
    server: SshServer, option: str, tmp_path: Path
) -> None:
    if option == "-X" and shutil.which("xauth") is None:
        pytest.skip("ssh -X asks for X11 only where there is xauth")
    with agent(tmp_path / "agent") as path:
        terminal = server.terminal(option, DISPLAY="127.0.0.1:9", SSH_AUTH_SOCK=path)
        terminal.wait_for("DEMO", "Mitzi")
        terminal.press("\x11")
        assert terminal.wait_for_end() == 0
    said = b"X11 forwarding request failed" in terminal.written  # of an agent ssh says nothing
    assert said is (option == "-X")


def test_a_password_is_never_asked_for(home: Path, environment: Mapping[str, str]) -> None:
    need_ssh()
    key = home / "somebody"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    configuration = home / "config.toml"
    (home / "api-key").touch(mode=0o600)
    (home / "api-key").write_text("a-key")
    configuration.write_text(
        '[profiles.shop]\nbase_url = "http://127.0.0.1:9/v1"\n'
        f'api_key_file = "{home / "api-key"}"\n'
    )
    words = ["--profile=shop", f"--authorized-keys={key}.pub", "--workers=1"]
    server = SshServer(home, {**environment, "PETTUI_CONFIG": str(configuration)}, *words)
    finished = server.run("-T", "-o", "IdentityFile=none", "-o", "IdentityAgent=none")
    assert "Permission denied (publickey)" in finished.stderr
    assert server.stop() == 0


def test_more_sessions_than_one_address_may_have_are_refused_in_a_line(
    home: Path, environment: Mapping[str, str]
) -> None:
    need_ssh()
    server = SshServer(home, environment, "--workers=2", "--per-address=2", "--max-sessions=3")
    terminals = [server.terminal(), server.terminal()]
    for terminal in terminals:
        terminal.wait_for("DEMO", "Mitzi")
    third = server.terminal()
    assert third.wait_for_end() == 1
    assert third.written == b"pettui: 2 sessions from your address are open or waiting already\r\n"
    terminals[0].press("\x11")
    assert terminals[0].wait_for_end() == 0
    again = server.terminal()
    again.wait_for("DEMO", "Mitzi")
    assert server.stop() == 0
    for terminal in (terminals[1], again):
        assert terminal.wait_for_end() == 0
        terminal.assert_restored()


def test_a_client_that_does_not_log_in_is_disconnected(
    home: Path, environment: Mapping[str, str]
) -> None:
    need_ssh()
    server = SshServer(home, environment, "--workers=1", "--login-timeout=1")
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as half_open:
        received = b""
        while data := half_open.recv(4096):
            received += data
    assert received.startswith(b"SSH-2.0-pettui_")
    assert server.stop() == 0


def test_ssh_audit_finds_no_weak_algorithm(server: SshServer) -> None:
    audit = Path(sys.executable).with_name("ssh-audit")
    finished = subprocess.run(
        [audit, "--json", "-p", str(server.port), "127.0.0.1"],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    found = json.loads(finished.stdout)
    notes = {
        (kind, one["algorithm"]): one["notes"]
        for kind in ("kex", "key", "enc", "mac")
        for one in found[kind]
    }
    assert {algorithm for kind, algorithm in notes if kind == "key"} == {"ssh-ed25519"}
    assert not [name for name, note in notes.items() if "fail" in note]
    # Many clients have no key exchange that holds against quantum computers; others get it.
    warned = [name for name, note in notes.items() if "warn" in note]
    assert warned == [
        ("kex", "curve25519-sha256"), ("kex", "curve25519-sha256@libssh.org"),
    ]  # fmt: skip
    assert "mlkem768x25519-sha256" in {algorithm for _, algorithm in notes}


def workers_of(server: SshServer) -> list[int]:
    """Return the process ids of the workers."""
    task = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    return [int(pid) for pid in task.read_text().split()]


def test_a_process_that_dies_is_restarted(home: Path, environment: Mapping[str, str]) -> None:
    need_ssh()
    server = SshServer(home, environment, "--workers=2", "--per-address=3")
    for worker in workers_of(server):
        os.kill(worker, signal.SIGKILL)
    server.wait_for_event("worker ended", 2)
    terminals = [server.terminal() for _ in range(3)]
    for terminal in terminals:
        terminal.wait_for("DEMO", "Mitzi")
    assert server.stop() == 0
    for terminal in terminals:
        assert terminal.wait_for_end() == 0


def test_a_process_that_dies_ends_its_sessions_and_frees_their_slots(
    home: Path, environment: Mapping[str, str]
) -> None:
    need_ssh()
    server = SshServer(home, environment, "--workers=1", "--max-sessions=1")
    first = server.terminal()
    first.wait_for("DEMO", "Mitzi")
    server.wait_for_event("begin")
    [worker] = workers_of(server)
    os.kill(worker, signal.SIGKILL)
    assert first.wait_for_end() == 255
    first.assert_input_restored()
    second = server.terminal()
    second.wait_for("DEMO", "Mitzi")
    second.press("\x11")
    assert second.wait_for_end() == 0
    assert server.stop() == 0
    began, ended = (
        [event["session"] for event in server.events(kind)] for kind in ("begin", "end")
    )
    assert ended == began
    assert [event["reason"] for event in server.events("end")] == ["worker ended", "quit"]


def test_sizes_of_zero_and_four_billion_are_clamped(server: SshServer) -> None:
    terminal = server.terminal(size=(0, 0))
    terminal.wait_until(lambda: b"DEMO" in terminal.written, "a screen of the usual size")
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0
    big = server.terminal(size=(60_000, 65_000))
    big.wait_until(lambda: b"DEMO" in big.written, "a screen")
    big.press("\x11")
    assert big.wait_for_end() == 0
    assert len(big.written) < 1_000_000


def test_a_session_ends_when_its_input_does(server: SshServer) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        server.words("-tt"), stdin=subprocess.DEVNULL, stdout=slave, stderr=slave
    )
    os.close(slave)
    with suppress(OSError):  # read until nobody has the terminal open any more
        while select([master], [], [], PATIENCE)[0] and os.read(master, 65_536):
            pass
    assert process.wait(PATIENCE) == 0
    os.close(master)
