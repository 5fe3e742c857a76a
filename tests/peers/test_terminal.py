"""The installed pettui in a real pseudo-terminal, decoded by pyte: how it starts and ends."""

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

from tests.cli.one_shot.shop_service import open_shop
from tests.exhaustive import exhaustive
from tests.peers.terminal import ENTER, ESCAPE, F1, PATIENCE, PROGRAM, QUIT, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.peers.conftest import Start
    from tests.peers.hostile_services import Services

KEY = "sekrit-0123456789"
SERVICE = {"PETTUI_BASE_URL": "http://127.0.0.1:9/v1", "PETTUI_API_KEY": KEY}
NEWEST_SAMPLE = "Mitzi"
ANIMAL = "Bartholomew"


def add(terminal: Terminal, name: str) -> None:
    """Type an animal into the form, and wait until the service has it."""
    terminal.press("a")
    terminal.wait_for("Add an animal", "Name")
    terminal.press(name, "\t", "3", ENTER)
    terminal.wait_until(lambda: re.search(rf"✔ .*{name}", terminal.text) is not None, name)
    terminal.press(ESCAPE)


def quit_app(terminal: Terminal) -> None:
    terminal.press(QUIT)
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()


def test_an_animal_that_was_added_is_there_at_the_next_start_and_private(
    start: Start, home: Path
) -> None:
    first = start()
    first.wait_for("EMBEDDED", NEWEST_SAMPLE, "available")
    add(first, ANIMAL)
    first.wait_for("EMBEDDED", ANIMAL, NEWEST_SAMPLE)
    quit_app(first)
    assert first.after_screen() == ""
    second = start()
    second.wait_for(ANIMAL, NEWEST_SAMPLE)
    quit_app(second)
    ours = [path for path in home.rglob("*") if "pettui" in path.parts]
    assert {path.name for path in ours} >= {"pettui", "store.sqlite3"}
    assert not [path for path in ours if stat.S_IMODE(path.stat().st_mode) & 0o077]


def test_the_demo_keeps_nothing(start: Start, home: Path) -> None:
    terminal = start("--demo")
    terminal.wait_for("DEMO", NEWEST_SAMPLE)
    add(terminal, ANIMAL)
    quit_app(terminal)
    assert not list(home.rglob("*"))


def test_without_a_network_the_last_list_is_there(start: Start, services: Services) -> None:
    shop = open_shop(services)
    shop.pets.append({"id": 1, "name": ANIMAL, "categoryId": 3})
    service = {**SERVICE, "PETTUI_BASE_URL": shop.base_url}
    first = start(**service)
    first.wait_for(ANIMAL)
    quit_app(first)
    services.refuse(shop.server)
    second = start(**service)
    second.wait_for(ANIMAL, "all as of", "connection refused")
    quit_app(second)


def test_many_enters_before_the_first_frame_are_as_many_animals(start: Start) -> None:
    """The terminal is still in cooked mode; a letter of two bytes arrives in two parts."""
    terminal = start("--demo")
    terminal.press(f"aOne\t2{ENTER}Two{ENTER}Zo")
    terminal.wait_for("✔", "One", "Two", "Zo")
    terminal.process.send(b"\xc3")
    terminal.process.send(b"\xab")
    terminal.press(ENTER)
    terminal.wait_for("Zoë")
    terminal.wait_until(lambda: terminal.text.count("✔") == 3, "all three are added")
    terminal.press(ESCAPE)
    quit_app(terminal)


def test_a_carriage_return_with_a_line_feed_is_one_enter(start: Start) -> None:
    """As a terminal in its new line mode (LNM) sends it."""
    terminal = start("--demo")
    terminal.wait_for("DEMO")
    terminal.press("a")
    terminal.wait_for("Add an animal")
    terminal.press("One\t2\r\nTwo\r\n")
    terminal.wait_until(lambda: terminal.text.count("✔") == 2, "both are added")
    assert "a name is required" not in terminal.text


