"""The status: on a socket for each server, for its owner only; and the load that it tells of."""

from __future__ import annotations

import json
import selectors
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from pettui.ssh.load import Load, LoadHistory, LoadSummary, summary
from pettui.ssh.responding import Responder
from pettui.ssh.status import (
    IN_STATUS,
    encoded,
    is_running,
    parse_answer,
    read_answers,
    running_servers,
    status_directories,
    status_of,
    status_socket,
)  # fmt: skip
from pettui.ssh.worker_link import WorkerProcess
from tests.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.fixture(autouse=True)
def short_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sockets are bound and connected to by their names alone: whole paths may be too long."""
    monkeypatch.chdir(tmp_path)


def test_all_servers_of_a_user_have_their_sockets_in_the_directory_for_what_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    kept = tmp_path / "state/pettui/ssh-status"
    for nowhere in ("", "run", str(tmp_path / "missing")):
        monkeypatch.setenv("XDG_RUNTIME_DIR", nowhere)
        assert status_directories() == [kept]
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert status_directories() == [tmp_path / "pettui-ssh", kept]
    monkeypatch.setattr("os.geteuid", lambda: 4_194_305)  # it is another user's
    assert status_directories() == [kept]


def answered(listening: socket.socket, path: Path, answers: Sequence[bytes | None]) -> bytes:
    """Return the answer to a request, which is answered so each time that it is asked for."""
    selector, is_over, left = selectors.DefaultSelector(), threading.Event(), [*answers]
    responder = Responder(listening, selector, b"\n", lambda _request: left.pop(0))

    def serve() -> None:
        while not is_over.is_set():
            responder.tick(time.monotonic())
            for key, _ in selector.select(0.01):
                key.data()

    serving = threading.Thread(target=serve)
    serving.start()
    [answer] = read_answers([path])
    is_over.set()
    serving.join()
    selector.close()
    assert isinstance(answer, bytes)
    return answer


def test_only_the_owner_gets_the_status_by_a_path_of_any_length_once_it_is_known(
    tmp_path: Path,
) -> None:
    directory = tmp_path / ("d" * 120) / "status"
    with status_socket(directory, 2222) as listening:
        [(port, _, path)] = running_servers(directory)
        assert port == 2222
        assert path.stat().st_mode & 0o777 == 0o600
        assert directory.stat().st_mode & 0o777 == 0o700
        assert answered(listening, path, [None, None, b"at last"]) == b"at last"
    assert running_servers(directory) == []


def test_the_socket_file_of_a_killed_server_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / "2222-1.sock"
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(left.name)
    assert not is_running(left)
    assert [type(error) for error in read_answers([left])] == [ConnectionRefusedError]
    with status_socket(tmp_path, 2222):
        assert not left.exists()


def test_two_servers_have_two_sockets_and_other_files_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    (tmp_path / "1-1.sock").touch()
    (tmp_path / "2-1.sock").mkdir()
    with status_socket(tmp_path, 2222), status_socket(tmp_path, 2223):
        (tmp_path / "3-1.sock").symlink_to(running_servers(tmp_path)[0].path)
        (tmp_path / "4-1.sock").symlink_to(tmp_path / "nowhere")
        assert [one.port for one in running_servers(tmp_path)] == [2222, 2223]


# What a program reads that may be of another version

NUMBERS = {
    "host": "::1", "port": 2222, "seconds": 60.0, "sessions": 2, "max_sessions": 100, "queue": 1,
    "max_queue": 200,
}  # fmt: skip
GOOD = encoded(**status_of(NUMBERS, [(WorkerProcess(0, 2, NotImplemented, 0.0), 2, 1)]))


def without(name: str) -> bytes:
    status = json.loads(GOOD)
    del status[name]
    return json.dumps(status).encode()


@pytest.mark.parametrize(
    "text",
    [
        b"", b"\xff\xfe", b"[]", b"null", b"{}", without("port"), without("processes"),
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_anything_else_is_an_error(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_answer(text, IN_STATUS)


# Load: keys per second and the 99th percentile of the last minute, as workers report them


class Worker:
    """A worker's counters, and what its parent knows of them."""

    def __init__(self, clock: Clock) -> None:
        self.load = Load(clock)
        self.history = LoadHistory(clock)

    def report(self) -> LoadSummary:
        """Report, as JSON, and return the summary of this worker alone."""
        keys, bins, *_ = json.loads(json.dumps(self.load.drain()))
        self.history.add(keys, bins)
        return summary([self.history])


@pytest.fixture
def clock() -> Clock:
    return Clock(1_000.0)


@pytest.fixture
def workers(clock: Clock) -> tuple[Worker, Worker]:
    return Worker(clock), Worker(clock)


def test_nothing_counts_for_more_than_a_minute(
    workers: tuple[Worker, Worker], clock: Clock
) -> None:
    first, _ = workers
    first.load.typed(500)
    first.load.drew(3.0)
    first.report()
    clock.now += 45
    first.load.drew(0.01)
    assert first.report().p99 == pytest.approx(3.0, rel=0.1)
    clock.now += 20
    assert first.report().keys_per_second == 0
    assert first.report().p99 == pytest.approx(0.01, rel=0.1)
    clock.now += 3_600
    assert first.report().p99 is None


def test_the_99th_percentile_is_of_all_processes(workers: tuple[Worker, Worker]) -> None:
    for worker, slowest in zip(workers, (0.1, 60.0), strict=True):
        for _ in range(49):
            worker.load.drew(0.005)
        worker.load.drew(slowest)
        worker.report()
    assert summary([worker.history for worker in workers]).p99 == pytest.approx(0.1, rel=0.1)
