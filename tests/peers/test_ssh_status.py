"""``pettui ssh --status`` beside running servers, with people in them and in the queue."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING, Any

import httpx

from tests.peers.ssh_server import PROGRAM, SshServer, need_ssh, wait_until
from tests.peers.terminal import PATIENCE
from tests.peers.test_ssh_refusals import workers_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NO_ANSWER = 3


def ask(environment: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, "ssh", "--status", *words],
        env=dict(environment), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


def status(environment: Mapping[str, str], *words: str) -> dict[str, Any]:
    finished = ask(environment, "--json", *words)
    assert (finished.returncode, finished.stderr) == (0, "")
    return json.loads(finished.stdout)


def test_sessions_keys_and_processes_are_shown_as_a_table_and_as_json(
    home: Path, environment: Mapping[str, str]
) -> None:
    need_ssh()
    server = SshServer(home, environment, "--workers=2", "--max-sessions=1", "--max-queue=5")
    first = server.terminal()
    first.wait_for("DEMO", "Mitzi")
    waiting = server.terminal()
    waiting.wait_for("you are 1st")

    def is_measured() -> bool:
        first.press("j", "k")  # a few of all keys are
        return status(environment)["p99_ms"] is not None

    wait_until(is_measured, "a measured key")
    found = status(environment)
    assert (found["sessions"], found["queue"]) == (1, 1)
    assert (found["max_sessions"], found["max_queue"]) == (1, 5)
    assert (found["host"], found["port"]) == ("127.0.0.1", server.port)
    assert found["keys_per_second"] > 0
    supervisor, *workers = found["processes"]
    assert supervisor["pid"] == server.process.pid
    assert sorted(worker["pid"] for worker in workers) == sorted(workers_of(server))
    assert sum(worker["sessions"] for worker in workers) == 1
    assert sum(worker["queue"] for worker in workers) == 1
    assert all(10_000_000 < one["memory_bytes"] < 10**9 for one in found["processes"])
    table = ask(environment)
    assert table.returncode == 0
    head, columns, *rows = table.stdout.splitlines()
    assert f"127.0.0.1:{server.port}" in head
    assert "1 of 1 sessions, 1 of 5 waiting" in head
    assert columns.split() == ["process", "pid", "sessions", "queue", "keys/s", "p99", "ms", "MB"]
    assert [row.split()[0] for row in rows] == ["supervisor", "worker", "worker", "all"]
    assert server.stop() == 0
    for terminal in (first, waiting):
        assert terminal.wait_for_end() == 0


def test_a_killed_worker_is_listed_as_its_replacement(
    home: Path, environment: Mapping[str, str]
) -> None:
    server = SshServer(home, environment, "--workers=1")
    [worker] = workers_of(server)
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: workers_of(server) not in ([], [worker]), "another worker")
    wait_until(
        lambda: [one["pid"] for one in status(environment)["processes"][1:]] == workers_of(server),
        "its status",
    )
    assert server.stop() == 0


def test_without_a_status_socket_the_error_is_logged_and_users_are_served(
    home: Path, environment: Mapping[str, str]
) -> None:
    need_ssh()
    state = home / ".local" / "state" / "pettui"
    state.mkdir(parents=True)
    (state / "ssh-status").touch()
    server = SshServer(home, environment, "--workers=1")
    assert server.wait_for_event("status unavailable")["reason"] == "Not a directory"
    terminal = server.terminal()
    terminal.wait_for("DEMO", "Mitzi")
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0
    assert server.stop() == 0


def test_sessions_are_listed_and_ended_and_all_is_counted(
    home: Path, environment: Mapping[str, str]
) -> None:
    need_ssh()
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    server = SshServer(home, environment, "--max-sessions=1", f"--metrics=127.0.0.1:{port}")
    first = server.terminal()
    first.wait_for("DEMO", "Mitzi")
    waiting = server.terminal()
    waiting.wait_for("you are 1st")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PROGRAM, "ssh", *words],
            env=dict(environment), capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip

    listed = [json.loads(line) for line in run("--sessions", "--json").stdout.splitlines()]
    assert [(one["session"], one["state"]) for one in listed] == [(1, "inside"), (2, "waiting")]
    assert {(one["address"], one["user"]) for one in listed} == {("127.0.0.1", "demo")}
    shown = run("--sessions").stdout.splitlines()
    assert shown[0].split() == ["session", "user", "key", "from", "state", "since"]
    assert len(shown) == 3
    text = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
    for line in ("pettui_ssh_sessions 1.0", "pettui_ssh_waiting 1.0", "pettui_ssh_clients 2.0"):
        assert f"{line}\n" in text
    assert run("--end", "1").returncode == 0
    first.wait_for("an administrator has ended this session")
    waiting.wait_for("Mitzi")  # whose turn it is
    missing = run("--end", "1")
    assert (missing.returncode, missing.stderr) == (
        2, "pettui: --end: there is no session 1; see --sessions\n",
    )  # fmt: skip
    assert server.stop() == 0
