"""Other Textual apps over SSH, as their authors serve them, and OpenSSH's client."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.peers.ssh_server import SshServer, need_ssh, write_key
from tests.peers.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Serve = Callable[..., SshServer]

CLOCK = """
from textual.app import App
from textual.widgets import Label

class Clock(App):
    CSS_PATH = "clock.tcss"
    takes_command = True

    def __init__(self, someone, colour="red"):
        super().__init__()
        self.someone = someone

    def compose(self):
        yield Label(f"{self.someone.name} wants {self.someone.command}", markup=False)
"""
GUARDED = """
from pettui.ssh import User, serve

async def authorize(user: User) -> bool:
    with open("asked", "a") as asked:
        print(user.login, user.fingerprint, file=asked)
    if user.login == "carl":
        raise ValueError("carl")
    return user.login == "anna"

serve("clock:Clock", port=0, authorize=authorize)
"""


@pytest.fixture
def clock(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with a plain app and its styles."""
    monkeypatch.chdir(home)
    (home / "clock.py").write_text(CLOCK)
    (home / "clock.tcss").write_text("Clock Label { border: ascii red; }")
    return home


def test_a_plain_app_of_a_module_here_is_served_with_its_styles(
    clock: Path, serve_ssh: Serve
) -> None:
    server = serve_ssh("--app=clock:Clock", "--workers=1")
    assert "serving clock over SSH" in server.log
    terminal = server.terminal(user="anna")
    terminal.wait_for("anna wants", "+---")
    terminal.quit()
    assert server.wait_for_event("end")["reason"] == "quit"


def test_the_words_of_a_command_line_reach_an_app_that_takes_them(
    clock: Path, serve_ssh: Serve, environment: Mapping[str, str]
) -> None:
    server = serve_ssh("--app=clock:Clock", "--workers=1")
    words = [*server.words("-t", user="anna"), "tea;", "rm -r *"]
    terminal = Terminal(words, environment)
    terminal.wait_for("anna wants tea; rm -r *")
    terminal.quit()
    assert "needs a terminal" in server.run(command="tea").stderr


def test_only_whom_the_app_allows_gets_in_and_it_is_asked_once_a_key(
    clock: Path, environment: Mapping[str, str]
) -> None:
    need_ssh()
    script = clock / "guarded.py"
    script.write_text(GUARDED)
    server = SshServer(clock, environment, program=[sys.executable, str(script)])
    key = write_key(clock / "id")
    terminal = server.terminal(user="anna", key=clock / "id")
    terminal.wait_for("anna wants")
    terminal.quit()
    assert (clock / "asked").read_text() == f"anna {key.get_fingerprint()}\n"
    for user in ("ben", "carl"):
        refused = server.terminal(user=user, key=clock / "id")
        refused.wait_for("Permission denied (publickey)")
        assert server.wait_for_event("login refused")["reason"] == "not authorized"
    assert "ValueError" in server.wait_for_event("bug")["reason"]
    refused = server.terminal(user="anna")
    refused.wait_for("Permission denied (publickey)")
    assert server.stop() == 0
