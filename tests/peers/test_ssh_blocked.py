"""Apps that hold up the event loop of all: each ends alone, and the log has its line."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.peers.ssh_server import SshServer, need_ssh
from tests.peers.terminal import QUIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

# Its user's name is what the app runs at once; "nothing" is a neighbour.
APP = """
import functools, time
from textual.app import App
from textual.widgets import Label
from pettui.ssh import serve, server

def hold(): time.sleep(600)

class Blocking(App):
    BINDINGS = [("x", "do")]

    def __init__(self, user):
        super().__init__()
        self.what = user.login
        if self.what == "constructor":
            hold()

    def compose(self):
        yield Label(f"ready for {self.what}")

    async def action_do(self):
        getattr(self, self.what)()

    def nothing(self): self.query_one(Label).update("here")
    def sleep(self): hold()

    def loop(self):
        while True:
            try:
                int("no number")
            except Exception:
                pass

    def caught(self):
        try:
            hold()
        except BaseException:
            pass

    def c(self): sum(range(10 ** 15))

server.SshOptions = functools.partial(server.SshOptions, unresponsive_after=2.0)
serve(Blocking, port=0)
"""


@pytest.fixture
def blocking(home: Path, environment: Mapping[str, str]) -> Iterator[SshServer]:
    need_ssh()
    (script := home / "blocking.py").write_text(APP)
    server = SshServer(home, environment, program=[sys.executable, str(script)])
    yield server
    server.stop()


HOLDS = {"sleep": "in hold", "constructor": "in hold", "caught": "in hold", "loop": "in loop"}


def test_an_app_that_holds_up_the_others_ends_alone_with_its_line_in_the_log(
    blocking: SshServer,
) -> None:
    with closing(blocking.terminal(user="nothing")) as neighbour:
        neighbour.wait_for("ready")
        for number, (what, where) in enumerate(HOLDS.items(), 1):
            with closing(blocking.terminal(user=what)) as terminal:
                if what != "constructor":
                    terminal.wait_for(f"ready for {what}")
                    terminal.press("x")
                assert (what, terminal.wait_for_end()) == (what, 1)
                assert "a bug in blocking ended this session" in terminal.after_screen()
                terminal.assert_input_restored()
            bug = blocking.wait_for_event("bug", number)
            assert bug["user"] == what
            assert str(bug["reason"]).startswith("pettui.ssh.watchdog.LoopBlockedError: it held up")
            assert "(blocking.py, line " in str(bug["reason"])
            assert str(bug["reason"]).endswith(f"{where})")
        neighbour.press("x")
        neighbour.wait_for("here")
        neighbour.press(QUIT)
        assert neighbour.wait_for_end() == 0
    assert len(blocking.events("bug")) == len(HOLDS)
    assert not blocking.events("worker unresponsive")


def test_where_signals_do_not_reach_the_log_has_the_stack_and_the_process_is_replaced(
    blocking: SshServer,
) -> None:
    with closing(blocking.terminal(user="c")) as terminal:
        terminal.wait_for("ready")
        terminal.press("x")
        assert terminal.wait_for_end() == 255
    stack = str(blocking.wait_for_event("worker unresponsive")["traceback"]).splitlines()
    assert "blocking.py" in stack[-1]
    assert stack[-1].endswith(" in c")
    with closing(blocking.terminal(user="nothing")) as terminal:
        terminal.wait_for("ready")
