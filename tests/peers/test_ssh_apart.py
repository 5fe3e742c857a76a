"""Apps of anybody's own, served to OpenSSH's client: they are apart, and say what they have to."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.peers.ssh_server import SshServer, need_ssh
from tests.peers.terminal import QUIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    ServeApp = Callable[[str], SshServer]

# Its user's name is what the app runs at once; "nothing" is a neighbour.
APP = """
import asyncio, os, socket, sys, threading
from contextlib import suppress
from textual.app import App
from textual.widgets import Label
from pettui.ssh import ServedApp, serve

async def leave():
    await asyncio.sleep(0)
    sys.exit(9)

def loop():
    return asyncio.get_running_loop()

class Leaver(Label):
    def on_mount(self):
        sys.exit(9)

class Apart(ServedApp[None], App):
    BINDINGS = [("x", "do")]

    def __init__(self, user):
        super().__init__()
        self.what = user.login
        if self.what == "constructor":
            sys.exit(9)

    def compose(self):
        if self.what == "compose":
            sys.exit(9)
        yield Label(f"ready for {self.what}")

    async def action_do(self):
        result = getattr(self, self.what)()
        if asyncio.iscoroutine(result):
            await result

    def nothing(self): self.query_one(Label).update("here")
    def action(self): sys.exit(9)
    def interrupt(self): raise KeyboardInterrupt
    def words(self): sys.exit("no [b]words[/b]")
    def usual(self): sys.exit()
    def timer(self): self.set_timer(0.01, lambda: sys.exit(9))
    def soon(self): loop().call_soon(sys.exit, 9)
    def later(self): loop().call_later(0.01, sys.exit, 9)
    def worker(self): self.run_worker(leave())
    def thread(self): self.run_worker(lambda: sys.exit(9), thread=True)
    def called(self): threading.Thread(target=self.call).start()
    def safely(self): loop().call_soon_threadsafe(sys.exit, 9)
    def widget(self): self.mount(Leaver())

    def call(self):
        with suppress(Exception):
            self.call_from_thread(sys.exit, 9)

    def task(self):
        self.kept = asyncio.create_task(leave())

    def done(self):
        future = loop().create_future()
        future.add_done_callback(lambda _: sys.exit(9))
        future.set_result(None)

    def reader(self):
        self.ends = socket.socketpair()
        loop().add_reader(self.ends[0], sys.exit, 9)
        self.ends[1].send(b"x")

    async def awaiting(self):
        try:
            await asyncio.create_task(leave())
        except Exception as error:
            self.exit(return_code=33, message=type(error).__name__)

    def code(self): self.exit(return_code=7, message="[b]bye[/b] and \\x1b[31mthanks")
    def stop(self): loop().stop()
    def crash(self): os._exit(3)

serve(Apart, port=0)
"""


@pytest.fixture
def serve_app(home: Path, environment: Mapping[str, str]) -> Iterator[ServeApp]:
    """Serves the app that a script makes; the log may have tracebacks of its bugs."""
    need_ssh()
    with ExitStack() as running:

        def serve_app(script: str) -> SshServer:
            server = SshServer(home, environment, program=[sys.executable, "-c", script])
            running.callback(server.stop)
            return server

        yield serve_app


@pytest.fixture
def apart(serve_app: ServeApp) -> SshServer:
    return serve_app(APP)


ENDS = {
    **dict.fromkeys(
        ("constructor", "compose", "action", "timer", "soon", "later", "done", "task", "worker",
         "thread", "called", "safely", "widget", "reader"), (9, ""),
    ),
    "interrupt": (130, ""), "words": (1, "no [b]words[/b]"), "usual": (0, ""),
}  # fmt: skip


def test_wherever_an_app_exits_it_ends_as_a_program_would_and_alone(apart: SshServer) -> None:
    """Also later, when what it left behind, such as a reader, would exit again."""
    neighbour = apart.terminal(user="nothing")
    neighbour.wait_for("ready")
    for what, (code, said) in ENDS.items():
        terminal = apart.terminal(user=what)
        if what not in ("constructor", "compose"):
            terminal.wait_for(f"ready for {what}")
            terminal.press("x")
        assert (what, terminal.wait_for_end()) == (what, code)
        assert terminal.after_screen().strip() == said
        terminal.assert_input_restored()
    neighbour.press("x")
    neighbour.wait_for("here")
    neighbour.press(QUIT)
    assert neighbour.wait_for_end() == 0
    apart.wait_for_event("end", len(ENDS) + 1)
    assert not apart.events("bug")


def test_who_awaits_what_ended_an_app_gets_an_ordinary_exception(apart: SshServer) -> None:
    terminal = apart.terminal(user="awaiting")
    terminal.wait_for("ready")
    terminal.press("x")
    assert terminal.wait_for_end() == 33
    assert terminal.after_screen().strip() == "AppEndedError"
    assert not apart.events("bug")


def test_an_app_says_its_code_and_its_last_words_once_the_screen_is_restored(
    apart: SshServer,
) -> None:
    terminal = apart.terminal(user="code")
    terminal.wait_for("ready")
    terminal.press("x")
    assert terminal.wait_for_end() == 7
    terminal.assert_restored()
    assert "bye and " in terminal.after_screen()
    assert b"\x1b[31m" not in terminal.written


def test_a_process_that_fails_says_so_to_its_users_and_in_the_log(apart: SshServer) -> None:
    neighbour, stopping = (apart.terminal(user=user) for user in ("nothing", "stop"))
    for terminal in (neighbour, stopping):
        terminal.wait_for("ready")
    stopping.press("x")
    for terminal in (neighbour, stopping):
        assert terminal.wait_for_end() == 1
        terminal.assert_restored()
        assert "a bug in apart ended this session" in terminal.after_screen()
    apart.wait_for_event("end", 2)
    assert {one["reason"] for one in apart.events("end")} == {"crashed"}
    assert apart.wait_for_event("bug")


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_process_that_just_dies_has_the_ends_of_its_sessions_in_the_log(
    apart: SshServer, is_killed: bool
) -> None:
    neighbour, crashing = (apart.terminal(user=user) for user in ("nothing", "crash"))
    for terminal in (neighbour, crashing):
        terminal.wait_for("ready")
    if is_killed:
        os.kill(apart.workers[0], signal.SIGKILL)
    else:
        crashing.press("x")
    for terminal in (neighbour, crashing):
        assert terminal.wait_for_end() == 255
        terminal.assert_input_restored()
    apart.wait_for_event("end", 2)
    assert {one["reason"] for one in apart.events("end")} == {"worker ended"}
