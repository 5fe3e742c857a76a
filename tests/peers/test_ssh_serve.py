"""``pettui.ssh.serve``: the app in docs/ssh.md, as its author runs it, and OpenSSH's client."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import asyncssh
import pytest

from tests.peers.ssh_server import SshServer, need_ssh

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).parents[2]
QUIT = "\x11"


@pytest.fixture
def hello(home: Path, environment: Mapping[str, str]) -> Iterator[SshServer]:
    """The app that the documentation shows, on a free port."""
    need_ssh()
    text = (ROOT / "docs/ssh.md").read_text()
    [shown] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert "port=2222" in shown
    script = home / "hello.py"
    script.write_text(shown.replace("port=2222", "port=0"))
    server = SshServer(home, environment, script=script)
    yield server
    assert server.stop() == 0


def test_the_documented_app_greets_its_user_and_ends(hello: SshServer) -> None:
    terminal = hello.terminal(user="anna")
    terminal.wait_for("Hello anna")
    terminal.press(QUIT)
    assert terminal.wait_for_end() == 0
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
    said = hello.log + hello.run("-v", "-T", command="ls").stderr.split("remote software", 1)[-1]
    assert "pettui" not in said
