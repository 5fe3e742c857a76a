"""The queue of ``pettui ssh`` with OpenSSH's client: it waits, moves up, gets in, and leaves."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest

from tests.exhaustive import exhaustive
from tests.peers.ssh_server import SshServer, need_ssh, wait_until
from tests.peers.test_ssh_refusals import workers_of
from tests.peers.tmux import Tmux

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.peers.terminal import Terminal

QUIT = "\x11"
LINE = r"you are 1st; about \d+ minutes; press q to leave"
SHORTER, SHORTEST = "you are 1st; q leaves", "1st"
WIDTHS = ((60, LINE), (30, SHORTER), (8, SHORTEST), (90, LINE), (12, SHORTEST))  # columns
CUT = 255  # the exit code of ssh when its connection is cut


@pytest.fixture
def server(home: Path, environment: Mapping[str, str]) -> Iterator[SshServer]:
    """A demo with room for one session, in two processes."""
    need_ssh()
    server = SshServer(home, environment, "--demo", "--workers=2", "--max-sessions=1")
    yield server
    assert server.stop() == 0


def connect(server: SshServer) -> Terminal:
    terminal = server.terminal()
    terminal.wait_for("DEMO", "Mitzi")
    return terminal


def queue_up(server: SshServer, position: str) -> Terminal:
    terminal = server.terminal()
    terminal.wait_for(f"you are {position}; about ", " minutes; press q to leave")
    return terminal


def assert_untouched(terminal: Terminal) -> None:
    """Check that no mode was set, the screen is empty, and input is taken as before."""
    assert b"\x1b[?" not in terminal.written
    assert terminal.text.strip() == ""
    terminal.assert_input_restored()


def leave(terminal: Terminal) -> int:
    """Quit the app once it is there, unless the connection was cut; return the exit code."""
    while "DEMO" not in terminal.text and terminal.read():
        pass
    with suppress(OSError):
        terminal.press(QUIT)
    code = terminal.wait_for_end()
    terminal.assert_input_restored()
    return code


def test_clients_wait_move_up_and_get_in_by_order_in_all_processes(server: SshServer) -> None:
    first = connect(server)
    queue = [queue_up(server, position) for position in ("1st", "2nd", "3rd", "4th")]
    assert len(queue[-1].written) < 200  # a line, and no app
    before = first
    for number, terminal in enumerate(queue):
        before.press(QUIT)
        assert before.wait_for_end() == 0
        before.assert_restored()
        terminal.wait_for("DEMO", "Mitzi")
        if number + 1 < len(queue):
            queue[number + 1].wait_for("you are 1st; ")
        before = terminal
    before.press(QUIT)
    assert before.wait_for_end() == 0
    before.assert_restored()
    assert before.after_screen() == ""


@pytest.mark.parametrize("key", ["q", *exhaustive("\x03")], ids=["q", "ctrl+c"])
def test_a_key_leaves_the_queue_and_the_terminal_is_as_it_was(server: SshServer, key: str) -> None:
    first = connect(server)
    waiting, behind = queue_up(server, "1st"), queue_up(server, "2nd")
    waiting.press(key)
    assert waiting.wait_for_end() == 0
    assert_untouched(waiting)
    behind.wait_for("you are 1st; ")
    behind.press("q")
    assert behind.wait_for_end() == 0
    first.press(QUIT)
    assert first.wait_for_end() == 0
    connect(server).close()


def wait_for_all_below(tmux: Tmux, pattern: str) -> None:
    """Wait until this alone is below the numbers to 60 that were there before."""

    def is_below() -> bool:
        text = tmux.run("capture-pane", "-p", "-S", "-")  # with what scrolled off
        _, _, after = text.partition("60\n")
        return re.fullmatch(pattern, after.strip()) is not None

    tmux.wait_until(is_below)


def resize(tmux: Tmux, columns: int) -> None:
    tmux.run("resize-window", "-x", str(columns))


@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")
@pytest.mark.exhaustive  # also in one process, in tests/ssh
def test_the_line_leaves_nothing_where_a_narrower_terminal_wraps_it(
    server: SshServer, environment: Mapping[str, str], tmp_path: Path
) -> None:
    first = connect(server)
    script = f"seq 60; {shlex.join(server.words())}; echo over; exec cat"
    with closing(Tmux([script], environment, tmp_path, size=(90, 20))) as tmux:
        wait_for_all_below(tmux, LINE)
        for columns, pattern in WIDTHS:
            resize(tmux, columns)
            wait_for_all_below(tmux, pattern)
        for columns in range(90, 24, -6):  # faster than the server can follow
            resize(tmux, columns)
        wait_for_all_below(tmux, SHORTER)
        resize(tmux, 15)
        tmux.press("q")
        wait_for_all_below(tmux, "over")
    first.close()


@pytest.mark.exhaustive  # also in one process, in tests/ssh
def test_a_cut_leaves_the_queue(server: SshServer) -> None:
    first = connect(server)
    gone, waiting = queue_up(server, "1st"), queue_up(server, "2nd")
    gone.kill(signal.SIGKILL)
    waiting.wait_for("you are 1st; ")
    assert server.wait_for_event("left")["reason"] == "cut"
    first.press(QUIT)
    waiting.wait_for("DEMO", "Mitzi")
    gone.close()
    waiting.close()


def test_a_process_that_dies_ends_its_own_sessions_alone(server: SshServer) -> None:
    first = connect(server)
    queue = [queue_up(server, position) for position in ("1st", "2nd", "3rd", "4th", "5th", "6th")]
    everybody = [first, *queue]
    os.kill(workers_of(server)[1], signal.SIGKILL)
    server.wait_for_event("worker ended")
    wait_until(lambda: len(workers_of(server)) == 2, "another process")
    last = server.terminal()  # whoever comes now is behind those that are left, or gets in
    last.wait_until(lambda: "you are" in last.text or "DEMO" in last.text, "a line or the app")
    codes = [leave(terminal) for terminal in [*everybody, last]]
    assert set(codes) <= {0, CUT}
    assert codes[-1] == 0
    server.wait_for_event("end", codes.count(0))  # they were let in, and quit
    connect(server).close()


@pytest.mark.parametrize("number", [signal.SIGTERM, *exhaustive(signal.SIGINT)], ids=str)
def test_a_stop_is_announced_to_those_who_wait_and_restores_their_terminals(
    home: Path, environment: Mapping[str, str], number: signal.Signals
) -> None:
    need_ssh()
    server = SshServer(home, environment, "--demo", "--workers=1", "--max-sessions=1")
    first = connect(server)
    waiting = queue_up(server, "1st")
    assert server.stop(number) == 0
    assert waiting.wait_for_end() == 0
    assert b"\x1b[?" not in waiting.written
    assert waiting.text.strip() == "pettui: the server is stopping; please reconnect in a moment"
    waiting.assert_input_restored()
    assert first.wait_for_end() == 0


def test_a_full_queue_is_refused_with_a_message(home: Path, environment: Mapping[str, str]) -> None:
    need_ssh()
    for most, full in (("0", "the server is full"), ("1", "the server and its queue are full")):
        server = SshServer(home, environment, "--max-sessions=1", f"--max-queue={most}")
        first = connect(server)
        waiting = [queue_up(server, "1st")] if most == "1" else []
        refused = server.terminal()
        assert refused.wait_for_end() == 1
        expected = f"pettui: {full}; try again later\r\n"
        assert refused.written.decode() == expected
        for terminal in (first, *waiting):
            terminal.close()
        assert server.stop() == 0
