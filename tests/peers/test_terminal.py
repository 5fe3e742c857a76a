"""The installed pettui in a real pseudo-terminal, decoded by pyte."""

from __future__ import annotations

import os
import re
import select
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import exhaustive
from tests.peers.terminal import ENTER, ESCAPE, F1, PATIENCE, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Open = Callable[..., Terminal]

PROGRAM = str(Path(sys.executable).with_name("pettui"))
KEY = "sekrit-0123456789"
NEWEST_SAMPLE = "Mitzi"
ANIMAL = "Bartholomew"


@pytest.fixture
def open_pettui(environment: Mapping[str, str], tmp_path: Path) -> Iterator[Open]:
    """Open pettui in a terminal, with no delay before an animal goes out.

    It is ended with the test.
    """
    terminals: list[Terminal] = []
    configuration = tmp_path / "config.toml"
    configuration.write_text("delay = 0\n")
    configured = {**environment, "PETTUI_CONFIG": str(configuration)}

    def open_pettui(*words: str, **more: str) -> Terminal:
        terminals.append(Terminal([PROGRAM, *words], {**configured, **more}))
        return terminals[-1]

    yield open_pettui
    for terminal in terminals:
        terminal.close()


def add(terminal: Terminal, name: str) -> None:
    """Type an animal into the form, and wait until the service has it."""
    terminal.press("a")
    terminal.wait_for("Add an animal", "Name")
    terminal.press(name, "\t", "3", ENTER)
    terminal.wait_until(
        lambda: re.search(rf"✔ .*{name}", terminal.text) is not None, f"{name} is added"
    )
    terminal.press(ESCAPE)


def quit_app(terminal: Terminal) -> None:
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0


def test_an_animal_that_was_added_is_there_at_the_next_start(open_pettui: Open) -> None:
    first = open_pettui()
    first.wait_for("EMBEDDED", NEWEST_SAMPLE, "available")
    add(first, ANIMAL)
    first.wait_for("EMBEDDED", ANIMAL, NEWEST_SAMPLE)
    quit_app(first)
    first.assert_restored()
    assert first.after_screen() == ""

    second = open_pettui()
    second.wait_for(ANIMAL, NEWEST_SAMPLE)
    quit_app(second)


def test_the_store_and_its_directories_are_private(open_pettui: Open, home: Path) -> None:
    terminal = open_pettui()
    terminal.wait_for(NEWEST_SAMPLE)
    add(terminal, ANIMAL)
    quit_app(terminal)
    ours = [path for path in home.rglob("*") if "pettui" in path.parts]
    assert {path.name for path in ours} >= {"pettui", "store.sqlite3"}
    assert not [path for path in ours if stat.S_IMODE(path.stat().st_mode) & 0o077]


def test_the_demo_keeps_nothing(open_pettui: Open, home: Path) -> None:
    terminal = open_pettui("--demo")
    terminal.wait_for("DEMO", NEWEST_SAMPLE)
    add(terminal, ANIMAL)
    quit_app(terminal)
    terminal.assert_restored()
    assert not list(home.rglob("*"))


def test_two_apps_on_one_file_see_each_others_animals(open_pettui: Open) -> None:
    first, second = open_pettui(), open_pettui()
    first.wait_for(NEWEST_SAMPLE)
    second.wait_for(NEWEST_SAMPLE)
    add(first, "Castor")
    add(second, "Pollux")
    first.press("r")
    first.wait_for("Castor", "Pollux")
    second.press("r")
    second.wait_for("Castor", "Pollux")
    quit_app(first)
    quit_app(second)


@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, *exhaustive(signal.SIGHUP, signal.SIGUSR1, signal.SIGINT, signal.SIGQUIT)],
)
def test_a_signal_ends_it_and_restores_the_terminal(
    open_pettui: Open, number: signal.Signals
) -> None:
    terminal = open_pettui("--demo")
    terminal.wait_for(NEWEST_SAMPLE)
    terminal.kill(number)
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()
    assert terminal.after_screen() == ""


