"""``pettui ssh``, and the OpenSSH client in a real pseudo-terminal, decoded by pyte."""

from __future__ import annotations

import re
import signal
import time
from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import WHOLE, exhaustive_rows
from tests.peers.ssh_server import SshServer, need_ssh
from tests.peers.terminal import ENTER, ESCAPE, F1, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    Open = Callable[..., Terminal]

NEWEST_SAMPLE = "Mitzi"
DOWN, F9 = "\x1b[B", "\x1b[20~"
TAKES_SCREEN, CLEARS = b"\x1b[?1049h", b"\x1b[2J"
TRUE_COLOUR, MANY_COLOURS = re.compile(rb"[34]8;2;"), re.compile(rb"[34]8;5;")


@pytest.fixture
def server(home: Path, environment: Mapping[str, str], tmp_path: Path) -> Iterator[SshServer]:
    """A demo, with no delay before an animal goes out."""
    need_ssh()
    configuration = tmp_path / "config.toml"
    configuration.write_text("delay = 0\n")
    server = SshServer(home, {**environment, "PETTUI_CONFIG": str(configuration)}, "--workers=1")
    yield server
    assert server.stop() == 0


@pytest.fixture
def connect(server: SshServer) -> Iterator[Open]:
    """Connect; what is still open at the end of the test is cut."""
    terminals: list[Terminal] = []

    def connect(*options: str, **more: object) -> Terminal:
        terminals.append(server.terminal(*options, **more))  # type: ignore[arg-type]
        terminals[-1].wait_for("DEMO", NEWEST_SAMPLE)
        return terminals[-1]

    yield connect
    for terminal in terminals:
        terminal.close()


def quit_app(terminal: Terminal) -> None:
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()


def add(terminal: Terminal, name: str) -> None:
    terminal.press("a")
    terminal.wait_for("Add an animal", "Name")
    terminal.press(name, "\t", "3", ENTER)
    terminal.wait_until(lambda: re.search(rf"[✔v] .*{name}", terminal.text) is not None, "added")
    terminal.press(ESCAPE)


def test_anybody_may_use_the_demo_which_says_that_it_is_one(connect: Open) -> None:
    terminal = connect()
    terminal.wait_for("nothing is kept", "A demo, for you alone")
    quit_app(terminal)
    assert terminal.after_screen() == ""


def test_arrows_move_the_cursor_and_enter_opens_the_animal(connect: Open) -> None:
    terminal = connect()
    terminal.press(DOWN, DOWN)
    terminal.wait_for("▌    58  Blackjack")
    terminal.press(ENTER)
    terminal.wait_for("getPet is deprecated", "Blackjack")
    terminal.press(ESCAPE)
    terminal.wait_for(" shown")
    quit_app(terminal)


def test_an_animal_with_a_wide_name_is_typed_and_added(connect: Open) -> None:
    terminal = connect()
    add(terminal, "金魚")
    terminal.wait_for("added this session: 1", "金魚", NEWEST_SAMPLE)
    rows = {line[9:11]: line for line in terminal.text.splitlines()}
    # pyte gives a wide character one place: two of them stand in four cells.
    assert rows["金魚"].index("3 Dogs") + 2 == rows["Mi"].index("1 Cats")
    quit_app(terminal)


def test_a_resize_redraws_the_whole_screen(connect: Open) -> None:
    terminal = connect(size=(30, 100))
    terminal.resize(16, 60)
    terminal.wait_until(lambda: terminal.written.count(CLEARS) == 2, "a screen drawn anew")
    terminal.wait_until(lambda: "Quit" in terminal.text.splitlines()[-1], "the last row's keys")
    assert "3 Dogs" not in terminal.text
    terminal.resize(40, 120)
    terminal.wait_until(lambda: "Quit" in terminal.text.splitlines()[-1], "the last row's keys")
    assert "3 Dogs" in terminal.text
    quit_app(terminal)


def test_a_click_puts_the_cursor_on_a_row(connect: Open) -> None:
    terminal = connect()
    terminal.wait_for("Nemo", "Quit")
    row = next(i for i, line in enumerate(terminal.text.splitlines(), 1) if "Nemo" in line)
    terminal.press(f"\x1b[<0;10;{row}M", f"\x1b[<0;10;{row}m")
    terminal.wait_until(lambda: re.search("▌ +41 +Nemo", terminal.text) is not None, "cursor")
    quit_app(terminal)


