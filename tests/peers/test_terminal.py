"""The installed pettui in a real pseudo-terminal: how it starts and ends, and what it sends."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.commands.shop_service import Shop
from tests.exhaustive import exhaustive, exhaustive_rows
from tests.peers.terminal import ENTER, ESCAPE, F1, PROGRAM, QUIT, Terminal
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.peers.conftest import Start
    from tests.peers.hostile_services import Services

KEY = "sekrit-0123456789"
SERVICE = {"PETTUI_BASE_URL": "http://127.0.0.1:9/v1", "PETTUI_API_KEY": KEY}
NEWEST_SAMPLE = "Mitzi"
ANIMAL = "Bartholomew"
KNOWS_FRAMES = "\x1b[?2026;2$y"
BEGIN, END = b"\x1b[?2026h", b"\x1b[?2026l"
TRUE_COLOUR = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


@pytest.fixture
def demo(start: Start) -> Iterator[Terminal]:
    terminal = start("--demo")
    terminal.wait_for(NEWEST_SAMPLE, " shown")
    yield terminal
    terminal.quit()


def add(terminal: Terminal, name: str) -> None:
    """Type an animal into the form, and wait until the service has it."""
    terminal.open_form("Name")
    terminal.press(name, "\t", "3", ENTER)
    terminal.wait_until(lambda: re.search(rf"✔ .*{name}", terminal.text) is not None, name)
    terminal.press(ESCAPE)


def test_an_animal_that_was_added_is_there_at_the_next_start_and_private(
    start: Start, home: Path
) -> None:
    first = start()
    first.wait_for("EMBEDDED", NEWEST_SAMPLE, "available")
    add(first, ANIMAL)
    first.wait_for("EMBEDDED", ANIMAL, NEWEST_SAMPLE)
    first.quit()
    assert first.after_screen() == ""
    second = start()
    second.wait_for(ANIMAL, NEWEST_SAMPLE)
    second.quit()
    ours = [path for path in home.rglob("*") if "pettui" in path.parts]
    assert {path.name for path in ours} >= {"pettui", "store.sqlite3"}
    assert not [path for path in ours if stat.S_IMODE(path.stat().st_mode) & 0o077]


def test_the_demo_keeps_nothing(start: Start, home: Path) -> None:
    terminal = start("--demo")
    terminal.wait_for("DEMO", NEWEST_SAMPLE)
    add(terminal, ANIMAL)
    terminal.quit()
    assert not list(home.rglob("*"))


def test_without_a_network_the_last_list_is_there(start: Start, services: Services) -> None:
    shop = Shop(services)
    shop.pets.append({"id": 1, "name": ANIMAL, "categoryId": 3})
    service = {**SERVICE, "PETTUI_BASE_URL": shop.base_url}
    first = start(**service)
    first.wait_for(ANIMAL)
    first.quit()
    services.refuse(shop.server)
    second = start(**service)
    second.wait_for(ANIMAL, "all animals as of", "connection refused")
    second.quit()


def test_many_enters_before_the_first_frame_are_as_many_animals(start: Start) -> None:
    """The terminal is still in cooked mode; a letter of two bytes arrives in two parts."""
    terminal = start("--demo", ESCDELAY="60000")  # ms between the two, if the machine is busy
    terminal.press(f"aOne\t2{ENTER}Two{ENTER}Zo")
    terminal.wait_for("✔", "One", "Two", "Zo")
    terminal.process.send(b"\xc3")
    terminal.process.send(b"\xab")
    terminal.press(ENTER)
    terminal.wait_for("Zoë")
    terminal.wait_until(lambda: terminal.text.count("✔") == 3, "all three are added")
    terminal.press(ESCAPE)
    terminal.quit()


def test_a_carriage_return_with_a_line_feed_is_one_enter(demo: Terminal) -> None:
    """As a terminal in its new line mode (LNM) sends it."""
    demo.open_form()
    demo.press("One\t2\r\nTwo\r\n")
    demo.wait_until(lambda: demo.text.count("✔") == 2, "both are added")
    assert "a name is required" not in demo.text
    demo.press(ESCAPE)


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
    second.open_form(ANIMAL, "3")
    second.quit()


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


def test_it_ends_well_though_its_standard_output_is_closed(start: Start) -> None:
    terminal = start(program=["/bin/sh", "-c", f"{PROGRAM} --demo >&-"])
    terminal.wait_for(NEWEST_SAMPLE, " shown")
    terminal.quit()


@pytest.fixture
def unread(environment: Mapping[str, str]) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The demo and a terminal of its own, of which nothing is read once the animals are there."""
    ours, its = os.openpty()
    with subprocess.Popen(
        [PROGRAM, "--demo"], env=environment, stdin=its, stdout=its, stderr=its,
        start_new_session=True,
    ) as process:  # fmt: skip
        os.close(its)
        written = b""
        while NEWEST_SAMPLE.encode() not in written:
            written += os.read(ours, 65536)
        yield process, ours
        process.kill()


def test_a_terminal_that_reads_nothing_does_not_keep_it_from_ending(
    unread: tuple[subprocess.Popen[bytes], int],
) -> None:
    """As with a connection that hangs."""
    process, terminal = unread
    os.write(terminal, b"12" * 100)
    process.terminate()
    assert process.wait(PATIENCE) == 0
    os.close(terminal)


