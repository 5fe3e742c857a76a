"""ctrl+z and fg: the terminal is given to the shell and taken again."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import exhaustive, product
from tests.peers.terminal import PROGRAM, QUIT, Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.peers.conftest import Start

SUSPEND = "\x1a"
KITTY_SUSPEND = "\x1b[122;5u"


@pytest.fixture
def shell(start: Start, tmp_path: Path) -> Terminal:
    """Open a shell with job control, which says when it waits for a command."""
    words = ["/bin/bash", "--norc", "--noprofile", "-i"]
    line_editor = tmp_path / "inputrc"
    line_editor.write_text("set enable-bracketed-paste off\n")
    terminal = start(program=words, PS1="ready> ", HISTFILE="", INPUTRC=str(line_editor))
    terminal.wait_for("ready>")
    return terminal


def run_demo(shell: Terminal, before: str = "") -> None:
    shell.press(f"{before}{PROGRAM} --demo\r")
    shell.wait_for("Mitzi", " shown")


def wait_until_stopped(shell: Terminal) -> None:
    shell.wait_until(lambda: b"Stopped" in shell.written, "the shell says so")


def is_told(shell: Terminal, state: bytes) -> bool:
    """Whether the shell knows of a job in this state; it is asked each time."""
    shell.press("jobs\r")
    return state in shell.written


def assert_takes_commands(shell: Terminal) -> None:
    shell.press("echo $((6 * 7))\r")
    shell.wait_until(lambda: b"42" in shell.written, "the shell takes commands")


def assert_takes_keys(terminal: Terminal) -> None:
    terminal.wait_for("Mitzi", " shown")
    terminal.press("j")
    terminal.wait_for("▌    59")


def quit_app(shell: Terminal) -> None:
    shell.press(QUIT)
    shell.wait_until(lambda: shell.written.endswith(b"ready> "), "the shell is back")
    shell.assert_modes_restored()


@pytest.mark.parametrize(
    ("command", "key"),
    product([f"{PROGRAM} --demo", f"sh -c '{PROGRAM} --demo; true'"], [SUSPEND, KITTY_SUSPEND]),
    ids=["it", "it, kitty's", "sh", "sh, kitty's"],
)
def test_ctrl_z_gives_the_terminal_to_the_shell_and_fg_redraws_it(
    shell: Terminal, command: str, key: str
) -> None:
    shell.press(f"clear; {command}\r")
    shell.wait_for("Mitzi", " shown")
    shell.open_form()
    shell.press("Kit", key)
    wait_until_stopped(shell)
    shell.assert_modes_restored()
    assert_takes_commands(shell)

    shell.forget()
    shell.press("fg\r")
    shell.wait_for("Add an animal", "Kit")
    shell.press("ty")
    shell.wait_for("Kitty")
    shell.press(key)
    wait_until_stopped(shell)
    shell.forget()
    shell.press("fg\r")
    shell.wait_for("Kitty")  # as long as the shell has the terminal, ctrl+q continues output
    quit_app(shell)


def test_ctrl_z_does_nothing_where_no_shell_could_continue_it(start: Start) -> None:
    terminal = start("--demo")
    terminal.wait_for("Mitzi", " shown")
    terminal.press(SUSPEND, "j")
    terminal.wait_for("▌    59")
    terminal.quit()


@pytest.mark.parametrize("is_continued", [False, True], ids=["started", "continued"])
def test_in_the_background_it_leaves_the_terminal_to_the_shell(
    shell: Terminal, is_continued: bool
) -> None:
    if is_continued:
        run_demo(shell)
        shell.press(SUSPEND)
        wait_until_stopped(shell)
        shell.forget()
    shell.press("bg\r" if is_continued else f"{PROGRAM} --demo &\r")
    assert_takes_commands(shell)
    shell.wait_until(lambda: is_told(shell, b"Stopped"), "it is stopped")
    assert b"\x1b[?1049h" not in shell.written
    shell.press("fg\r")
    assert_takes_keys(shell)
    quit_app(shell)


def test_what_kill_stopped_is_redrawn_in_the_terminals_new_size(shell: Terminal) -> None:
    run_demo(shell)
    os.kill(shell.foreground(), signal.SIGSTOP)
    wait_until_stopped(shell)
    shell.resize(20, 70)
    shell.forget()
    shell.press("fg\r")
    assert_takes_keys(shell)
    assert max(len(line) for line in shell.text.splitlines()) <= 70
    quit_app(shell)


@pytest.mark.parametrize("end", ["TERM", *exhaustive("HUP")])
def test_a_signal_ends_what_was_stopped_and_the_shell_keeps_the_terminal(
    shell: Terminal, end: str, tmp_path: Path
) -> None:
    """bash continues a job that it sends one of these two."""
    modes = tmp_path / "modes"
    run_demo(shell, f"stty -a > {modes}; ")
    os.kill(shell.foreground(), signal.SIGTSTP)
    wait_until_stopped(shell)
    shell.press(f"kill -{end} %1\r")
    shell.wait_until(lambda: is_told(shell, b"Done"), "it has ended")
    shell.assert_modes_restored()
    shell.press(f"stty -a | cmp {modes} && echo $((6 * 7))\r")
    shell.wait_until(lambda: b"42" in shell.written, "the modes are as they were")
