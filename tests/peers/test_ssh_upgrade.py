"""An upgrade under a running ``pettui ssh``: it goes on with what it began with, until it drains."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

import pettui
from pettui.outbox.stores.directory_owners import VERSION
from tests.cli.conftest import finished
from tests.peers.ssh_server import SSH_PROGRAM, SshServer, wait_until
from tests.peers.ssh_shop import Shop, add
from tests.peers.terminal import ENTER, ESCAPE, F1, PROGRAM, QUIT
from tests.ports import reserved_port
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.peers.terminal import Terminal

    Serve = Callable[..., SshServer]

F3, F7, F9 = "\x1bOR", "\x1b[18~", "\x1b[20~"
# What its processes import or read of it, once there are several, stands in a file.
NOTING = """
import os, sys
notes = os.open(os.environ["NOTES"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
events = {"os.fork"}
def note(event, what):
    if event == "os.fork":
        events.update(("import", "open"))
    elif event in events and (event == "import" or os.environ["TREE"] in str(what[0])):
        os.write(notes, f"{what[0]}\\n".encode())
sys.addaudithook(note)
from pettui.cli import main
sys.exit(main())
"""
# The interpreter of these tests without what is installed for it.
PYTHON = (sys._base_executable, "-P", "-S")
PROGRAM_NOTED = (*PYTHON, "-c", NOTING, "ssh", "--port=0")
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
        """Return the modules and files that were wanted."""
        return set(Path(self.environment["NOTES"]).read_text().splitlines())


@pytest.fixture
def port() -> Iterator[int]:
    """A port for metrics."""
    with reserved_port() as port:
        yield port


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
    serve_ssh: Serve, tree: Tree, port: int
) -> None:
    """In a session that began before, and in a process that begins afterwards."""
    words = ("--demo", "--workers=1", f"--metrics=127.0.0.1:{port}")
    server = serve_ssh(*words, program=PROGRAM_NOTED, **tree.environment)
    before = server.connect()
    tree.move_away()
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_event("read again")
    assert httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).is_success
    assert server.status()["sessions"] == 1
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
    terminal.open_form()
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


def test_animals_go_out_though_another_version_was_installed(shop: Shop, tree: Tree) -> None:
    """By a session, and by the server once it has ended; it says that there is another one."""
    server = shop.serve(program=PROGRAM_NOTED, environment=tree.environment)
    tree.install("9.9")
    new_worker(server)
    terminal = server.terminal(key=shop.key)
    terminal.wait_for("0 shown")
    show(terminal, F7, of="Use this key")
    add(terminal, "Rex")
    wait_until(lambda: shop.names["Rex"] == 1, "the animal")
    terminal.press("Tim", ENTER)
    terminal.wait_until(lambda: re.search(r"◌ +Tim", terminal.text) is not None, "Tim")
    terminal.kill(signal.SIGKILL)
    wait_until(lambda: shop.names["Tim"] == 1, "what was left")
    installed = "pettui 9.9 in place of 0.1.0"
    assert server.wait_for_event("other version")["installed"] == installed
    status = finished([PROGRAM, "ssh", "--status"], shop.environment).stdout
    assert f"It runs on as it began; installed is {installed}." in status
    assert server.events("bug") == []
    assert tree.noted() <= TRIED
    assert len(server.events("other version")) == 1


# Draining


def test_a_server_drains_and_the_next_one_has_what_was_typed(shop: Shop) -> None:
    """Who is inside is told, and a draft stays."""
    server = shop.serve("--drain-timeout=1")
    terminal = server.terminal(key=shop.key)
    terminal.wait_for("0 shown")
    terminal.open_form()
    terminal.press("Rex")
    terminal.wait_for("Rex")
    server.process.send_signal(signal.SIGUSR1)
    assert terminal.wait_for_end() == 0
    assert b"The server restarts: this session ends in " in terminal.written
    terminal.assert_restored()
    assert "the server restarts; please log in again" in terminal.after_screen()
    assert server.process.wait(PATIENCE) == 0
    assert [one["reason"] for one in server.events("end")] == ["drained"]
    assert server.events("draining")[0]["sessions"] == 1
    again = shop.serve().terminal(key=shop.key)
    again.wait_for("0 shown")
    again.open_form("Rex")


def test_a_server_behind_a_balancer_leaves_its_port_at_once(serve_ssh: Serve) -> None:
    server = serve_ssh("--demo", "--workers=2", "--trusted-proxies=192.0.2.1")
    terminal = server.connect()
    assert server.administer("--drain").stdout == "1 session left; it ends after the last one\n"

    def is_refused() -> bool:
        try:
            socket.create_connection(("127.0.0.1", server.port)).close()
        except ConnectionRefusedError:
            return True
        return False

    wait_until(is_refused, "the end of its port")
    terminal.quit()
    assert server.process.wait(PATIENCE) == 0


# Two versions beside each other


def refused(shop: Shop) -> str:
    """Return why a server cannot start beside another one."""
    keys = f"--authorized-keys={shop.home / 'authorized_keys'}"
    ended = finished([*SSH_PROGRAM, "--profile=shop", keys], shop.environment)
    assert ended.returncode == 2
    return ended.stderr


def test_one_that_reads_another_state_does_not_start_beside_one_that_runs(shop: Shop) -> None:
    server = shop.serve()
    locks = shop.state / "unattended"
    wait_until(lambda: any(locks.glob("shop-*.v*")), "a worker")
    [held] = locks.glob("shop-*.v*")
    other = held.with_name(held.name.replace(f".v{VERSION}", ".v1"))
    held.rename(other)
    assert f"version 1 of their directory; this one has {VERSION}; end it" in refused(shop)
    server.stop()
    shop.serve().stop()
