"""``pettui ssh`` with wrong settings: one line that names them, exit code 2."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import asyncssh
import pytest

from pettui.ssh.options import SshOptions, local_address
from pettui.ssh.status import ServerIdentity, status_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--host=0.0.0.0"], "--host '0.0.0.0': would let anyone on the network in; add --public"),
        (["--port=70000"], "--port '70000': must be a whole number from 0 to 65535"),
        (["--profile=embedded"], "--authorized-keys: is missing"),
        (["--profile=nowhere"], "--profile 'nowhere': unknown profile"),
        (["--idle-timeout=-1"], "--idle-timeout '-1': must be a whole number"),
        (["--demo", "--authorized-keys=x"], "--authorized-keys: is for --profile"),
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_used_is_named(run_here: Run, words: list[str], line: str) -> None:
    finished = run_here("ssh", *words)
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1
    assert line in finished.stderr


def test_the_directory_of_a_named_host_key_is_not_made(run_here: Run, tmp_path: Path) -> None:
    missing = tmp_path / "disk"
    finished = run_here("ssh", "--port=0", f"--host-key={missing / 'key'}")
    assert finished.returncode == 2
    assert finished.stderr == (
        f"pettui: --host-key: its directory {missing} does not exist; make it, or mount its disk\n"
    )
    assert not missing.exists()


@pytest.fixture
def sockets(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the directory of status sockets the current one: an address is short."""
    directory = home / ".local/state/pettui/ssh-status"
    directory.mkdir(parents=True)
    monkeypatch.chdir(directory)


@contextmanager
def listening(name: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        yield server


@contextmanager
def answering(name: str, text: bytes) -> Iterator[None]:
    """Send a text to the first that connects."""
    with listening(name) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(100)
                connection.sendall(text)

        thread = threading.Thread(target=answer)
        thread.start()
        yield
        thread.join()


def test_only_the_server_on_the_port_is_asked_for_its_status(run_here: Run, sockets: None) -> None:
    identity = ServerIdentity("127.0.0.1", 2223, os.getpid(), 0.0)
    text = status_text(identity, SshOptions(), [])
    with listening("2222-1.sock") as neighbour, answering("2223-1.sock", text):
        finished = run_here("ssh", "--status", "--port=2223")
        neighbour.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody has connected
            neighbour.accept()
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "127.0.0.1:2223" in finished.stdout


def test_a_server_on_another_port_is_named_even_if_it_hangs(run_here: Run, sockets: None) -> None:
    with listening("2222-1.sock"):
        finished = run_here("ssh", "--status", "--port=2223")
    assert finished.returncode == 3
    line = "pettui: you have no pettui ssh running on port 2223; one runs on 2222\n"
    assert finished.stderr == line


@pytest.mark.parametrize(
    ("host", "address"),
    [("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("192.0.2.1", "192.0.2.1")],
)
def test_the_announced_address_is_one_that_the_server_listens_on(host: str, address: str) -> None:
    assert local_address(host) == address


def test_a_check_of_what_can_serve_says_nothing_and_makes_no_file(
    run_here: Run, home: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:  # by the server itself, perhaps
        port = str(taken.getsockname()[1])
        finished = run_here("ssh", "--check", "--port", port)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")
    assert not list(home.rglob("ssh-host-key"))


def test_a_profile_that_can_be_served_says_nothing(run_here: Run, tmp_path: Path) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    key.write_public_key(tmp_path / "keys")
    key.write_private_key(tmp_path / "host")
    for path in tmp_path.iterdir():
        path.chmod(0o600)
    words = (
        "--profile=embedded",
        f"--authorized-keys={tmp_path}/keys",
        f"--host-key={tmp_path}/host",
    )
    finished = run_here("ssh", "--check", *words)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")


def test_all_that_is_wrong_is_said_at_once(run_here: Run, tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("no key\n")
    (tmp_path / "host").write_text("no key")
    (tmp_path / "host").chmod(0o600)
    finished = run_here(
        *("ssh", "--check", "--demo", "--host=192.0.2.1", f"--welcome={tmp_path / 'none'}"),
        *(f"--authorized-keys={tmp_path / 'keys'}", f"--host-key={tmp_path / 'host'}"),
    )
    assert finished.returncode == 2
    said = finished.stderr.splitlines()
    for line, reason in zip(
        said,
        (
            "line 1 of the authorized keys is ignored", "--welcome",
            "anyone may log in to the demo", "--public", "contains no key",
            "OpenSSH's format", "cannot listen on 192.0.2.1:2222",
        ),
        strict=True,
    ):  # fmt: skip
        assert reason in line


def test_settings_that_cannot_be_read_do_not_hide_the_rest(run_here: Run, tmp_path: Path) -> None:
    finished = run_here("ssh", "--check", "--profile=nowhere", f"--authorized-keys={tmp_path}")
    assert finished.returncode == 2
    assert [line.split(": ")[1].split()[0] for line in finished.stderr.splitlines()] == [
        "--profile", "ssh",
    ]  # fmt: skip


def test_a_server_that_answers_nonsense_is_reported_as_not_answering(
    run_here: Run, sockets: None
) -> None:
    with answering("2222-1.sock", b"{}"):
        finished = run_here("ssh", "--status")
    assert finished.returncode == 3
    assert finished.stderr == "pettui: pettui ssh on port 2222 does not answer\n"


def test_the_check_says_which_lines_of_the_keys_are_ignored(run_here: Run, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    asyncssh.generate_private_key("ssh-ed25519").write_public_key(keys)
    keys.write_text(f"{keys.read_text()}junk\n")
    keys.chmod(0o600)
    finished = run_here("ssh", "--check", "--profile=embedded", f"--authorized-keys={keys}")
    assert finished.returncode == 0
    assert finished.stderr.startswith("pettui: line 2 of the authorized keys is ignored: ")