def test_what_was_typed_just_before_a_hangup_is_in_the_form_at_the_next_start(
    open_pettui: Open,
) -> None:
    first = open_pettui()
    first.wait_for(NEWEST_SAMPLE)
    first.press(f"a{ANIMAL}\t3")
    first.wait_for("Add an animal")  # what it was sent in one piece is read
    assert first.hang_up() == 0

    second = open_pettui()
    second.wait_for(NEWEST_SAMPLE)
    second.press("a")
    second.wait_for("Add an animal", ANIMAL, "3")
    quit_app(second)


def test_a_terminal_that_reads_nothing_does_not_keep_it_from_ending(open_pettui: Open) -> None:
    """As with a connection that hangs: nothing is read from the first key on."""
    terminal = open_pettui("--demo")
    terminal.wait_for(NEWEST_SAMPLE)
    terminal.press(*["12"] * 100)
    process = os.pidfd_open(terminal.process.pid)
    terminal.kill(signal.SIGTERM)
    ended, _, _ = select.select([process], [], [], PATIENCE)
    os.close(process)
    if not ended:
        os.kill(terminal.process.pid, signal.SIGKILL)
    _, status = os.waitpid(terminal.process.pid, 0)
    os.close(terminal.process.child_fd)
    terminal.process.closed = True
    assert os.waitstatus_to_exitcode(status) == 0


def test_a_hangup_without_a_signal_ends_it(
    environment: Mapping[str, str],
) -> None:
    """SIGHUP reaches only the session that the terminal belongs to."""
    ours, its = os.openpty()
    process = subprocess.Popen(
        [PROGRAM, "--demo"], env=environment, stdin=its, stdout=its, stderr=its,
        start_new_session=True,
    )  # fmt: skip
    os.close(its)
    written = b""
    while NEWEST_SAMPLE.encode() not in written:
        written += os.read(ours, 65536)
    os.close(ours)
    assert process.wait(PATIENCE) == 0


def break_app(directory: Path, method: str) -> str:
    """Return a PYTHONPATH that puts a bug into a method of the app: it raises, with the key."""
    (directory / "sitecustomize.py").write_text(
        "from pettui.tui.app import PetApp\n"
        "def broken(self, *_arguments, **_options):\n"
        "    settings = _arguments[1] if _arguments else self.session.settings\n"
        "    secret = settings.profile.api_key.reveal()\n"
        "    raise ZeroDivisionError(f'with {secret} on hand')\n"
        f"PetApp.{method} = broken\n"
    )
    return str(directory)


def report_of(terminal: Terminal, home: Path) -> str:
    """Check the last line after a crash, and return the report that it names."""
    line = terminal.written.decode().rstrip().splitlines()[-1]
    path = Path(line.rpartition("report: ")[2])
    assert "stopped by a bug in pettui (ZeroDivisionError)" in line
    assert path.is_relative_to(home)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert KEY.encode() not in terminal.written
    assert b"Traceback" not in terminal.written
    return path.read_text()


def test_a_bug_restores_the_terminal_and_leaves_one_line_and_a_report_without_the_key(
    open_pettui: Open, home: Path, tmp_path: Path
) -> None:
    broken = break_app(tmp_path, "action_help")
    terminal = open_pettui(
        "--base-url", "http://127.0.0.1:9/v1", PETTUI_API_KEY=KEY, PYTHONPATH=broken
    )
    terminal.wait_for("SERVICE", "refused")
    terminal.press(F1)
    assert terminal.wait_for_end() == 70
    terminal.assert_restored()
    assert terminal.after_screen().count("\n") == 1
    report = report_of(terminal, home)
    assert "ZeroDivisionError: with *** on hand" in report
    assert KEY not in report


def test_a_bug_before_the_first_frame_leaves_one_line_and_a_report(
    open_pettui: Open, home: Path, tmp_path: Path
) -> None:
    broken = break_app(tmp_path, "__init__")
    terminal = open_pettui(
        "--base-url", "http://127.0.0.1:9/v1", PETTUI_API_KEY=KEY, PYTHONPATH=broken
    )
    assert terminal.wait_for_end() == 70
    assert terminal.written.count(b"\n") == 1
    assert "ZeroDivisionError: with *** on hand" in report_of(terminal, home)
