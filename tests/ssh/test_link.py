"""Link: messages between the parent and a worker arrive whole, in order, and without blocking."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest

from pettui.ssh.worker_process import Link, encoded

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY = 20_000  # more than a socket holds


@pytest.fixture
def pair() -> Iterator[tuple[Link, socket.socket]]:
    """The parent's link, and the worker's end."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Link(ours), theirs


def test_a_message_in_parts_arrives_once_it_is_whole(pair: tuple[Link, socket.socket]) -> None:
    link, worker = pair
    text = encoded(("ask", 1, "192.0.2.1")) + encoded(("release", 7))
    assert link.receive() == []
    worker.sendall(text[:5])
    assert link.receive() == []
    worker.sendall(text[5:])
    assert link.receive() == [["ask", 1, "192.0.2.1"], ["release", 7]]


def test_what_a_worker_does_not_read_waits_for_it(pair: tuple[Link, socket.socket]) -> None:
    link, worker = pair
    for number in range(MANY):
        link.send("admitted", number)
    assert link.is_behind
    received = b""
    while link.is_behind:
        received += worker.recv(65_536)
        link.flush()
    link.close()
    while more := worker.recv(65_536):
        received += more
    numbers = [json.loads(line)[1] for line in received.splitlines()]
    assert numbers == list(range(MANY))


def test_the_end_of_a_worker_comes_after_its_messages(pair: tuple[Link, socket.socket]) -> None:
    link, worker = pair
    link.send("stop")  # which it does not read
    worker.sendall(encoded(("release", 7)) + b'["rel')
    worker.close()
    assert link.receive() == [["release", 7]]
    assert link.receive() is None
    link.send("stop")
    assert not link.is_behind
