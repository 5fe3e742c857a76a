"""What ``pettui ssh`` refuses the OpenSSH client, each with one clear line."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
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
