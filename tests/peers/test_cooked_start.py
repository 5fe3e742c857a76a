"""Keys typed while the program starts and the terminal is still in cooked mode."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.peers.terminal import ENTER, ESCAPE, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PROGRAM = str(Path(sys.executable).with_name("pettui"))


@pytest.fixture
def terminal(environment: Mapping[str, str], tmp_path: Path) -> Iterator[Terminal]:
    """The installed program, just started: nothing of it stands on the screen yet."""
    configuration = tmp_path / "config.toml"
    configuration.write_text("delay = 0\n")
    terminal = Terminal([PROGRAM, "--demo"], {**environment, "PETTUI_CONFIG": str(configuration)})
    yield terminal
    terminal.close()


def quit_app(terminal: Terminal) -> None:
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()


def test_many_enters_before_the_first_frame_are_as_many_animals(terminal: Terminal) -> None:
    """A letter of two bytes that arrives in two parts is one, too."""
    terminal.press(f"aOne\t2{ENTER}Two{ENTER}Zo")
    terminal.wait_for("✔", "One", "Two", "Zo")
    terminal.process.send(b"\xc3")
    terminal.process.send(b"\xab")
    terminal.press(ENTER)
    terminal.wait_for("Zoë")
    terminal.wait_until(lambda: terminal.text.count("✔") == 3, "all three are added")
    terminal.press(ESCAPE)
    quit_app(terminal)


def test_a_carriage_return_with_a_line_feed_is_one_enter(terminal: Terminal) -> None:
    """As a terminal in its new line mode (LNM) sends it."""
    terminal.wait_for("DEMO")
    terminal.press("a")
    terminal.wait_for("Add an animal")
    terminal.press("One\t2\r\nTwo\r\n")
    terminal.wait_until(lambda: terminal.text.count("✔") == 2, "both are added")
    assert "a name is required" not in terminal.text
    quit_app(terminal)


def test_moves_before_the_first_frame_count_from_the_first_animal(terminal: Terminal) -> None:
    terminal.press(f"jj{ENTER}")
    terminal.wait_for("Blackjack", "3 of ")
    quit_app(terminal)
