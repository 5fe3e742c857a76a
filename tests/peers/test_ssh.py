"""``pettui ssh``, and the OpenSSH client in a real pseudo-terminal, decoded by pyte."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.peers.ssh_server import SshServer, need_ssh
from tests.peers.terminal import ENTER, ESCAPE, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    Open = Callable[..., Terminal]

NEWEST_SAMPLE = "Mitzi"
DOWN, F9 = "\x1b[B", "\x1b[20~"
TAKES_SCREEN, CLEARS = b"\x1b[?1049h", b"\x1b[2J"
TRUE_COLOUR, MANY_COLOURS = re.compile(rb"[34]8;2;"), re.compile(rb"[34]8;5;")


@pytest.fixture
def server(home: Path, environment: Mapping[str, str], tmp_path: Path) -> Iterator[SshServer]:
    """A demo, with no delay before an animal goes out."""
    need_ssh()
    configuration = tmp_path / "config.toml"
    configuration.write_text("delay = 0\n")
    server = SshServer(home, {**environment, "PETTUI_CONFIG": str(configuration)}, "--workers=1")
    yield server
    assert server.stop() == 0


@pytest.fixture
def connect(server: SshServer) -> Iterator[Open]:
    """Connect; what is still open at the end of the test is cut."""
    terminals: list[Terminal] = []

    def connect(*options: str, **more: object) -> Terminal:
        terminals.append(server.terminal(*options, **more))  # type: ignore[arg-type]
        terminals[-1].wait_for("DEMO", NEWEST_SAMPLE)
        return terminals[-1]

    yield connect
    for terminal in terminals:
        terminal.close()


def quit_app(terminal: Terminal) -> None:
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()


def add(terminal: Terminal, name: str) -> None:
    terminal.press("a")
    terminal.wait_for("Add an animal", "Name")
    terminal.press(name, "\t", "3", ENTER)
    terminal.wait_until(lambda: re.search(rf"[✔v] .*{name}", terminal.text) is not None, "added")
    terminal.press(ESCAPE)


def test_anybody_may_use_the_demo_which_says_that_it_is_one(connect: Open) -> None:
    terminal = connect()
    terminal.wait_for("nothing is kept", "A demo, for you alone")
    quit_app(terminal)
    assert terminal.after_screen() == ""


def test_a_click_puts_the_cursor_on_a_row(connect: Open) -> None:
    terminal = connect()
    terminal.wait_for("Nemo", "Quit")
    row = next(i for i, line in enumerate(terminal.text.splitlines(), 1) if "Nemo" in line)
    terminal.press(f"\x1b[<0;10;{row}M", f"\x1b[<0;10;{row}m")
    terminal.wait_until(lambda: re.search("▌ +41 +Nemo", terminal.text) is not None, "cursor")
    quit_app(terminal)


def test_the_environment_of_the_server_does_not_reach_sessions(
    home: Path, environment: Mapping[str, str]
) -> None:
    need_ssh()
    mine = {"NO_COLOR": "1", "TEXTUAL": "debug", "TEXTUAL_THEME": "nord", "COLORTERM": "truecolor"}
    server = SshServer(home, {**environment, **mine}, "--workers=1")
    terminal = server.terminal()
    terminal.wait_for(NEWEST_SAMPLE)
    quit_app(terminal)
    assert MANY_COLOURS.search(terminal.written)
    assert not TRUE_COLOUR.search(terminal.written)
    assert server.stop() == 0
