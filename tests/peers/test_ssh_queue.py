"""The queue of ``pettui ssh`` with OpenSSH's client: it waits, moves up, gets in, and leaves."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.peers.ssh_server import SshServer, need_ssh, wait_until
from tests.peers.test_ssh_refusals import workers_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.peers.terminal import Terminal

QUIT = "\x11"
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
    queue = [queue_up(server, position) for position in ("1st", "2nd")]
    assert len(queue[-1].written) < 200  # a line, and no app
    first.press(QUIT)
    queue[0].wait_for("DEMO", "Mitzi")
    queue[1].wait_for("you are 1st; ")
    queue[0].press(QUIT)
    queue[1].wait_for("DEMO", "Mitzi")
    queue[1].press(QUIT)
    for terminal in (first, *queue):
        assert terminal.wait_for_end() == 0
        terminal.assert_restored()
        assert terminal.after_screen() == ""


def test_a_process_that_dies_ends_its_own_sessions_alone(server: SshServer) -> None:
    first = connect(server)
    queue = [queue_up(server, position) for position in ("1st", "2nd", "3rd")]
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
