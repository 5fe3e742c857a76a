"""The parent of all workers: it waits, and never longer than it may, whatever they leave behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tests.peers.ssh_server import wait_until
from tests.ssh import stubborn_server
from tests.ssh.stubborn_server import LOOKS, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 60.0  # seconds, enough on a busy machine
NEVER = 3600.0
BRIEFLY = 0.02


class Stubborn:
    """The server as a process, and what its workers say in their directory."""

    def __init__(self, directory: Path, **constants: float) -> None:
        self.directory = directory
        self._log = directory / "log"
        words = [sys.executable, "-m", stubborn_server.__name__, directory, json.dumps(constants)]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(words, stderr=log)
        wait_until(lambda: len(self.named("worker")) == WORKERS, "all workers")

    def named(self, kind: str) -> list[int]:
        """Return the process ids in the names of files."""
        return [int(path.name.split()[1]) for path in self.directory.glob(f"{kind} [0-9]*")]

    def logged(self, event: str) -> int:
        """Return how often there was an event."""
        lines = map(json.loads, self._log.read_text().splitlines())
        return sum(line["event"] == event for line in lines)

    def stop(self) -> list[float]:
        """End it; return how long its parent was ready to wait, each time that it looked."""
        (self.directory / "stopping").touch()
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 0
        return list(json.loads((self.directory / "waits").read_text()))


@contextmanager
def stubborn(directory: Path, **constants: float) -> Iterator[Stubborn]:
    server = Stubborn(directory, **constants)
    try:
        yield server
    finally:
        for pid in (server.process.pid, *server.named("worker"), *server.named("child")):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        server.process.wait()


def test_the_parent_waits_while_its_last_worker_ends_and_another_is_missing(tmp_path: Path) -> None:
    with stubborn(tmp_path, TICK=BRIEFLY, RESTART_PAUSE=BRIEFLY, STOP_SECONDS=NEVER) as server:
        (tmp_path / "broken").touch()
        os.kill(server.named("worker")[0], signal.SIGKILL)
        wait_until(lambda: server.logged("worker ended") > 1, "a worker that can't start")
        waits = server.stop()
        assert len(waits) >= LOOKS
        assert waits.count(0.0) < LOOKS / 2


def test_the_parent_waits_for_no_tick_beyond_its_deadline(tmp_path: Path) -> None:
    with stubborn(tmp_path, TICK=NEVER, STOP_SECONDS=BRIEFLY) as server:
        assert server.stop()


def test_a_child_of_a_dead_worker_holds_up_nobody(tmp_path: Path) -> None:
    (tmp_path / "drained").touch()
    (tmp_path / "leave a child").touch()
    with stubborn(tmp_path) as server:
        [child] = server.named("child")
        for worker in server.named("worker"):
            os.kill(worker, signal.SIGKILL)
        wait_until(lambda: len(server.named("worker")) == 2 * WORKERS, "other workers")
        assert server.logged("worker ended") == WORKERS
        os.kill(child, 0)  # it still has the socket
        server.stop()
