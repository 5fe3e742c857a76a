"""Connections that are held open without a key, one kind for each state that there is."""

from __future__ import annotations

import socket
import ssl
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Hold = Callable[[socket.socket], None]

HEAD = b"POST /v1/pets HTTP/1.1\r\nHost: store\r\nContent-Type: application/json\r\n"
NO_KEY = b"GET /v1/pets HTTP/1.1\r\nHost: store\r\n\r\n"


def take_answer(connection: socket.socket, status: bytes) -> None:
    """Read an answer with its body."""
    data = connection.recv(4096)
    while b"}" not in data:
        data += connection.recv(4096)
    assert b" %s " % status in data.splitlines()[0]


def nothing(_connection: socket.socket) -> None:
    """Send no byte."""


def a_byte(connection: socket.socket) -> None:
    """Send one."""
    connection.sendall(b"G")


def half_a_head(connection: socket.socket) -> None:
    """Send headers that do not end."""
    connection.sendall(HEAD + b"X-More: ")


def a_body_after_its_answer(connection: socket.socket) -> None:
    """Take the 401, and then send one byte of the body."""
    connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n")
    take_answer(connection, b"401")
    connection.sendall(b"{")


def chunks_after_their_answer(connection: socket.socket) -> None:
    """Take the 401, and then begin a chunk."""
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    take_answer(connection, b"401")
    connection.sendall(b"ff\r\n{")


def a_body_of_another_path(connection: socket.socket) -> None:
    """Take the 404, and then send one byte of the body."""
    connection.sendall(HEAD.replace(b"/v1/pets", b"/other") + b"Content-Length: 1000\r\n\r\n")
    take_answer(connection, b"404")
    connection.sendall(b"{")


def a_whole_body_after_its_answer(connection: socket.socket) -> None:
    """Take the 401, send the body then, and ask nothing more."""
    connection.sendall(HEAD + b"Content-Length: 2\r\n\r\n")
    take_answer(connection, b"401")
    connection.sendall(b"{}")


def nothing_after_an_answer(connection: socket.socket) -> None:
    """Take a 401, and ask nothing more."""
    connection.sendall(NO_KEY)
    take_answer(connection, b"401")


def a_byte_after_an_answer(connection: socket.socket) -> None:
    """Take a 401, and begin the next request."""
    connection.sendall(NO_KEY)
    take_answer(connection, b"401")
    connection.sendall(b"G")


def a_half_closed_one(connection: socket.socket) -> None:
    """Say that nothing more comes, in the middle of a request."""
    connection.sendall(HEAD)
    connection.shutdown(socket.SHUT_WR)


def pipelined_ones_that_nobody_reads(connection: socket.socket) -> None:
    """Ask as long as the service takes it, and read nothing."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setblocking(False)
    try:
        for _ in range(1000):
            connection.sendall(NO_KEY * 1000)
    except (BlockingIOError, ssl.SSLWantWriteError):
        pass
    finally:
        connection.settimeout(60)


STATES: tuple[Hold, ...] = (
    nothing,
    a_byte,
    half_a_head,
    a_body_after_its_answer,
    chunks_after_their_answer,
    a_body_of_another_path,
    a_whole_body_after_its_answer,
    nothing_after_an_answer,
    a_byte_after_an_answer,
    a_half_closed_one,
    pipelined_ones_that_nobody_reads,
)


def handshake_not_begun(_connection: socket.socket) -> None:
    """Send no byte of TLS."""


def half_a_handshake(connection: socket.socket) -> None:
    """Send the beginning of a TLS greeting."""
    connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 20)


HANDSHAKES: tuple[Hold, ...] = (handshake_not_begun, half_a_handshake)


def is_cut(connection: socket.socket, seconds: float = 20.0) -> bool:
    """Whether the other end closes, with or without more data."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except (ConnectionError, ssl.SSLError):
        return True
    return True