def test_a_paste_goes_into_the_field_whole(connect: Open) -> None:
    terminal = connect()
    terminal.press("a")
    terminal.wait_for("Add an animal")
    terminal.press("\x1b[200~Pasted q and \x1b[201~")
    terminal.press("typed")
    terminal.wait_for("Pasted q and typed")
    quit_app(terminal)


def test_pasted_lines_are_shown_and_become_animals(connect: Open) -> None:
    """A hundred, as a terminal sends them: with carriage returns."""
    terminal = connect()
    terminal.press("a")
    terminal.wait_for("Add an animal")
    lines = "\r".join(f"Puppy {number}\t3\tsold" for number in range(100))
    terminal.press(f"\x1b[200~{lines}\x1b[201~")
    terminal.wait_for("100 animals in category 3 Dogs", "Add all")
    terminal.press("\r")
    terminal.wait_for("100 added to the outbox", "Puppy 99")
    terminal.press("\x1b[19~")  # F8
    terminal.wait_until(lambda: re.search(r"Name +▌Puppy 99", terminal.text) is not None, "F8")
    terminal.press("\x11")
    terminal.close()


def test_a_paste_that_is_too_long_is_refused_with_a_message(connect: Open) -> None:
    """A hundred kilobytes are taken, and none of a longer one."""
    terminal = connect()
    terminal.press("a", "Re")
    terminal.wait_for("Add an animal", "Re")
    terminal.press("\x1b[200~" + "y" * 100_001 + "\x1b[201~", "x")
    terminal.wait_for("100.1 kB is too long: at most 100 kB at once")
    terminal.wait_until(lambda: re.search(r"Name +▌Rex +▐", terminal.text) is not None, "Rex")
    quit_app(terminal)


def test_replies_of_the_terminal_are_not_taken_for_typing(connect: Open) -> None:
    terminal = connect()
    terminal.press("a")
    terminal.wait_for("Add an animal")
    terminal.press("\x1b]11;rgb:1515/1919/1e1e\x1b\\", "\x1bP>|xterm(388)\x1b\\", "\x1b[?62;22c")
    terminal.press("\x1b[1114112;1u", "Rex")
    terminal.wait_until(lambda: re.search(r"Name +▌Rex +▐", terminal.text) is not None, "Rex")
    quit_app(terminal)


@pytest.mark.parametrize(
    ("variables", "has_true", "has_many"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, True, False),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False, False),
        *exhaustive_rows(
            ({"TERM": "xterm-256color"}, False, True),
            ({"TERM": "linux"}, False, False),
        ),
    ],
    ids=["truecolor", "none", "256", "16"],
)
def test_colours_are_those_that_the_client_says_it_has(
    connect: Open, variables: dict[str, str], has_true: bool, has_many: bool
) -> None:
    terminal = connect("-o", "SendEnv=COLORTERM NO_COLOR LANG", **variables)
    quit_app(terminal)
    assert (TRUE_COLOUR.search(terminal.written) is not None) is has_true
    assert (MANY_COLOURS.search(terminal.written) is not None) is has_many
    has_any = re.search(rb"\x1b\[[0-9;]*[34][0-7]m", terminal.written) is not None
    assert has_any is not ("NO_COLOR" in variables)


def test_a_locale_without_unicode_gets_ascii_alone(connect: Open) -> None:
    terminal = connect("-o", "SendEnv=LANG", LANG="C")
    terminal.wait_for(">    60  Mitzi")
    quit_app(terminal)
    assert terminal.written.isascii()


def test_the_environment_of_the_server_does_not_reach_sessions(
    home: Path, environment: Mapping[str, str]
) -> None:
    need_ssh()
    mine = {"NO_COLOR": "1", "TEXTUAL": "debug", "TEXTUAL_THEME": "nord", "COLORTERM": "truecolor"}
    server = SshServer(home, {**environment, **mine}, "--workers=1")
    terminal = server.terminal()
    terminal.wait_for(NEWEST_SAMPLE)
    quit_app(terminal)
    assert MANY_COLOURS.search(terminal.written)
    assert not TRUE_COLOUR.search(terminal.written)
    assert server.stop() == 0


