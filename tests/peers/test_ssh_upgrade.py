"""An upgrade under a running ``pettui ssh``: it goes on with what it began with, until it drains."""

from __future__ import annotations

import os
import signal
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pettui
from tests.peers.ssh_server import SshServer, wait_until
from tests.peers.terminal import ESCAPE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.peers.terminal import Terminal

    Serve = Callable[..., SshServer]

F3, F6, F7, F8, F9 = "\x1bOR", "\x1b[17~", "\x1b[18~", "\x1b[19~", "\x1b[20~"
INSTALLED = (sys._base_executable, "-P", "-S", "-m", "pettui", "ssh", "--port=0")
OURS = "pettui-0.1.0.dist-info"


class Tree:
    """An installation of its own, without a site: links to all that is installed here."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        for each in Path(sysconfig.get_path("purelib")).iterdir():
            if each.name != "pettui" and not each.name.endswith(".pth"):
                (path / each.name).symlink_to(each)
        (path / "pettui").symlink_to(Path(pettui.__file__).parent)
        self.version = next(path.glob("pettui-*.dist-info")).name

    def move_away(self) -> None:
        """Leave nothing where it was."""
        self.path.rename(self.path.with_name("moved"))

    def install(self, version: str) -> None:
        """Install another pettui in place of this one, which none of this one's modules fits."""
        (self.path / self.version).unlink()
        self.version = f"pettui-{version}.dist-info"
        (self.path / self.version).mkdir()
        (self.path / "pettui").unlink()
        (self.path / "pettui").mkdir()
        (self.path / "pettui/__init__.py").write_text("raise SyntaxError('of another version')\n")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "tree")


def new_worker(server: SshServer) -> None:
    """Have a worker start in place of the only one."""
    [before] = server.workers
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: server.workers not in ([], [before]), "another process")


def show(terminal: Terminal, keys: str, *texts: str, back: str = ESCAPE) -> None:
    """Open something, see it, and close it."""
    terminal.press(*keys)
    terminal.wait_for(*texts)
    terminal.press(back)
    terminal.wait_until(lambda: texts[0] not in terminal.text, f"the end of {texts[0]}")


def test_every_screen_opens_though_what_was_installed_is_gone(serve_ssh: Serve, tree: Tree) -> None:
    """In a process that began before, and in one that begins afterwards."""
    server = serve_ssh(
        "--demo", "--workers=1", program=INSTALLED, PYTHONPATH=str(tree.path), SSL_CERT_FILE=""
    )
    before = server.connect()
    tree.move_away()
    show(before, "!", "What happened")
    before.quit()
    new_worker(server)
    terminal = server.connect()
    assert server.events("bug") == []
    terminal.quit()
