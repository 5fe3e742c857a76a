"""Keys and sockets: what stands between the network and an app."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from pettui.ssh.authorized_keys import AuthorizedKeys
from pettui.ssh.connections import listening_sockets
from pettui.ssh.connections.host_key import host_key
from pettui.ssh.errors import SshSetupError
from pettui.ssh.sessions.input_throttle import InputThrottle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def new_key(comment: str = "anna") -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519", comment=comment)


def line(key: asyncssh.SSHKey) -> str:
    return key.export_public_key().decode().strip()


@pytest.fixture
def authorize(tmp_path: Path) -> Callable[..., AuthorizedKeys]:
    """Write a file of keys, and read it."""

    def authorize(*lines: str) -> AuthorizedKeys:
        path = tmp_path / "authorized_keys"
        path.write_text("".join(f"{each}\n" for each in ("# a comment", "", *lines)))
        path.chmod(0o600)
        return AuthorizedKeys(path)

    return authorize


async def test_a_key_lets_its_owner_in_under_its_comment(
    serve: Callable[..., Any], authorize: Callable[..., AuthorizedKeys]
) -> None:
    key = new_key("anna at the till")
    keys = authorize(line(key))
    async with serve(keys) as running:
        async with await running.connect(client_keys=[key]) as connection:
            screen = await running.open(connection)
            await screen.wait_for("DEMO", "Mitzi")
        begin = running.events("begin")[0]
        assert begin["name"] == "anna at the till"
        assert begin["fingerprint"] == key.get_fingerprint()


async def test_another_key_does_not(
    serve: Callable[..., Any], authorize: Callable[..., AuthorizedKeys]
) -> None:
    keys = authorize(line(new_key()))
    async with serve(keys) as running:
        with pytest.raises(asyncssh.PermissionDenied):
            await running.connect(client_keys=[new_key()])
        with pytest.raises(asyncssh.PermissionDenied):
            await running.connect(client_keys=[], password="x")


async def test_a_connection_may_try_only_so_many_keys(
    serve: Callable[..., Any],
    authorize: Callable[..., AuthorizedKeys],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pettui.ssh.admission.logins.LONGEST_DELAY", 0.0)
    keys = authorize(line(new_key()))
    async with serve(keys) as running:
        with pytest.raises(asyncssh.PermissionDenied, match="too many"):
            await running.connect(client_keys=[new_key() for _ in range(13)])
        assert running.events("dropped")[0]["reason"] == "too many failures"


@pytest.mark.parametrize("options", ['command="x" ', 'odd="x" ', "cert-authority "])
def test_a_line_that_would_allow_less_than_the_app_lets_nobody_in(
    authorize: Callable[..., AuthorizedKeys], options: str
) -> None:
    key = new_key()
    assert (
        authorize(options + line(key), line(new_key())).find(key.convert_to_public(), "192.0.2.1")
        is None
    )


@pytest.mark.parametrize(
    ("options", "lets_in"),
    [
        ("", True),
        ('from="192.0.2.0/24" ', True),
        ('from="198.51.100.1" ', False),
        ('expiry-time="20990101" ', True),
        ('expiry-time="200001011200Z" ', False),
        ("no-pty ", False),
        ("restrict ", False),
        ("restrict,pty ", True),
        ('no-agent-forwarding,from="192.0.2.1" ', True),
    ],
)
def test_options_are_kept_to(
    authorize: Callable[..., AuthorizedKeys], options: str, lets_in: bool
) -> None:
    key = new_key()
    keys = authorize(options + line(key), line(new_key()))
    assert (keys.find(key.convert_to_public(), "192.0.2.1") is not None) is lets_in


def test_the_file_is_read_again_and_one_that_cannot_be_lets_nobody_in(
    authorize: Callable[..., AuthorizedKeys], tmp_path: Path
) -> None:
    key, other = new_key(), new_key()
    keys = authorize(line(key))
    path = tmp_path / "authorized_keys"
    path.write_text(line(other) + "\n# longer\n")
    assert keys.find(key.convert_to_public(), "192.0.2.1") is None
    assert keys.find(other.convert_to_public(), "192.0.2.1") is not None
    path.unlink()
    assert keys.find(other.convert_to_public(), "192.0.2.1") is None


@pytest.mark.parametrize(("content", "mode"), [(b"", 0o600), (b"\xff", 0o600), (b"x", 0o622)])
def test_a_file_that_cannot_be_used_is_told(tmp_path: Path, content: bytes, mode: int) -> None:
    path = tmp_path / "keys"
    path.write_bytes(content)
    path.chmod(mode)
    with pytest.raises(SshSetupError, match="--authorized-keys"):
        AuthorizedKeys(path)


def test_the_host_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "state" / "key"
    key = host_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert host_key(path).get_fingerprint() == key.get_fingerprint()
    assert list(path.parent.iterdir()) == [path]


def test_what_a_start_that_was_killed_left_stops_no_other(tmp_path: Path) -> None:
    path = tmp_path / "key"
    for name in (f".key.{os.getpid()}", ".key.1", ".key.abcdefgh"):
        (tmp_path / name).write_bytes(b"half a key")
    assert host_key(path).get_fingerprint() == host_key(path).get_fingerprint()


def test_a_filesystem_without_hard_links_or_locks_holds_a_host_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_arguments: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr("os.link", unsupported)
    monkeypatch.setattr("fcntl.flock", unsupported)
    path = tmp_path / "key"
    assert host_key(path).get_fingerprint() == host_key(path).get_fingerprint()
    assert list(tmp_path.iterdir()) == [path]


def test_a_lock_that_another_program_keeps_costs_no_host_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.private_directories.LOCK_SECONDS", 0.1)
    holder = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert host_key(tmp_path / "key").get_algorithm() == "ssh-ed25519"
    finally:
        os.close(holder)


def test_of_many_that_start_at_once_all_have_the_same_host_key(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from pettui.ssh.connections.host_key import host_key;"
        "print(host_key(pathlib.Path(sys.argv[1])).get_fingerprint())"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "key")]
    started = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(4)]
    assert len({process.communicate()[0] for process in started}) == 1
    assert [process.returncode for process in started] == [0] * 4


def test_a_pipe_as_the_host_key_is_told_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "key", 0o600)
    with pytest.raises(SshSetupError, match="can't be used: not a regular file"):
        host_key(tmp_path / "key")


def test_a_host_key_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("none")
    path.chmod(0o644)
    with pytest.raises(SshSetupError, match="chmod 600"):
        host_key(path)
    path.chmod(0o600)
    with pytest.raises(SshSetupError, match="private key"):
        host_key(path)
    path.write_bytes(asyncssh.generate_private_key("ecdsa-sha2-nistp256").export_private_key())
    with pytest.raises(SshSetupError, match="Ed25519"):
        host_key(path)
    with pytest.raises(SshSetupError, match="can't be used"):
        host_key(tmp_path / "key" / "below")


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SshSetupError, match=f"cannot listen on 127.0.0.1:{port}"):
            listening_sockets.bind("127.0.0.1", port)
    with pytest.raises(SshSetupError, match="choose another"):
        listening_sockets.bind("no.such.name.invalid", 1)


def test_processes_share_one_port() -> None:
    shares = listening_sockets.share(listening_sockets.bind("127.0.0.1", 0), 3)
    assert len({one.getsockname() for share in shares for one in share}) == 1
    assert len(shares) == 3
    for share in shares:
        for one in share:
            one.close()


async def test_a_flood_is_handed_on_no_faster_than_it_is_taken() -> None:
    taken: list[bytes] = []
    calls: list[str] = []

    def take(data: bytes) -> int:
        taken.append(data)
        return len(data)

    pump = InputThrottle(
        take, lambda: 1000, lambda: calls.append("pause"), lambda: calls.append("resume")
    )
    pump.feed(b"x" * 40_000)
    assert taken == []
    assert calls == ["pause"]
    pump.stop()
