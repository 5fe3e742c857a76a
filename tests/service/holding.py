"""Functions that leave a connection without a key in one of its states."""

from __future__ import annotations

import socket
import ssl
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Hold = Callable[[socket.socket], None]

HEAD = b"POST /v1/pets HTTP/1.1\r\nHost: store\r\nContent-Type: application/json\r\n"
NO_KEY = b"GET /v1/pets HTTP/1.1\r\nHost: store\r\n\r\n"


def read_response(connection: socket.socket, status: bytes) -> None:
    """Read a response with its body."""
    data = connection.recv(4096)
    while b"}" not in data:
        data += connection.recv(4096)
    assert b" %s " % status in data.splitlines()[0]


def nothing(_connection: socket.socket) -> None:
    """Send nothing."""


def a_byte(connection: socket.socket) -> None:
    """Send one byte."""
    connection.sendall(b"G")


def half_a_head(connection: socket.socket) -> None:
    """Send incomplete headers."""
    connection.sendall(HEAD + b"X-More: ")


def a_body_after_its_response(connection: socket.socket) -> None:
    """Read the 401, then send one byte of the body."""
    connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n")
    read_response(connection, b"401")
    connection.sendall(b"{")


def chunks_after_their_response(connection: socket.socket) -> None:
    """Read the 401, then start a chunk."""
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    read_response(connection, b"401")
    connection.sendall(b"ff\r\n{")


def a_body_of_another_path(connection: socket.socket) -> None:
    """Read the 404, then send one byte of the body."""
    connection.sendall(HEAD.replace(b"/v1/pets", b"/other") + b"Content-Length: 1000\r\n\r\n")
    read_response(connection, b"404")
    connection.sendall(b"{")


def a_whole_body_after_its_response(connection: socket.socket) -> None:
    """Read the 401, then send the body, and no other request."""
    connection.sendall(HEAD + b"Content-Length: 2\r\n\r\n")
    read_response(connection, b"401")
    connection.sendall(b"{}")


def nothing_after_a_response(connection: socket.socket) -> None:
    """Read a 401, and send no other request."""
    connection.sendall(NO_KEY)
    read_response(connection, b"401")


def a_byte_after_a_response(connection: socket.socket) -> None:
    """Read a 401, then start the next request."""
    connection.sendall(NO_KEY)
    read_response(connection, b"401")
    connection.sendall(b"G")


def half_closed(connection: socket.socket) -> None:
    """Half-close in the middle of a request."""
    connection.sendall(HEAD)
    connection.shutdown(socket.SHUT_WR)


def pipelined_requests_without_reading(connection: socket.socket) -> None:
    """Send requests as long as the service accepts them, and read nothing."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
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
    a_body_after_its_response,
    chunks_after_their_response,
    a_body_of_another_path,
    a_whole_body_after_its_response,
    nothing_after_a_response,
    a_byte_after_a_response,
    half_closed,
    pipelined_requests_without_reading,
)


# One for each deadline that is short while there is no room.
CROWDING_STATES: tuple[Hold, ...] = (
    nothing,
    a_body_after_its_response,
    nothing_after_a_response,
    pipelined_requests_without_reading,
)
# Those that can go on, a byte at a time.
SLOW_STATES: tuple[Hold, ...] = (half_a_head, chunks_after_their_response)


def handshake_not_started(_connection: socket.socket) -> None:
    """Send no byte of TLS."""


def half_a_handshake(connection: socket.socket) -> None:
    """Send the start of a TLS ClientHello."""
    connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 20)


HANDSHAKES: tuple[Hold, ...] = (handshake_not_started, half_a_handshake)


def is_closed(connection: socket.socket, seconds: float = 20.0) -> bool:
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
