"""``pettui ssh`` in processes of its own, the signals that it gets, and OpenSSH's client."""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import asyncssh
import httpx
import pytest

from pettui.ssh.status import running_servers
from tests.exhaustive import exhaustive, exhaustive_rows
from tests.peers.ssh_server import SSH_PROGRAM, SshServer, need_ssh, wait_until, write_key
from tests.peers.terminal import PROGRAM, QUIT, Terminal
from tests.ports import reserved_port
from tests.ssh_abuser import come_in
from tests.stuck_pipe import fill
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Serve = Callable[..., SshServer]

STATE = Path(".local", "state", "pettui")


@pytest.fixture
def port() -> Iterator[int]:
    """A port for metrics."""
    with reserved_port() as port:
        yield port


def test_ssh_audit_finds_no_weak_algorithm(serve_ssh: Serve) -> None:
    audit = Path(sys.executable).with_name("ssh-audit")
    finished = subprocess.run(
        [audit, "--json", "-p", str(serve_ssh("--workers=1").port), "127.0.0.1"],
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


def test_the_environment_of_the_server_does_not_reach_sessions(serve_ssh: Serve) -> None:
    mine = {"NO_COLOR": "1", "TEXTUAL": "debug", "TEXTUAL_THEME": "nord", "COLORTERM": "truecolor"}
    terminal = serve_ssh("--workers=1", **mine).connect()
    terminal.quit()
    assert re.search(rb"[34]8;5;", terminal.written)
    assert not re.search(rb"[34]8;2;", terminal.written)


def test_clients_wait_move_up_and_get_in_by_order_in_all_processes(serve_ssh: Serve) -> None:
    server = serve_ssh("--workers=2", "--max-sessions=1")
    first, *queue = server.connect(), server.terminal(), server.terminal()
    for terminal in queue:
        terminal.wait_for("you are ", "; about ", " minutes; press q to leave")
        assert len(terminal.written) < 200  # a line, and no app
    queue.sort(key=lambda terminal: "1st" not in terminal.text)
    queue[1].wait_for("you are 2nd; ")
    first.press(QUIT)
    queue[0].wait_for("DEMO", "Mitzi")
    queue[1].wait_for("you are 1st; ")
    queue[0].press(QUIT)
    queue[1].wait_for("DEMO", "Mitzi")
    queue[1].press(QUIT)
    for terminal in (first, *queue):
        assert terminal.wait_for_end() == 0
        terminal.assert_restored()
        assert terminal.after_screen() == ""


def test_a_process_that_dies_ends_its_sessions_and_frees_their_slots(serve_ssh: Serve) -> None:
    server = serve_ssh("--workers=1", "--max-sessions=1")
    first = server.connect()
    [worker] = server.workers
    os.kill(worker, signal.SIGKILL)
    assert first.wait_for_end() == 255  # of ssh when its connection is cut
    first.assert_input_restored()
    server.connect().quit()
    server.wait_for_event("end", 2)
    began, ended = (
        [event["session"] for event in server.events(kind)] for kind in ("begin", "end")
    )
    assert ended == began
    assert [event["reason"] for event in server.events("end")] == ["worker ended", "quit"]
    [now] = server.workers
    assert [one["pid"] for one in server.status()["processes"][1:]] == [now]


def test_clients_without_a_session_soon_make_room_where_descriptors_are_short(
    serve_ssh: Serve,
) -> None:
    """Some send nothing at all, others no more than their version; it is logged once."""
    server = serve_ssh("--workers=1", "--login-timeout=3600")
    [worker] = server.workers
    before = server.connect()
    usual = resource.prlimit(worker, resource.RLIMIT_NOFILE)
    highest = max(int(path.name) for path in Path(f"/proc/{worker}/fd").iterdir())
    resource.prlimit(worker, resource.RLIMIT_NOFILE, (highest + 3, usual[1]))
    with ExitStack() as held:
        for number in range(3):
            silent = held.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            if number % 2:
                silent.sendall(b"SSH-2.0-x\r\n")
        server.wait_for_event("shortage")
        before.press("j")
        before.wait_for("▌    59")
        after = server.connect()
    before.quit()
    after.quit()
    assert len(server.events("shortage")) == 1
    assert "a bug of its own" not in server.log


def test_sessions_and_processes_are_listed_counted_and_ended(serve_ssh: Serve, port: int) -> None:
    server = serve_ssh("--workers=2", "--max-sessions=1", f"--metrics=127.0.0.1:{port}")
    first, waiting = server.connect(), server.terminal()
    waiting.wait_for("you are 1st")
    keys = cycle("jk")

    def is_measured() -> bool:
        first.press(next(keys))  # a few of all are; two at once may draw nothing
        return server.status()["p99_ms"] is not None

    wait_until(is_measured, "a measured key")
    shown = server.administer("--status", "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    found = json.loads(shown.stdout)
    assert (found["sessions"], found["queue"], found["clients"]) == (1, 1, 2)
    assert (found["host"], found["port"]) == ("127.0.0.1", server.port)
    supervisor, *workers = found["processes"]
    assert supervisor["pid"] == server.process.pid
    assert sorted(worker["pid"] for worker in workers) == sorted(server.workers)
    assert all(10_000_000 < one["memory_bytes"] < 10**9 for one in found["processes"])
    head, columns, *rows = server.administer("--status").stdout.splitlines()
    assert f"127.0.0.1:{server.port}" in head
    assert "1 of 1 sessions" in head
    assert columns.split() == ["process", "pid", "sessions", "queue", "keys/s", "p99", "ms", "MB"]
    assert [row.split()[0] for row in rows] == ["supervisor", "worker", "worker", "all"]
    text = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
    for name, key in (("sessions", "sessions"), ("waiting", "queue"), ("workers", "workers")):
        assert f"pettui_ssh_{name} {float(found[key])}\n" in text
    listing = server.administer("--sessions", "--json").stdout
    listed = [json.loads(line) for line in listing.splitlines()]
    assert [(one["session"], one["state"]) for one in listed] == [(1, "inside"), (2, "waiting")]
    assert {(one["address"], one["user"]) for one in listed} == {("127.0.0.1", "demo")}
    shown_sessions = server.administer("--sessions").stdout.splitlines()
    assert shown_sessions[0].split() == [
        "session", "user", "account", "key", "address", "state", "since",
    ]  # fmt: skip
    assert len(shown_sessions) == 3
    assert server.administer("--end", "1").returncode == 0
    first.wait_for("an administrator has ended this session")
    waiting.wait_for("Mitzi")  # whose turn it is
    missing = server.administer("--end", "1")
    assert (missing.returncode, missing.stderr) == (
        2, "pettui: --end: there is no session 1; see --sessions\n",
    )  # fmt: skip


def test_whatever_asks_for_the_status_ends_no_session(
    serve_ssh: Serve, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve_ssh("--workers=1")
    client = server.connect()
    [(_, _, path)] = running_servers(home / STATE / "ssh-status")
    monkeypatch.chdir(path.parent)  # the whole path is longer than an address may be
    for request in (b"end " + b"9" * 5_000, b"end -1", b"end \xb2", b"\xff" * 9_000):
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(PATIENCE)
            asking.connect(path.name)
            asking.sendall(request + b"\n")
            assert json.loads(asking.recv(100_000))["port"] == server.port
    client.open_form()


async def come_and_leave(port: int) -> None:
    connection, _, _ = await come_in(port)
    connection.abort()


def test_a_log_that_nobody_reads_keeps_no_client_out(
    home: Path, environment: Mapping[str, str]
) -> None:
    with subprocess.Popen(
        [PROGRAM, "ssh", "--port", "0", "--workers", "1"],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as server:  # fmt: skip
        try:
            assert server.stderr is not None
            fill(server.stderr.fileno())
            directory = home / STATE / "ssh-status"
            wait_until(lambda: bool(running_servers(directory)), "its status socket")
            [(port, _, _)] = running_servers(directory)
            for _ in range(3):
                asyncio.run(come_and_leave(port))
            server.send_signal(signal.SIGTERM)
            assert server.wait(PATIENCE) == 0
        finally:
            server.kill()


@pytest.fixture
def hello(home: Path, serve_ssh: Serve) -> SshServer:
    """The app that the documentation shows, as its author runs it, on a free port."""
    text = (Path(__file__).parents[2] / "docs/own-app.md").read_text()
    [shown, *_] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert "port=2222" in shown
    script = home / "hello.py"
    script.write_text(shown.replace("port=2222", "port=0"))
    return serve_ssh(program=[sys.executable, str(script)])


def test_the_documented_app_greets_its_user_and_ends(hello: SshServer) -> None:
    terminal = hello.terminal(user="anna")
    terminal.wait_for("Hello anna")
    terminal.quit()
    assert hello.wait_for_event("end")["reason"] == "quit"


def test_everything_says_the_name_of_the_served_app_and_never_ours(
    hello: SshServer, home: Path
) -> None:
    assert "serving hello over SSH" in hello.log
    assert "hello: needs a terminal" in hello.run("-T").stderr
    with socket.create_connection(("127.0.0.1", hello.port), 60) as connection:
        assert connection.recv(100) == b"SSH-2.0-hello\r\n"
    [key] = home.rglob("ssh-host-key")
    assert key.parent.name == asyncssh.read_private_key(key).get_comment() == "hello"
    output = hello.log + hello.run("-v", "-T", command="ls").stderr.split("remote software", 1)[-1]
    assert "pettui" not in output


def test_a_served_app_is_administered_by_its_name_or_port(
    hello: SshServer, serve_ssh: Serve
) -> None:
    other = serve_ssh("--demo")
    terminal = hello.terminal(user="anna")
    terminal.wait_for("Hello anna")
    running = sorted((each.port, each.process.pid) for each in (hello, other))
    both = " and ".join(f"on port {port} as process {pid}" for port, pid in running)
    for request in ("--status", "--sessions", "--end=1"):
        assert f"--port: is missing: pettui ssh runs {both}\n" in hello.administer(request).stderr
    head = f"hello, served over SSH, on 127.0.0.1:{hello.port}"
    for which in ("--name=hello", f"--port={hello.port}"):
        assert head in hello.administer("--status", which).stdout
    assert "\tanna\t" in hello.administer("--sessions", "--name=hello").stdout
    nobody = hello.administer("--sessions", "--name=nobody").stderr
    assert f"no such pettui ssh runs, but {both}\n" in nobody
    assert hello.administer("--end=1", "--name=hello").returncode == 0
    assert hello.wait_for_event("end")["reason"] == "ended"
    terminal.wait_for_end()


CLOCK = """
from textual.app import App
from textual.widgets import Label

class Clock(App):
    CSS_PATH = "clock.tcss"
    takes_command = True

    def __init__(self, someone, colour="red"):
        super().__init__()
        self.someone = someone

    def compose(self):
        yield Label(f"{self.someone.name} wants {self.someone.command}", markup=False)
"""


@pytest.fixture
def clock(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with a plain app and its styles."""
    monkeypatch.chdir(home)
    (home / "clock.py").write_text(CLOCK)
    (home / "clock.tcss").write_text("Clock Label { border: ascii red; }")
    return home


def test_a_plain_app_of_a_module_is_served_with_its_styles_and_the_words_of_a_command_line(
    clock: Path, serve_ssh: Serve, environment: Mapping[str, str]
) -> None:
    server = serve_ssh("--app=clock:Clock", "--workers=1")
    assert "serving clock over SSH" in server.log
    words = [*server.words("-t", user="anna"), "tea;", "rm -r *"]
    terminal = Terminal(words, environment)
    terminal.wait_for("anna wants tea; rm -r *", "+---")
    terminal.quit()
    assert server.wait_for_event("end")["reason"] == "quit"
    assert "needs a terminal" in server.run(command="tea").stderr


class ForegroundServer(SshServer):
    """A server in a terminal of its own, as somebody starts it by hand."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self._home, self._environment = home, dict(environment)
        self.shown = Terminal([PROGRAM, "ssh", "--demo", "--port=0", "--workers=2"], environment)
        self.shown.wait_for("log in with")
        [port] = re.findall(r"ssh -p (\d+) ", self.shown.text)
        self.port = int(port)


@pytest.fixture
def foreground(environment: Mapping[str, str], home: Path) -> Iterator[ForegroundServer]:
    need_ssh()
    server = ForegroundServer(home, environment)
    yield server
    server.shown.close()


@pytest.mark.parametrize(
    ("key", "code"),
    [("\x03", 0), *exhaustive_rows(("\x1c", 131))],
    ids=["ctrl+c", "ctrl+backslash"],
)
def test_a_signal_key_ends_all_sessions_cleanly(
    foreground: ForegroundServer, key: str, code: int
) -> None:
    clients = [foreground.connect() for _ in range(3)]
    foreground.shown.press(key)
    for client in clients:
        assert client.wait_for_end() == 0
        client.assert_restored()
        assert "the server is stopping" in client.after_screen()
        client.close()
    assert foreground.shown.wait_for_end() == code


def test_it_ends_with_its_terminal(foreground: ForegroundServer) -> None:
    client = foreground.connect()
    assert foreground.shown.hang_up() == 128 + signal.SIGHUP
    assert client.wait_for_end() == 0
    client.assert_restored()


@pytest.mark.parametrize(
    "number",
    [signal.SIGHUP, *exhaustive(signal.SIGUSR2, signal.SIGALRM)],
    ids=str,
)
def test_a_signal_that_others_send_ends_no_session(
    foreground: ForegroundServer, number: signal.Signals
) -> None:
    client = foreground.connect()
    os.killpg(foreground.shown.process.pid, number)
    os.kill(foreground.shown.process.pid, number)
    client.open_form()
    other = foreground.connect()
    for each in (client, other):
        each.close()


def test_sighup_reads_the_host_key_again_and_keeps_sessions(serve_ssh: Serve, home: Path) -> None:
    key = home / "host_key"
    server = serve_ssh("--workers=2", f"--host-key={key}")
    before = fingerprint(server.port)
    client = server.connect()
    key.unlink()
    os.kill(server.process.pid, signal.SIGHUP)
    assert "no such file" in server.wait_for_event("warning")["reason"]
    assert not key.exists()
    write_key(key)
    os.kill(server.process.pid, signal.SIGHUP)
    now = server.wait_for_event("read again")["host_key"]
    assert now != before
    wait_until(
        lambda: {fingerprint(server.port) for _ in range(8)} == {now}, "the new key in each process"
    )
    client.open_form()


APP_WITH_KEYS = """
from textual.app import App
from pettui.ssh import ServedApp, serve

class Hello(ServedApp[None], App):
    def __init__(self, user):
        super().__init__()

serve(Hello, port=0, authorized_keys="authorized_keys")
"""


def test_a_key_that_was_taken_out_logs_in_to_no_process_whatever_becomes_of_the_file(
    serve_ssh: Serve, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody came to most of the processes while its file said so; and one starts after that."""
    monkeypatch.chdir(home)
    paths = [home / "stays", home / "revoked"]
    written = [write_key(path) for path in paths]
    lines = [key.export_public_key().decode() for key in written]
    keys = home / "authorized_keys"
    keys.write_text("".join(lines))
    program = APP_WITH_KEYS.replace("port=0", "port=0, workers=3")
    server = serve_ssh(program=[sys.executable, "-c", program])

    def can_log_in(path: Path) -> bool:
        return "needs a terminal" in server.run("-T", "-i", str(path)).stderr

    assert [can_log_in(path) for path in paths] == [True, True]
    revoked = server.terminal(key=paths[1])
    wait_until(lambda: server.status()["sessions"] == 1, "a session")
    keys.write_text(f"{lines[0]}junk\n")
    server.wait_for_event("warning")  # of the parent, which tells the workers then
    for fingerprint, told in ((written[1].get_fingerprint(), "1 session ended"), ("SHA256:x", "")):
        ended = server.administer("--end", fingerprint, "--name=hello")
        assert ended.stdout == (told and f"{told}\n")
        assert bool(ended.returncode) is not bool(told)
    revoked.wait_for("an administrator has ended this session")
    keys.chmod(0o622)
    os.kill(server.workers[0], signal.SIGKILL)
    server.wait_for_event("worker ended")
    wait_until(lambda: len(server.workers) == 3, "another process")
    assert [can_log_in(paths[1]) for _ in range(8)] == [False] * 8
    assert can_log_in(paths[0])
    keys.unlink()
    assert not can_log_in(paths[0])


def test_the_sessions_of_a_key_are_ended_on_all_servers_of_their_user(
    serve_ssh: Serve, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them drains, as beside a stand-in; a number is still one server's."""
    monkeypatch.chdir(home)
    key = write_key(home / "anna")
    (home / "authorized_keys").write_text(key.export_public_key().decode())
    servers = [serve_ssh(program=[sys.executable, "-c", APP_WITH_KEYS]) for _ in range(2)]
    inside = [server.terminal(key=home / "anna") for server in servers]
    for server in servers:
        server.wait_for_event("begin")
    drained = servers[0].administer("--drain", f"--port={servers[0].port}")
    assert drained.stdout == "1 session left; it ends after the last one\n"
    assert "--port: is missing" in servers[0].administer("--end=1").stderr
    ended = servers[0].administer("--end", key.get_fingerprint())
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "2 sessions ended\n", "")
    for terminal in inside:
        terminal.wait_for("an administrator has ended this session")
    assert servers[0].process.wait(PATIENCE) == 0


def fingerprint(port: int) -> str:
    """Return the fingerprint of the host key that a new connection gets."""
    key = asyncio.run(asyncssh.get_server_host_key("127.0.0.1", port, config=None))
    assert key is not None
    return key.get_fingerprint()


def test_the_end_of_a_process_that_is_no_worker_does_not_end_the_server(
    serve_ssh: Serve, tmp_path: Path
) -> None:
    program, child = tmp_path / "program", tmp_path / "child"
    # As a shell leaves a child behind, or a container a process without a parent.
    program.write_text(f'#!/bin/sh\nsleep 3600 & echo $! > {child}\nexec {PROGRAM} "$@"\n')
    program.chmod(0o700)
    serve_ssh("--workers=1", program=[str(program), *SSH_PROGRAM[1:]])
    pid = int(child.read_text())
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), "the wait for its end")


WITHOUT_REALTIME_SIGNALS = """
import signal
for name in ("SIGRTMIN", "SIGRTMAX", "sigwaitinfo", "sigtimedwait"):
    delattr(signal, name)
"""


def test_it_serves_and_stops_where_the_system_has_fewer_signals(
    serve_ssh: Serve, tmp_path: Path
) -> None:
    """As on macOS, where no process is replaced."""
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_REALTIME_SIGNALS)
    server = serve_ssh("--workers=2", PYTHONPATH=str(tmp_path))
    terminal = server.connect()
    assert server.stop() == 0
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()
