"""How many bytes a key costs the terminal that the program was started in."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.peers.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = str(Path(sys.executable).with_name("pettui"))
BYTES_MAXIMUM = 400  # for a move of the cursor: two rows and a few words of a preview
QUIT = "\x11"


def bar(terminal: Terminal) -> str:
    """Return the id under the cursor; "" while more than one row has its sign."""
    found = re.findall(r"^[▌>].. +(\d+)", terminal.text, re.MULTILINE)
    return found[0] if len(found) == 1 else ""


def move(terminal: Terminal, key: str) -> int:
    """Press a key that moves the cursor, and count what came for it."""
    before, sent = bar(terminal), len(terminal.written)
    terminal.press(key)
    terminal.wait_until(lambda: bar(terminal) not in ("", before), "another row has the cursor")
    return len(terminal.written) - sent


def test_moving_the_cursor_costs_few_bytes(environment: Mapping[str, str]) -> None:
    terminal = Terminal([PROGRAM, "--demo"], {**environment, "COLORTERM": "truecolor"})
    terminal.wait_for("Mitzi", " shown")
    for key in "jj":  # the scroll bar comes one frame after the first rows, or after a key's
        move(terminal, key)
    counts = [move(terminal, key) for key in "jjjjkkkjj"]
    assert max(counts) <= BYTES_MAXIMUM
    terminal.press(QUIT)
    assert terminal.wait_for_end() == 0
