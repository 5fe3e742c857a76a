"""The installed program where the system lets it start few threads and processes, or none."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.cli.conftest import finished
from tests.peers.ssh_server import SSH_PROGRAM, SshServer, wait_until
from tests.peers.terminal import PROGRAM
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.peers.conftest import Start

NOBODYS = "54321"  # a uid with no other process: the limit counts all of a user's
READS_ALL = "+dac_override,+dac_read_search"

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv"), reason="another user's limits need root"
)


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that the user can read: pytest's directories are root's alone."""
    with tempfile.TemporaryDirectory() as path:
        os.chown(path, int(NOBODYS), -1)
        yield Path(path)


def limited(tasks: int) -> list[str]:
    """Return the command that runs pettui with at most this many threads and processes."""
    user = ["setpriv", "--reuid", NOBODYS, "--clear-groups", "--inh-caps", READS_ALL]
    return [*user, "--ambient-caps", READS_ALL, "prlimit", f"--nproc={tasks}", PROGRAM]


def refusal(line: str) -> bool:
    """Whether this is the one line that names the limit."""
    return re.fullmatch(r"pettui: threads: only \d of \d can be started; .*\r?\n", line) is not None


@pytest.mark.parametrize("tasks", [1, 6])
def test_a_service_says_what_it_needs_or_serves(environment: Mapping[str, str], tasks: int) -> None:
    with subprocess.Popen(
        [*limited(tasks), "serve", "--port", "0"],
        env={**environment, "PETTUI_SERVICE_KEYS": "till-0-0123456789"},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            if found := re.search(r"http://\S+/v1", line):
                headers = {"Authorization": "Bearer till-0-0123456789"}
                body = {"name": "Rex", "categoryId": 1}
                added = httpx.post(f"{found[0]}/pets", json=body, headers=headers, timeout=60)
                assert added.status_code == 201
                assert ' is new"' in process.stderr.readline()
                process.send_signal(signal.SIGTERM)
            assert process.communicate(timeout=PATIENCE)[1] == ""
        finally:
            process.kill()  # otherwise a failed test waits for it, for ever
    assert process.returncode == (0 if found else 2)
    assert found or refusal(line)


@pytest.mark.parametrize("tasks", [1, 9])
def test_the_app_says_what_it_needs_or_takes_an_animal(start: Start, tasks: int) -> None:
    terminal = start(program=limited(tasks))
    terminal.wait_until(lambda: re.search("can be started|[0-9]+ shown", terminal.text), "either")
    if "can be started" in terminal.text:
        assert terminal.wait_for_end() == 2
        assert refusal(terminal.written.decode())
        return
    terminal.press("aRex\t3\r")
    terminal.wait_for("Rex")
    terminal.press("\x1b")
    terminal.wait_for("added this session: 1")
    terminal.quit()


def test_ssh_says_that_no_process_can_be_started(environment: Mapping[str, str]) -> None:
    words = [*limited(1), "ssh", "--port", "0", "--workers", "1"]
    ended = finished(words, environment)
    assert ended.returncode == 2
    [line] = [line for line in ended.stderr.splitlines() if not line.startswith("{")]
    assert line.startswith("pettui: ssh: cannot start a process")


def test_a_process_that_died_is_started_again_once_there_is_room(
    serve_ssh: Callable[..., SshServer],
) -> None:
    server = serve_ssh("--workers=2", program=[*limited(100), *SSH_PROGRAM[1:]])
    limit(server.process.pid, 1)
    os.kill(server.workers[0], signal.SIGKILL)
    server.wait_for_event("worker not started")
    assert len(server.workers) == 1
    limit(server.process.pid, 100)
    wait_until(lambda: len(server.workers) == 2, "another process")
    assert "bug" not in server.log


def limit(pid: int, tasks: int) -> None:
    """Set the limit of a running program of that user; only the same user may."""
    change = f"resource.prlimit({pid}, resource.RLIMIT_NPROC, ({tasks}, 100))"
    program = f"import os, resource; os.setresuid(*[{NOBODYS}] * 3); {change}"
    subprocess.run([sys.executable, "-c", program], check=True)
