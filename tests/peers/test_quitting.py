"""Quitting the installed program, in a real terminal, with animals that did not go out."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.peers.terminal import ENTER, ESCAPE, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PROGRAM = str(Path(sys.executable).with_name("pettui"))
LEFT = "pettui: 2 animals not sent yet; they will be sent at the next start\n"


@pytest.fixture
def configured(environment: Mapping[str, str], tmp_path: Path) -> Mapping[str, str]:
    """Animals that wait for a minute before they go out."""
    configuration = tmp_path / "config.toml"
    configuration.write_text("delay = 60\n")
    return {**environment, "PETTUI_CONFIG": str(configuration)}


@pytest.fixture
def terminal(configured: Mapping[str, str]) -> Iterator[Terminal]:
    """The list, with two animals in the outbox."""
    opened = Terminal([PROGRAM], configured)
    opened.wait_for("EMBEDDED", "available")
    opened.press("a")
    opened.wait_for("Add an animal", "Name")
    opened.press("Bartholomew", "\t", "3", ENTER, "Cornelius", ENTER)
    opened.wait_for("Bartholomew", "Cornelius")
    opened.press(ESCAPE)
    opened.wait_for("EMBEDDED", "2 on the way")
    yield opened
    opened.close()


def test_after_quitting_a_line_on_the_terminal_says_what_is_left(
    terminal: Terminal, configured: Mapping[str, str]
) -> None:
    terminal.press("q")
    terminal.wait_for("2 animals not sent yet", "q Quit")
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    assert terminal.after_screen().endswith(LEFT)
    terminal.assert_restored()
    again = Terminal([PROGRAM], configured)
    again.wait_for("EMBEDDED", "2 on the way")
    again.close()


def test_a_signal_asks_nothing_and_says_the_same(terminal: Terminal) -> None:
    terminal.kill(signal.SIGTERM)
    terminal.wait_for_end()
    assert terminal.after_screen().endswith(LEFT)


def test_what_is_sent_first_leaves_no_line(terminal: Terminal) -> None:
    terminal.press("\x11")
    terminal.wait_for("2 animals not sent yet", "s Send first")
    terminal.press("s")
    assert terminal.wait_for_end() == 0
    assert "not sent yet" not in terminal.after_screen()


def test_ctrl_c_after_the_end_takes_no_word_from_its_last_line(terminal: Terminal) -> None:
    terminal.press("\x11")
    terminal.wait_for("2 animals not sent yet", "q Quit")
    terminal.press("q")
    terminal.wait_until(lambda: b"\x1b[?1049l" in terminal.written, "the screen is given back")
    terminal.do_until_end(lambda: terminal.press("\x03"))
    assert LEFT in re.sub(r"\^C", "", terminal.after_screen()).lstrip("\n")


def test_it_ends_well_though_its_standard_output_is_closed(environment: Mapping[str, str]) -> None:
    terminal = Terminal(["/bin/sh", "-c", f"{PROGRAM} --demo >&-"], environment)
    terminal.wait_for("Mitzi", " shown")
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()