def test_two_users_see_nothing_of_each_other(connect: Open) -> None:
    first, second = connect(), connect()
    add(first, "Castor")
    first.wait_for("Castor", NEWEST_SAMPLE)
    second.press("r")
    second.press("a", "Pollux")
    second.wait_for("▌Pollux ")
    assert "Castor" not in second.text
    assert "Pollux" not in first.text
    quit_app(first)
    quit_app(second)


def test_a_demo_starts_over_after_a_confirmation(connect: Open) -> None:
    terminal = connect()
    add(terminal, "Castor")
    terminal.wait_for("Castor", "added this session: 1")
    terminal.press(F9)
    terminal.wait_for("Start the demo over?")
    terminal.press("y")
    terminal.wait_until(lambda: terminal.written.count(TAKES_SCREEN) == 2, "the new screen")
    terminal.wait_for(" shown", NEWEST_SAMPLE)
    assert "Castor" not in terminal.text
    quit_app(terminal)


def test_a_client_that_is_cut_ends_its_session_alone(connect: Open, server: SshServer) -> None:
    first, second = connect(), connect()
    first.kill(signal.SIGKILL)
    end = server.wait_for_event("end")
    assert end["reason"] == "cut"
    second.press(F1)
    second.wait_for("Keys")
    second.press(ESCAPE)
    quit_app(second)


def test_a_stop_is_announced_and_restores_the_terminals(connect: Open, server: SshServer) -> None:
    terminal = connect()
    assert server.stop() == 0
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()
    assert (
        terminal.after_screen() == "pettui: the server is stopping; please reconnect in a moment\n"
    )


def test_the_log_says_who_connected_and_nothing_that_was_typed(
    connect: Open, server: SshServer
) -> None:
    terminal = connect()
    add(terminal, "Castor")
    quit_app(terminal)
    end = server.wait_for_event("end")
    begin = server.events("begin")[0]
    assert begin["user"] == "demo"
    assert begin["address"] == "127.0.0.1"
    assert begin["term"] == "xterm-256color"
    assert (begin["columns"], begin["rows"]) == (100, 30)
    assert end["reason"] == "quit"
    assert end["bytes"] == len(terminal.written)
    assert end["seconds"] >= 0
    assert "Castor" not in server.log


def test_an_idle_user_is_warned_and_leaves_with_a_restored_terminal(
    home: Path, environment: Mapping[str, str]
) -> None:
    need_ssh()
    server = SshServer(home, environment, "--workers=1", "--idle-timeout=12")
    terminal = server.terminal()
    terminal.wait_for("session ends in")
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()
    assert "session ended: no input for 12 seconds" in terminal.after_screen()
    assert server.wait_for_event("end")["reason"] == "idle"
    assert server.stop() == 0


@pytest.mark.exhaustive
@pytest.mark.skipif(not WHOLE, reason="two minutes; `make exhaustive` takes them")
def test_a_client_that_is_gone_is_disconnected_after_two_minutes(
    server: SshServer, connect: Open
) -> None:
    gone, quiet = connect(), connect()
    gone.process.kill(signal.SIGSTOP)
    deadline = time.monotonic() + 240
    while not server.events("end") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert server.events("dropped")[0]["reason"] == "the client does not respond"
    assert [end["reason"] for end in server.events("end")] == ["cut"]
    quiet.press(DOWN)
    quiet.wait_for("▌    59")
    quit_app(quiet)
    gone.process.kill(signal.SIGCONT)


def test_a_client_without_a_quick_key_exchange_is_told_so_and_its_lines_are_not_in_the_log(
    server: SshServer,
) -> None:
    words = ["LogLevel=INFO", "KexAlgorithms=diffie-hellman-group16-sha512"]
    finished = server.run(*(part for word in words for part in ("-o", word)))
    assert finished.returncode != 0
    assert "no matching key exchange method found" in finished.stderr
    assert [
        line for line in server.log.splitlines() if not line.startswith(("{", "pettui: "))
    ] == []
