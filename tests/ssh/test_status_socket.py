"""The status socket: one for each server, for its owner only, removed at the end."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from pettui.ssh import status as status_socket
from pettui.ssh.status import (
    StatusResponder,
    is_running,
    read_statuses,
    running_servers,
    status_responder,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

PATIENCE = 60.0  # seconds, enough on a busy machine


@contextmanager
def running(directory: Path, port: int) -> Iterator[StatusResponder]:
    errors: list[OSError] = []
    with status_responder(directory, port, lambda: b"well", errors.append) as responder:
        assert responder is not None
        yield responder
    assert errors == []


def status_from(responder: StatusResponder, path: Path) -> bytes | OSError:
    received: list[bytes | OSError] = []
    reading = threading.Thread(target=lambda: received.extend(read_statuses([path])))
    reading.start()
    responder.listening.setblocking(True)
    responder.respond()
    reading.join()
    return received[0]


def test_only_the_owner_can_connect_and_gets_the_status(tmp_path: Path) -> None:
    directory = tmp_path / "state" / "status"
    with running(directory, 2222) as responder:
        [(port, path)] = running_servers(directory)
        assert port == 2222
        assert path.stat().st_mode & 0o777 == 0o600
        assert directory.stat().st_mode & 0o777 == 0o700
        assert status_from(responder, path) == b"well"
    assert running_servers(directory) == []


def test_a_directory_that_others_may_enter_is_made_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with running(tmp_path, 2222):
        assert tmp_path.stat().st_mode & 0o777 == 0o700


def test_a_path_longer_than_an_address_works(tmp_path: Path) -> None:
    directory = tmp_path / ("d" * 120)
    with running(directory, 2222) as responder:
        [(_, path)] = running_servers(directory)
        assert status_from(responder, path) == b"well"


def test_the_socket_file_of_a_killed_server_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / "2222-1.sock"
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(left))
    assert not is_running(left)
    assert [type(error) for error in read_statuses([left])] == [ConnectionRefusedError]
    with running(tmp_path, 2222):
        assert not left.exists()


def test_servers_are_asked_at_once(tmp_path: Path) -> None:
    with ExitStack() as opened:
        servers = [opened.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(3)]
        paths = [tmp_path / f"{number}-1.sock" for number in range(3)]
        for server, path in zip(servers, paths, strict=True):
            server.bind(str(path))
            server.listen()

        def answer() -> None:
            for connection in [server.accept()[0] for server in servers]:  # all, then the first
                with connection:
                    connection.sendall(b"well")

        answering = threading.Thread(target=answer)
        answering.start()
        assert read_statuses(paths) == [b"well"] * 3
        answering.join()


def test_a_server_that_does_not_respond_is_running_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_socket, "STATUS_SECONDS", 0.01)
    path = tmp_path / "1-1.sock"
    with socket.socket(socket.AF_UNIX) as hanging:
        hanging.bind(str(path))
        hanging.listen()
        [status] = read_statuses([path])
        assert isinstance(status, OSError)
        assert is_running(path)


def test_two_servers_have_two_sockets_and_other_files_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    (tmp_path / "1-1.sock").touch()
    (tmp_path / "2-1.sock").mkdir()
    with running(tmp_path, 2222), running(tmp_path, 2223):
        (tmp_path / "3-1.sock").symlink_to(running_servers(tmp_path)[0][1])
        (tmp_path / "4-1.sock").symlink_to(tmp_path / "nowhere")
        assert [port for port, _ in running_servers(tmp_path)] == [2222, 2223]


def test_without_a_directory_there_is_no_socket_and_the_error_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    errors: list[OSError] = []
    with status_responder(tmp_path / "file" / "below", 1, lambda: b"", errors.append) as responder:
        assert responder is None
    assert len(errors) == 1


@contextmanager
def no_descriptor_left() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    next_one = os.dup(0)
    os.close(next_one)
    resource.setrlimit(resource.RLIMIT_NOFILE, (next_one, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_without_a_descriptor_the_next_attempt_comes_after_a_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_socket, "SHORTAGE_PAUSE", 3600.0)
    attempts = counted_attempts(monkeypatch)
    with running(tmp_path, 2222) as responder, connected(tmp_path):
        serving = asyncio.create_task(responder.serve())
        with no_descriptor_left():
            for _ in range(200):
                await asyncio.sleep(0)
        serving.cancel()
        assert len(attempts) == 1


async def test_the_status_is_sent_once_there_is_a_descriptor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_socket, "SHORTAGE_PAUSE", 0.0)
    attempts = counted_attempts(monkeypatch)
    with running(tmp_path, 2222) as responder, connected(tmp_path) as client:
        serving = asyncio.create_task(responder.serve())
        with no_descriptor_left():
            while len(attempts) < 2:  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0)
        assert await asyncio.to_thread(client.recv, 100) == b"well"
        serving.cancel()


def counted_attempts(monkeypatch: pytest.MonkeyPatch) -> list[StatusResponder]:
    """Return a list that gets an item for each attempt to respond."""
    attempts: list[StatusResponder] = []
    respond = StatusResponder.respond
    monkeypatch.setattr(
        StatusResponder, "respond", lambda each: (attempts.append(each), respond(each))
    )
    return attempts


@contextmanager
def connected(directory: Path) -> Iterator[socket.socket]:
    [(_, path)] = running_servers(directory)
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE)
        client.connect(str(path))
        yield client


def test_a_client_that_is_gone_is_ignored(tmp_path: Path) -> None:
    with running(tmp_path, 2222) as responder:
        responder.respond()  # no connection, or another process was faster
        [(_, path)] = running_servers(tmp_path)
        with socket.socket(socket.AF_UNIX) as gone:
            gone.connect(str(path))
        responder.respond()