@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, *exhaustive(signal.SIGHUP, signal.SIGUSR1, signal.SIGINT, signal.SIGQUIT)],
)
def test_a_signal_ends_it_and_restores_the_terminal(start: Start, number: signal.Signals) -> None:
    terminal = start("--demo")
    terminal.wait_for(NEWEST_SAMPLE)
    terminal.kill(number)
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()
    assert terminal.after_screen() == ""


def test_what_was_typed_just_before_a_hangup_is_in_the_form_at_the_next_start(
    start: Start,
) -> None:
    first = start()
    first.wait_for(NEWEST_SAMPLE)
    first.press(f"a{ANIMAL}\t3")
    first.wait_for("Add an animal")  # what it was sent in one piece is read
    assert first.hang_up() == 0

    second = start()
    second.wait_for(NEWEST_SAMPLE)
    second.press("a")
    second.wait_for("Add an animal", ANIMAL, "3")
    quit_app(second)


def test_after_quitting_a_line_on_the_terminal_says_what_is_left(
    start: Start, configure: Callable[[str], Path]
) -> None:
    late = str(configure("delay = 60\n"))
    terminal = start(PETTUI_CONFIG=late)
    terminal.press(f"a{ANIMAL}\t3{ENTER}{ESCAPE}")
    terminal.wait_for("EMBEDDED", "1 on the way")
    terminal.press(QUIT)
    terminal.wait_for("1 animal not sent yet", "q Quit")
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    left = "pettui: 1 animal not sent yet; it will be sent at the next start\n"
    assert terminal.after_screen().endswith(left)
    terminal.assert_restored()
    again = start(PETTUI_CONFIG=late)
    again.wait_for("EMBEDDED", "1 on the way")
    again.kill(signal.SIGTERM)  # which asks nothing
    again.wait_for_end()
    assert again.after_screen().endswith(left)


CTRL_C_AT_THE_END = """
import os, signal, sys
from pettui.cli import app, main

def say_late(farewell):
    os.kill(os.getpid(), signal.SIGINT)
    print("farewell")

app.write_farewell = say_late
sys.exit(main(["--demo"]))
"""


def test_ctrl_c_after_the_end_takes_no_word_from_its_last_line(
    environment: Mapping[str, str],
) -> None:
    terminal = Terminal([sys.executable, "-c", CTRL_C_AT_THE_END], environment)
    terminal.wait_for(NEWEST_SAMPLE, " shown")
    quit_app(terminal)
    assert terminal.after_screen() == "farewell\n"


def test_it_ends_well_though_its_standard_output_is_closed(environment: Mapping[str, str]) -> None:
    terminal = Terminal(["/bin/sh", "-c", f"{PROGRAM} --demo >&-"], environment)
    terminal.wait_for(NEWEST_SAMPLE, " shown")
    quit_app(terminal)


def test_a_terminal_that_reads_nothing_does_not_keep_it_from_ending(start: Start) -> None:
    """As with a connection that hangs: nothing is read from the first key on."""
    terminal = start("--demo")
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
    start: Start, home: Path, tmp_path: Path
) -> None:
    broken = break_app(tmp_path, "action_help")
    terminal = start(**SERVICE, PYTHONPATH=broken)
    terminal.wait_for("SERVICE", "refused")
    terminal.press(F1)
    assert terminal.wait_for_end() == 70
    terminal.assert_restored()
    assert terminal.after_screen().count("\n") == 1
    report = report_of(terminal, home)
    assert "ZeroDivisionError: with *** on hand" in report
    assert KEY not in report


def test_a_bug_before_the_first_frame_leaves_one_line_and_a_report(
    start: Start, home: Path, tmp_path: Path
) -> None:
    broken = break_app(tmp_path, "__init__")
    terminal = start(**SERVICE, PYTHONPATH=broken)
    assert terminal.wait_for_end() == 70
    assert terminal.written.count(b"\n") == 1
    assert "ZeroDivisionError: with *** on hand" in report_of(terminal, home)
