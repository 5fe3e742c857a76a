"""The server's host key: created once, private, and checked."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import asyncssh
import pytest

from pettui.ssh.key_files import host_key
from pettui.ssh.options import SshSetupError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_host_key_is_created_once_with_the_comment_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "state" / "key"
    key = host_key(path, "clock")
    assert key.get_comment() == "clock"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert host_key(path, "clock").get_fingerprint() == key.get_fingerprint()
    assert list(path.parent.iterdir()) == [path]


def test_a_host_key_is_created_on_a_file_system_without_links_and_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_arguments: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr("os.link", unsupported)
    monkeypatch.setattr("fcntl.flock", unsupported)
    path = tmp_path / "key"
    assert host_key(path, "clock").get_fingerprint() == host_key(path, "clock").get_fingerprint()
    assert list(tmp_path.iterdir()) == [path]


def test_a_host_key_is_created_while_another_program_holds_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.files.LOCK_SECONDS", 0.1)
    holder = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert host_key(tmp_path / "key", "clock").get_algorithm() == "ssh-ed25519"
    finally:
        os.close(holder)


def test_servers_that_start_at_once_have_the_same_host_key(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from pettui.ssh.key_files import host_key;"
        "print(host_key(pathlib.Path(sys.argv[1]), 'clock').get_fingerprint())"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "key")]
    started = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(4)]
    assert len({process.communicate()[0] for process in started}) == 1
    assert [process.returncode for process in started] == [0] * 4


def test_a_pipe_as_the_host_key_is_an_error_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "key", 0o600)
    with pytest.raises(SshSetupError, match="can't be used: not a regular file"):
        host_key(tmp_path / "key", "clock")


def test_a_host_key_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("none")
    path.chmod(0o644)
    with pytest.raises(SshSetupError, match="chmod 600"):
        host_key(path, "clock")
    path.chmod(0o600)
    with pytest.raises(SshSetupError, match="private key"):
        host_key(path, "clock")
    path.write_bytes(asyncssh.generate_private_key("ecdsa-sha2-nistp256").export_private_key())
    with pytest.raises(SshSetupError, match="Ed25519"):
        host_key(path, "clock")
    with pytest.raises(SshSetupError, match="can't be used"):
        host_key(tmp_path / "key" / "below", "clock")
