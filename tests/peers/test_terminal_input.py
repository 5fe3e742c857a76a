"""Any bytes from a terminal: pettui goes on, and the keys among them count."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.peers.terminal import Terminal
from tests.terminal.recorded_answers import OTHERS, TERMINALS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PROGRAM = str(Path(sys.executable).with_name("pettui"))
QUIT = "\x11"


@pytest.fixture
def demo(environment: Mapping[str, str]) -> Iterator[Terminal]:
    """Open the demo, and wait for its animals."""
    terminal = Terminal([PROGRAM, "--demo"], environment)
    terminal.wait_for("DEMO", "Mitzi", " shown")
    yield terminal
    terminal.close()


def quit_demo(demo: Terminal) -> None:
    demo.press(QUIT)
    assert demo.wait_for_end() == 0
    demo.assert_restored()
    assert demo.after_screen() == ""


def test_late_replies_of_the_terminal_are_not_typed(demo: Terminal) -> None:
    demo.press("a")
    demo.wait_for("Add an animal", "Name")
    demo.process.send(b"<")
    for answer in (*TERMINALS.values(), *OTHERS.values()):
        demo.process.send(answer[:5])
        demo.process.send(answer[5:])
    demo.process.send(b">")
    demo.wait_for("<>")
    quit_demo(demo)


def test_a_flood_of_any_bytes_does_not_end_it(demo: Terminal) -> None:
    demo.press("a")
    demo.wait_for("Add an animal", "Name")
    every = bytes(byte for byte in range(256) if chr(byte) not in "\x11\x1b")
    demo.process.send(every + b"\x1b[" + every + b"\x1bO" + every + b"\x1b]1" + every)
    demo.process.send(b"\x1b[<0;0;0M\x1b[48;0;0;0;0t\x1b[8;0;0t\x1b[<0;99999;99999M")
    quit_demo(demo)