def test_a_hangup_without_a_signal_ends_it(unread: tuple[subprocess.Popen[bytes], int]) -> None:
    """SIGHUP reaches only the session that the terminal belongs to."""
    process, terminal = unread
    os.close(terminal)
    assert process.wait(PATIENCE) == 0


BROKEN = """
from pettui.tui.app import PetApp

def broken(self):
    secret = self.session.settings.profile.api_key.reveal()
    raise ZeroDivisionError(f"with {secret} on hand")

PetApp.action_help = broken
"""


def test_a_bug_restores_the_terminal_and_leaves_one_line_and_a_report_without_the_key(
    start: Start, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(BROKEN)
    terminal = start(**SERVICE, PYTHONPATH=str(tmp_path))
    terminal.wait_for("SERVICE", "refused")
    terminal.press(F1)
    assert terminal.wait_for_end() == 70
    terminal.assert_restored()
    assert terminal.after_screen().count("\n") == 1
    assert "stopped by a bug in pettui (ZeroDivisionError)" in terminal.after_screen()
    path = Path(terminal.after_screen().rstrip().rpartition("report: ")[2])
    assert path.is_relative_to(home)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    report = path.read_text()
    assert "ZeroDivisionError: with *** on hand" in report
    assert KEY not in report
    assert KEY.encode() not in terminal.written
    assert b"Traceback" not in terminal.written


def test_a_terminal_with_synchronized_output_gets_large_frames_so(demo: Terminal) -> None:
    assert b"\x1b[?2026$p" in demo.written
    assert BEGIN not in demo.written
    demo.press(KNOWS_FRAMES, F1)
    demo.wait_for("esc Close")
    demo.wait_until(lambda: demo.written.count(BEGIN) == demo.written.count(END) > 0, "a frame")


def test_it_follows_the_terminals_size_and_survives_an_absurd_one(demo: Terminal) -> None:
    """To draw so many cells would take minutes, in which no signal ends it."""
    for rows, columns in ((24, 80), (12, 40), (40, 120)):
        demo.forget()
        demo.resize(rows, columns)
        demo.wait_for(NEWEST_SAMPLE, "shown")
        demo.wait_until(
            lambda rows=rows: len(demo.text.rstrip().splitlines()) in (rows - 1, rows), "all of it"
        )
    for rows, columns in ((65_535, 65_535), (1, 65_535), (65_535, 1), (24, 80)):
        demo.forget()
        demo.resize(rows, columns)
        demo.wait_until(lambda: bool(demo.written), "a frame of that size")
    demo.wait_for(NEWEST_SAMPLE, "shown")


def test_an_id_is_copied_through_the_terminal(demo: Terminal) -> None:
    demo.press("y")
    demo.wait_until(lambda: b"\x1b]52;c;NjA=" in demo.written, "60, in base64")


def kinds_of_colours(written: bytes) -> set[str]:
    """Return which kinds of colours were sent: true, 256, or one of sixteen."""
    sent = b";".join(re.findall(rb"\x1b\[([0-9;]+)m", written)).decode()
    for kind, colour in (("true", r"[34]8;2(;\d+){3}"), ("256", r"[34]8;5;\d+")):
        sent = re.sub(rf"\b{colour}\b", kind, sent)
    return set(re.sub(r"\b(3|4|9|10)[0-7]\b", "16", sent).split(";")) & {"true", "256", "16"}


@pytest.mark.parametrize(
    ("theme", "variables", "kinds"),
    [
        ("dark", {"TERM": "xterm"}, {"16"}),
        ("dark", TRUE_COLOUR, {"true"}),
        *exhaustive_rows(("light", {}, {"256"}), ("ansi", TRUE_COLOUR, {"16"})),
        ("light", {"NO_COLOR": "1"}, set()),
    ],
    ids=str,
)
def test_colours_are_of_the_kind_that_the_terminal_has(
    start: Start, theme: str, variables: dict[str, str], kinds: set[str]
) -> None:
    terminal = start("--demo", "--theme", theme, **variables)
    terminal.wait_for("available", "Quit")
    terminal.press("j", "a", "Bim")
    terminal.wait_for("Add an animal", "Bim")
    terminal.quit()
    assert kinds_of_colours(terminal.written) == kinds


@pytest.mark.parametrize(
    ("variables", "name", "glyph"),
    [
        ({"LANG": ""}, "Señor Orejas", "●"),
        ({"LANG": "C"}, "Se<U+00F1>or Orejas", "*"),
        ({"TERM": "linux"}, "Señor Orejas", "*"),
    ],
    ids=str,
)
def test_characters_are_those_of_the_users_own_locale(
    start: Start, variables: dict[str, str], name: str, glyph: str
) -> None:
    """Python writes LC_CTYPE=C.UTF-8 into the environment for a C locale (PEP 538)."""
    terminal = start("--demo", **variables)
    terminal.wait_for(name, f"{glyph} available")
    terminal.quit()
    if glyph == "*":
        beyond = terminal.written.decode("utf-8")
        assert {character for character in beyond if not character.isascii()} <= set("ñÆøúëÑ")
