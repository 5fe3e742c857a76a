"""An upgrade under a running ``pettui ssh``: it goes on with what it began with, until it drains."""

from __future__ import annotations

import os
import re
import signal
import sys
import sysconfig
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pettui
from tests.cli.conftest import finished
from tests.peers.ssh_server import SshServer, need_ssh, wait_until
from tests.peers.terminal import ENTER, ESCAPE, F1, PROGRAM, QUIT
from tests.peers.test_ssh_unattended import Shop, add

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.peers.terminal import Terminal

    Serve = Callable[..., SshServer]

F3, F9 = "\x1bOR", "\x1b[20~"
# What a process does with files of its own after the fork stands in a file; a test reads it there.
NOTING = """
import os, sys
parent, path = os.getpid(), os.environ["NOTES"]
notes = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
def note(event, what):
    if os.getpid() != parent and (event == "import" or event == "open" and os.environ["TREE"] in str(what[0])):
        os.write(notes, f"{what[0]}\\n".encode())
sys.addaudithook(note)
from pettui.cli import main
sys.exit(main())
"""
# The interpreter of these tests without what is installed for it.
PYTHON = (sys._base_executable, "-P", "-S")
# httpcore tries to import it with each request, and goes on without.
TRIED = {"sniffio"}


class Tree:
    """An installation of its own: links to all that is installed here."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        for each in Path(sysconfig.get_path("purelib")).iterdir():
            if each.suffix != ".pth" and each.name != "pettui":
                (path / each.name).symlink_to(each)
        (path / "pettui").symlink_to(Path(pettui.__file__).parent)
        self.environment = {
            "PYTHONPATH": str(path), "TREE": str(path), "NOTES": str(path.with_name("notes")),
        }  # fmt: skip

    def move_away(self) -> None:
        """Leave nothing where it was."""
        self.path.rename(self.path.with_name("moved"))

    def install(self, version: str) -> None:
        """Install another pettui in place of this one, of which no module fits."""
        [before] = self.path.glob("pettui-*.dist-info")
        before.unlink()
        (self.path / f"pettui-{version}.dist-info").mkdir()
        (self.path / "pettui").unlink()
        (self.path / "pettui").mkdir()
        (self.path / "pettui" / "__init__.py").write_text("raise SyntaxError('another version')")

    def noted(self) -> set[str]:
        """Return the modules and files that a process wanted after its fork."""
        return set(Path(self.environment["NOTES"]).read_text().splitlines())


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "tree")


def new_worker(server: SshServer) -> None:
    """Have a worker start in place of the only one."""
    [before] = server.workers
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: server.workers not in ([], [before]), "another process")


def show(terminal: Terminal, *keys: str, of: str, back: str = ESCAPE) -> None:
    """Open something, see its words, and close it."""
    terminal.press(*keys)
    terminal.wait_for(of)
    terminal.press(back)
    terminal.wait_until(lambda: of not in terminal.text, f"the end of {of}")


def test_every_screen_opens_though_nothing_is_left_of_what_was_installed(
    serve_ssh: Serve, tree: Tree
) -> None:
    """In a session that began before, and in a process that begins afterwards."""
    program = (*PYTHON, "-c", NOTING, "ssh", "--port=0")
    server = serve_ssh("--demo", "--workers=1", program=program, **tree.environment)
    before = server.connect()
    tree.move_away()
    show(before, "!", of="What happened")
    before.quit()
    new_worker(server)
    terminal = server.connect()
    show(terminal, F1, of="On this screen")
    show(terminal, F3, of="Requests")
    show(terminal, ":", of="search for a command")
    show(terminal, "z", of="Sort by")
    show(terminal, "#", of="↵ go")
    show(terminal, "L", of="nothing for 40")
    show(terminal, "e", of="as shown")
    show(terminal, "R", of="added today")
    show(terminal, ENTER, of="getPet is deprecated")
    terminal.press(":", "400", ENTER)
    terminal.wait_for("staged: add 400")
    terminal.press("a")
    terminal.wait_for("Add an animal")
    show(terminal, "\x1b[200~Kim,3\rTim,3\r\x1b[201~", of="Several animals")
    terminal.press("Ida", "\t", "3", ENTER)
    terminal.wait_for("400 invalid_value", "F8 Correct")
    terminal.press(ESCAPE)
    terminal.wait_until(lambda: "F8 Correct" not in terminal.text, "the end of the banner")
    terminal.press(ESCAPE)
    terminal.wait_for("1 refused")
    show(terminal, "o", of="categoryId 3 does not exist")
    terminal.press(":", "503", ENTER)
    terminal.wait_for("staged: away 503")
    add(terminal, "Uma")
    show(terminal, QUIT, of="Quit?")
    terminal.press(ESCAPE)
    show(terminal, F9, of="Start the demo over?")
    terminal.press(F9, "y")
    terminal.wait_until(lambda: "1 refused" not in terminal.text, "another demo")
    terminal.quit()
    assert server.events("bug") == []
    assert tree.noted() <= TRIED


@pytest.fixture
def shop(home: Path, environment: Mapping[str, str], tree: Tree) -> Iterator[Shop]:
    """A shop whose servers run from a tree."""
    need_ssh()
    with ExitStack() as running:
        yield Shop(home, {**environment, **tree.environment}, running)


def serve(shop: Shop, *words: str) -> SshServer:
    """Serve its profile to its user."""
    program = (*PYTHON, "-c", NOTING, "ssh", "--port=0", "--profile=shop", "--workers=1")
    keys = f"--authorized-keys={shop.home / 'authorized_keys'}"
    server = SshServer(shop.home, shop.environment, keys, *words, program=program)
    shop._running.callback(server.stop)
    return server


def test_animals_go_out_though_another_version_was_installed(shop: Shop, tree: Tree) -> None:
    """By a session, and by the server once it has ended; it says that there is another one."""
    server = serve(shop)
    tree.install("9.9")
    new_worker(server)
    terminal = server.terminal(key=shop.key)
    add(terminal, "Rex")
    wait_until(lambda: shop.names["Rex"] == 1, "the animal")
    terminal.press("Tim", ENTER)
    terminal.wait_until(lambda: re.search(r"◌ +Tim", terminal.text) is not None, "Tim")
    terminal.kill(signal.SIGKILL)
    wait_until(lambda: shop.names["Tim"] == 1, "what was left")
    installed = "pettui 9.9 in place of 0.1.0"
    assert server.wait_for_event("other version")["installed"] == installed
    said = finished([PROGRAM, "ssh", "--status"], shop.environment | {"PYTHONPATH": ""}).stdout
    assert f"It runs on as it began; installed is {installed}." in said
    assert server.events("bug") == []
    assert tree.noted() <= TRIED
    assert len(server.events("other version")) == 1
