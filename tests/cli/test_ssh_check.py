"""``pettui ssh --check``: all that would keep it from serving, without serving."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import asyncssh

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


def test_what_can_serve_says_nothing_and_makes_no_file(run_here: Run, home: Path) -> None:
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
            "--welcome", "anyone may log in to the demo", "--public", "contains no key",
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
