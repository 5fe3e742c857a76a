"""How the local app handles its terminal's modes, sizes and pastes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.peers.terminal import F1, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PROGRAM = str(Path(sys.executable).with_name("pettui"))
KNOWS_FRAMES = "\x1b[?2026;2$y"
BEGIN, END = b"\x1b[?2026h", b"\x1b[?2026l"


@pytest.fixture
def demo(environment: Mapping[str, str]) -> Iterator[Terminal]:
    terminal = Terminal([PROGRAM, "--demo"], environment)
    terminal.wait_for("Mitzi", " shown")
    yield terminal
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()


def test_a_terminal_with_synchronized_output_gets_large_frames_so(demo: Terminal) -> None:
    assert b"\x1b[?2026$p" in demo.written
    assert BEGIN not in demo.written
    demo.press(KNOWS_FRAMES, F1)
    demo.wait_for("esc Close")
    demo.wait_until(lambda: demo.written.count(BEGIN) == demo.written.count(END) > 0, "a frame")


def test_it_follows_the_terminals_size(demo: Terminal) -> None:
    for rows, columns in ((24, 80), (12, 40), (40, 120)):
        demo.forget()
        demo.resize(rows, columns)
        demo.wait_for("Mitzi", "shown")
        demo.wait_until(
            lambda rows=rows: len(demo.text.rstrip().splitlines()) in (rows - 1, rows), "all of it"
        )


def test_an_absurd_size_is_survived(demo: Terminal) -> None:
    """To draw so many cells would take minutes, in which no signal ends it."""
    for rows, columns in ((65_535, 65_535), (1, 65_535), (65_535, 1), (24, 80)):
        demo.forget()
        demo.resize(rows, columns)
        demo.wait_until(lambda: bool(demo.written), "a frame of that size")
    demo.wait_for("Mitzi", "shown")


def test_absurd_variables_for_the_size_are_survived(environment: Mapping[str, str]) -> None:
    sizes = {"COLUMNS": "4000000000", "LINES": "4000000000"}
    terminal = Terminal([PROGRAM, "--demo"], {**environment, **sizes})
    terminal.wait_until(lambda: b"Mitzi" in terminal.written, "the animals")
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()


def test_an_id_is_copied_through_the_terminal(demo: Terminal) -> None:
    demo.press("y")
    demo.wait_until(lambda: b"\x1b]52;c;NjA=" in demo.written, "60, in base64")
