"""Names that terminals do not agree on, in tmux: what is beside them stays in its column."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING
from unicodedata import category, east_asian_width

import pytest

from tests.peers.ssh_server import wait_until
from tests.peers.terminal import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

NAMES = [
    "हिन्दी",
    "विद्यालय कुत्ता",
    "தமிழ் பூனை",
    "কুকুর",
    "ಬೆಕ್ಕು",
    "Zoë ● … 🐹",
    "👩\u200d🚀 Valja",
    "שלום רקס 2",
    "قطة سلام",
]
LONG = "ಬೆಕ್ಕು " * 20  # too long for the table: the preview shows it

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")


class Tmux:
    """A tmux server with one pane."""

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str], directory: Path
    ) -> None:
        self._environment = dict(environment)
        self._socket = str(directory / "tmux")
        self.run("new-session", "-d", "-x", "100", "-y", "30", *words)

    def run(self, *words: str) -> str:
        command = ["tmux", "-u", "-f", "/dev/null", "-S", self._socket, *words]
        finished = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=True
        )
        return finished.stdout

    def press(self, *keys: str) -> None:
        """Type keys, by tmux's names for them, or as text."""
        for key in keys:
            self.run("send-keys", *(["-l"] if not key.isascii() else []), key)

    @property
    def lines(self) -> list[str]:
        return self.run("capture-pane", "-p").splitlines()

    def wait_for(self, *texts: str) -> None:
        wait_until(lambda: all(text in "\n".join(self.lines) for text in texts), str(texts))

    def close(self) -> None:
        self.run("kill-server")


@pytest.fixture
def tmux(
    environment: Mapping[str, str], configure: Callable[[str], Path], tmp_path: Path
) -> Iterator[Tmux]:
    its = {**environment, "PETTUI_CONFIG": str(configure("delay = 0\n"))}
    with closing(Tmux([PROGRAM, "--demo"], its, tmp_path)) as tmux:
        yield tmux


@pytest.fixture
def mark_width(environment: Mapping[str, str], tmp_path: Path) -> Iterator[int]:
    """How many cells tmux gives a spacing mark."""
    (tmp_path / "other").mkdir()
    printing = shlex.join(["printf", "हि|"]) + "; cat"
    with closing(Tmux([printing], environment, tmp_path / "other")) as tmux:
        tmux.wait_for("|")
        yield int(tmux.run("display", "-p", "#{cursor_x}")) - 2


def cells(text: str, mark_width: int) -> int:
    """Count the cells of a text in the pane, by tmux's own widths."""
    widths = {"Mn": 0, "Me": 0, "Cf": 0, "Mc": mark_width}
    return sum(widths.get(category(c), 2 if east_asian_width(c) in ("W", "F") else 1) for c in text)


def are_framed(lines: Sequence[str], mark_width: int) -> bool:
    """Whether both borders of the form are in place in each of its rows."""
    rows = [line for line in lines if line.startswith("│")]
    widths = {cells(row, mark_width) for row in rows}
    return widths == {100} and all(row.endswith("│") for row in rows)


def are_in_columns(lines: Sequence[str], mark_width: int) -> bool:
    """Whether all names, their categories and the border of the preview are in place."""
    rows = [line for line in lines if "3 Dogs" in line and "●" not in line.partition("3")[0]]
    categories = {cells(row.partition("3 Dogs")[0], mark_width) for row in rows}
    borders = {cells(line.partition("▏")[0], mark_width) for line in lines if "▏" in line}
    return len(rows) >= len(NAMES) and categories == {39} and len(borders) == 1


def test_names_in_any_script_leave_columns_and_borders_in_place(
    tmux: Tmux, mark_width: int
) -> None:
    tmux.wait_for("Mitzi", " shown")
    tmux.press("a")
    tmux.wait_for("Add an animal")
    tmux.press("Tab", "3", "BTab")
    for number, name in enumerate([LONG, *NAMES], 1):
        tmux.press(name, "Enter")
        tmux.wait_for(f"added this session: {number}")
    wait_until(lambda: are_framed(tmux.lines, mark_width), "the form in its frame")
    tmux.press("Escape")
    tmux.wait_for(" shown", "61")
    tmux.press("r", "j", "j", "k", "G", "g")
    wait_until(lambda: are_in_columns(tmux.lines, mark_width), "the columns in their places")
