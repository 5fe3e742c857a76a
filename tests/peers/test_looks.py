"""The installed pettui on terminals of different kinds: the colours and characters it sends."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.peers.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Open = Callable[..., Terminal]

PROGRAM = str(Path(sys.executable).with_name("pettui"))
SGR = re.compile(rb"\x1b\[([0-9;]*)m")


@pytest.fixture
def open_app(environment: Mapping[str, str]) -> Iterator[Open]:
    """Open the app in a terminal with these variables; it is ended with the test."""
    terminals: list[Terminal] = []

    def open_app(*words: str, **variables: str) -> Terminal:
        usual = {name: value for name, value in environment.items() if name not in ("LANG", "TERM")}
        terminals.append(Terminal([PROGRAM, *words], {**usual, **variables}))
        return terminals[-1]

    yield open_app
    for terminal in terminals:
        terminal.close()


@pytest.fixture
def open_demo(open_app: Open) -> Open:
    """Open the demo."""
    return partial(open_app, "--demo")


def visit(terminal: Terminal) -> None:
    """See the list, the help, an animal and the form, and quit."""
    terminal.wait_for("available", "Quit")
    terminal.press("j", "?")
    terminal.wait_for("Close")
    terminal.press("\x1b", "\r")
    terminal.wait_for("esc Back")
    terminal.press("\x1b", "a", "Bim")
    terminal.wait_for("Add an animal", "Bim")
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0


def kinds_of_colours(written: bytes) -> set[str]:
    """Return which kinds of colours were sent: true, 256, or one of sixteen."""
    kinds = set()
    for match in SGR.finditer(written):
        codes = [int(code or 0) for code in match[1].split(b";")]
        while codes:
            code = codes.pop(0)
            if code in (38, 48):
                is_true = codes.pop(0) == 2
                kinds.add("true" if is_true else "256")
                del codes[: 3 if is_true else 1]
            elif code in (*range(30, 38), *range(40, 48), *range(90, 98), *range(100, 108)):
                kinds.add("16")
    return kinds


@pytest.mark.parametrize(
    ("theme", "variables", "kinds"),
    [
        ("dark", {"TERM": "xterm"}, {"16"}),
        ("light", {"TERM": "xterm-256color"}, {"256"}),
        ("dark", {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, {"true"}),
        ("ansi", {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, {"16"}),
        ("light", {"TERM": "xterm-256color", "NO_COLOR": "1"}, set()),
    ],
    ids=str,
)
def test_colours_are_of_the_kind_that_the_terminal_has(
    open_demo: Open, theme: str, variables: dict[str, str], kinds: set[str]
) -> None:
    terminal = open_demo("--theme", theme, LANG="C.UTF-8", **variables)
    visit(terminal)
    assert kinds_of_colours(terminal.written) == kinds


@pytest.mark.parametrize(
    ("variables", "name", "glyph"),
    [
        ({}, "Señor Orejas", "●"),
        ({"LANG": "C"}, "Se<U+00F1>or Orejas", "*"),
        ({"LANG": "C.UTF-8", "TERM": "linux"}, "Señor Orejas", "*"),
    ],
    ids=str,
)
def test_characters_are_those_of_the_users_own_locale(
    open_demo: Open, variables: dict[str, str], name: str, glyph: str
) -> None:
    """Python writes LC_CTYPE=C.UTF-8 into the environment for a C locale (PEP 538)."""
    terminal = open_demo(**{"TERM": "xterm-256color", **variables})
    terminal.wait_for(name, f"{glyph} available")
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0
    if glyph == "*":
        beyond = terminal.written.decode("utf-8")
        assert {character for character in beyond if not character.isascii()} <= set("ñÆøúëÑ")


BACKGROUNDS = {"dark": b"48;2;21;25;30", "light": b"48;2;252;251;248", "ansi": b"\x1b[39;49m"}


def theme_of(terminal: Terminal) -> str:
    """Return the theme of the list, by its background, and quit."""
    terminal.wait_for("available", "Quit")
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0
    first = terminal.written
    return next((name for name in ("dark", "light") if BACKGROUNDS[name] in first), "ansi")


def test_a_theme_that_was_chosen_is_there_at_the_next_start(open_app: Open, tmp_path: Path) -> None:
    """An option takes precedence, then the chosen one, then the file."""
    configuration = tmp_path / "config.toml"
    configuration.write_text('theme = "ansi"\n')
    usual = {
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "PETTUI_CONFIG": str(configuration),
    }

    terminal = open_app(**usual)
    terminal.wait_for("available", "Quit")
    terminal.press(":", "light")
    terminal.wait_for("Theme: light")
    terminal.press("\r", "\x11")
    assert terminal.wait_for_end() == 0
    assert theme_of(open_app(**usual)) == "light"
    assert theme_of(open_app("--theme", "dark", **usual)) == "dark"


def test_a_theme_that_cannot_be_kept_is_no_failure(open_demo: Open, home: Path) -> None:
    (home / ".local").write_text("no directory")
    terminal = open_demo(TERM="xterm-256color")
    terminal.wait_for("available", "Quit")
    terminal.press(":", "light")
    terminal.wait_for("Theme: light")
    terminal.press("\r")
    terminal.wait_until(lambda: "╭" not in terminal.text, "the list")
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0
