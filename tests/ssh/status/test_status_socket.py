"""The socket that says how a server does: its owner's alone, one a server, gone with it."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from pettui.ssh.status.status_socket import (
    StatusAnswer,
    read_status,
    running_servers,
    status_answer,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def answering(directory: Path, port: int) -> Iterator[StatusAnswer]:
    told: list[OSError] = []
    with status_answer(directory, port, lambda: b"well", told.append) as answer:
        assert answer is not None
        yield answer
    assert told == []


def ask(answer: StatusAnswer, path: Path) -> bytes:
    said: list[bytes] = []
    asking = threading.Thread(target=lambda: said.append(read_status(path)))
    asking.start()
    answer.listening.setblocking(True)
    answer.answer()
    asking.join()
    return said[0]


def test_whoever_connects_is_told_and_nobody_but_the_owner_can(tmp_path: Path) -> None:
    directory = tmp_path / "state" / "status"
    with answering(directory, 2222) as answer:
        [(port, path)] = running_servers(directory)
        assert port == 2222
        assert path.stat().st_mode & 0o777 == 0o600
        assert directory.stat().st_mode & 0o777 == 0o700
        assert ask(answer, path) == b"well"
    assert running_servers(directory) == []


def test_a_directory_that_others_may_enter_is_made_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with answering(tmp_path, 2222):
        assert tmp_path.stat().st_mode & 0o777 == 0o700


def test_a_path_longer_than_an_address_does(tmp_path: Path) -> None:
    directory = tmp_path / ("d" * 120)
    with answering(directory, 2222) as answer:
        [(_, path)] = running_servers(directory)
        assert ask(answer, path) == b"well"


def test_what_a_killed_server_left_is_taken_away_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / "2222-1.sock"
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(left))
    with pytest.raises(ConnectionRefusedError):
        read_status(left)
    with answering(tmp_path, 2222):
        assert not left.exists()


def test_two_servers_have_two_sockets_and_other_files_are_none(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    (tmp_path / "1-1.sock").touch()
    (tmp_path / "2-1.sock").mkdir()
    with answering(tmp_path, 2222), answering(tmp_path, 2223):
        (tmp_path / "3-1.sock").symlink_to(running_servers(tmp_path)[0][1])
        (tmp_path / "4-1.sock").symlink_to(tmp_path / "nowhere")
        assert [port for port, _ in running_servers(tmp_path)] == [2222, 2223]


def test_without_a_directory_the_server_goes_on_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told: list[OSError] = []
    with status_answer(tmp_path / "file" / "below", 1, lambda: b"", told.append) as answer:
        assert answer is None
    assert len(told) == 1


def test_whoever_is_gone_before_the_answer_costs_nothing(tmp_path: Path) -> None:
    with answering(tmp_path, 2222) as answer:
        answer.answer()  # nobody came, or another process was first
        [(_, path)] = running_servers(tmp_path)
        with socket.socket(socket.AF_UNIX) as gone:
            gone.connect(str(path))
        answer.answer()
