"""HTTP/1.1 as in RFC 9112: nothing that another server could read differently is served."""

from __future__ import annotations

import re
import signal
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.service.running_service import KEY, received, running_service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.service.running_service import RunningService


CREATE = "Content-Type: application/json"
VALID = b'{"name": "Rex", "categoryId": 1}'
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(VALID), VALID)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("service")) as running:
        yield running
        assert running.stop() == 0
        assert running.events() <= {"malformed request"}


def request(
    *headers: str, method: str = "GET", target: str = "/v1/pets", body: bytes = b""
) -> bytes:
    lines = [f"{method} {target} HTTP/1.1", "Host: store", f"Authorization: Bearer {KEY}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def connection_to(service: RunningService) -> socket.socket:
    return socket.create_connection(service.address, timeout=60)


def exchange(service: RunningService, data: bytes) -> bytes:
    """Send, and return all responses, once the service closes."""
    with connection_to(service) as connection:
        connection.sendall(data)
        return received(connection)


def statuses(service: RunningService, data: bytes) -> list[int]:
    """Send, and return the statuses of all responses, once the service closes."""
    return [int(part[:3]) for part in exchange(service, data).split(b"HTTP/1.1 ")[1:]]


GET = b"GET /v1/pets HTTP/1.1\r\n"
POST = b"POST /v1/pets HTTP/1.1\r\n"
HOST = b"Host: store\r\n"
CHUNKS = POST + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
TWO_BYTES = b"\r\n\r\nxx"
NO_CHUNK = b"\r\n\r\n0\r\n\r\n"
AMBIGUOUS = {
    **{
        f"a length of {length!r}": POST + HOST + b"Content-Length:" + length + TWO_BYTES
        for length in (b" 2, 2", b"", b" +2", b" 0x2", b" 9" * 30, b" 1\r\n 2")
    },
    "two lengths": POST + HOST + b"Content-Length: 1\r\nContent-Length: 2" + TWO_BYTES,
    "a length twice": POST + HOST + b"Content-Length: 2\r\nContent-Length: 2" + TWO_BYTES,
    **{
        f"a coding of {coding!r}": POST + HOST + b"Transfer-Encoding:" + coding + NO_CHUNK
        for coding in (
            *(b"", b" identity", b" gzip, chunked", b" \x0bchunked", b"\r\n chunked"),
            b" chunked\r\nTransfer-Encoding: chunked",
            b" chunked\r\nContent-Length: 99",
        )
    },
    "a length and chunks": POST + b"Content-Length: 0\r\n" + CHUNKS[len(POST) :] + b"0\r\n\r\n",
    "chunks in HTTP/1.0": CHUNKS.replace(b"HTTP/1.1", b"HTTP/1.0") + b"0\r\n\r\n",
    "a folded header": GET + HOST + b"X: a\r\n b\r\n\r\n",
    "a blank before a header": GET + b" Host: store\r\n\r\n",
    "a blank before a colon": POST + HOST + b"Content-Length : 2\r\n\r\nxx",
    "no name": GET + HOST + b": x\r\n\r\n",
    "no colon": GET + HOST + b"no colon\r\n\r\n",
    "a bare LF": GET + HOST + b"X: a\nY: b\r\n\r\n",
    "a bare CR": GET + HOST + b"X: a\rY: b\r\n\r\n",
    "an LF after the request line": GET.replace(b"\r", b"") + HOST + b"\r\n",
    "NUL in a value": GET + HOST + b"X: a\0b\r\n\r\n",
    "NUL in a name": GET + HOST + b"X\0: a\r\n\r\n",
    "no host": GET + b"\r\n",
    "two hosts": GET + HOST + HOST + b"\r\n",
    **{
        f"the request line {line!r}": line + b"\r\n" + HOST + b"\r\n"
        for line in (
            b"GET /v1/pets",
            b"GET /v1/pets HTTP/1.2",
            b"GET /v1/pets HTTP/2.0",
            b"GET /v1/pets HTTP/1.1 ",
            b"GET\t/v1/pets HTTP/1.1",
            b"get /v1/pets HTTP/1.1",
            b"SECRET /v1/pets HTTP/1.1",
            b"CONNECT store:80 HTTP/1.1",
            b"GET /v1/pets#x HTTP/1.1",
            b"GET /v1/pets\xff HTTP/1.1",
        )
    },
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + b"x" * 50 + b"\r\n\r\n",
    **{
        f"a chunk of size {size!r}": CHUNKS + size + b"\r\nabc\r\n0\r\n\r\n"
        for size in (b"", b" 3", b"3 ", b"-3", b"0x3", b"f" * 17, b"3\r", b"3;a\n", b"3;a\0")
    },
    "an LF after a size": CHUNKS + b"3\nabc\r\n0\r\n\r\n",
    "an LF after a chunk": CHUNKS + b"3\r\nabc\n0\r\n\r\n",
    "nothing after a chunk": CHUNKS + b"3\r\nabc0\r\n\r\n",
    "a length in a trailer": CHUNKS + b"0\r\nContent-Length: 9\r\n\r\n",
    "a coding in a trailer": CHUNKS + b"0\r\nTransfer-Encoding: chunked\r\n\r\n",
}


@pytest.mark.parametrize("data", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_what_another_server_may_read_differently_is_refused_and_nothing_after_it_is_served(
    service: RunningService, data: bytes
) -> None:
    response = exchange(service, data + request())
    assert response.count(b"HTTP/1.1") == response.count(b"HTTP/1.1 4") == 1
    assert b"connection: close" in response


def test_a_trailer_is_read_and_means_nothing(service: RunningService) -> None:
    key = f"Authorization: Bearer {KEY}"
    head = request(CREATE, "Transfer-Encoding: chunked", method="POST").decode()
    without_key = head.replace(f"{key}\r\n", "").encode()
    trailer = CHUNKED.removesuffix(b"\r\n") + f"{key}\r\n\r\n".encode()
    data = without_key + trailer + request("Connection: close")
    assert statuses(service, data) == [401, 200]


@pytest.mark.parametrize("data", [request() + b"\0\0\r\n\r\n", request() * 3 + b"GET\r\n\r\n"])
def test_a_response_comes_before_the_refusal_of_what_follows_its_request(
    service: RunningService, data: bytes
) -> None:
    assert statuses(service, data)[0] == 200


@pytest.mark.parametrize(
    ("start", "more"),
    [
        (GET + HOST + b"X: ", b"x" * 6),
        (GET + HOST, b"X: y\r\n"),
        (b"\r\n", b"\r\n" * 3),
        (CHUNKS + b"3;a=", b"x" * 6),
        (CHUNKS + b"0\r\n", b"X: y\r\n"),
    ],
    ids=["header", "headers", "empty lines", "extension", "trailers"],
)
def test_what_is_not_a_body_has_a_limit(service: RunningService, start: bytes, more: bytes) -> None:
    with connection_to(service) as connection:
        connection.sendall(start)
        with suppress(ConnectionError):
            for _ in range(1_000):
                connection.sendall(more * 1000)
            pytest.fail("six million bytes were read")


def test_an_upgrade_with_a_body_is_a_request_with_a_body(service: RunningService) -> None:
    upgrade = ("Connection: Upgrade", "Upgrade: websocket", f"Content-Length: {len(VALID)}")
    data = request(CREATE, *upgrade, method="POST", body=VALID)
    assert statuses(service, data + data + request("Connection: close")) == [201, 201, 200]


@pytest.mark.parametrize(
    ("version", "connection"),
    [("1.1", "close, Upgrade"), ("1.1", "Upgrade, close"), ("1.0", "Upgrade")],
)
def test_a_wish_for_an_upgrade_in_the_last_request_is_ignored(
    service: RunningService, version: str, connection: str
) -> None:
    data = request(f"Connection: {connection}", "Upgrade: websocket")
    data = data.replace(b"HTTP/1.1", b"HTTP/%s" % version.encode())
    assert statuses(service, data) == [200]


def test_pipelined_requests_of_one_connection_do_not_hold_up_others(
    service: RunningService,
) -> None:
    with connection_to(service) as greedy, connection_to(service) as other:
        greedy.sendall(request() * 2000)
        other.sendall(request("Connection: close"))
        assert received(other).startswith(b"HTTP/1.1 200 ")
        greedy.shutdown(socket.SHUT_WR)
        assert received(greedy).count(b"HTTP/1.1 200") == 2000


def many_small_chunks(body: bytes) -> bytes:
    return b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"


@pytest.mark.parametrize("size", [64, 20_000])
def test_requests_after_a_body_in_many_small_chunks_get_responses(
    service: RunningService, size: int
) -> None:
    body = many_small_chunks(VALID.ljust(size))
    data = request(CREATE, "Transfer-Encoding: chunked", method="POST", body=body)
    assert statuses(service, data * 2 + request("Connection: close")) == [201, 201, 200]


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://store/v1/pets", 200),
        ("HTTP://store:8080/v1/pets?limit=1", 200),
        ("https://[::1]:8080/v1/pets", 200),
        ("http://elsewhere.example/v1/pets/999999", 404),
        ("http://store", 404),
        ("http://user:word@store/v1/pets", 400),
        ("http:///v1/pets", 400),
        ("http://a%20b]/v1/pets", 400),
        ("ftp://store/v1/pets", 400),
        ("v1/pets", 400),
        ("*", 400),
    ],
)
def test_the_absolute_form_of_a_target_is_served_as_the_origin_form(
    service: RunningService, target: str, status: int
) -> None:
    assert statuses(service, request("Connection: close", target=target)) == [status]


def test_a_client_that_half_closes_gets_every_response(service: RunningService) -> None:
    with connection_to(service) as connection:
        connection.sendall(request() * 3)
        connection.shutdown(socket.SHUT_WR)
        assert received(connection).count(b"HTTP/1.1 200") == 3


def test_a_response_while_the_service_stops_announces_that_the_connection_closes(
    tmp_path: Path,
) -> None:
    with running_service(tmp_path) as service, connection_to(service) as connection:
        expect = (CREATE, f"Content-Length: {len(VALID)}", "Expect: 100-continue")
        connection.sendall(request(*expect, method="POST"))
        assert connection.recv(100).startswith(b"HTTP/1.1 100")
        service.process.send_signal(signal.SIGTERM)
        with suppress(ConnectionError):
            while True:  # until it listens no more
                connection_to(service).close()
        connection.sendall(VALID)
        response = received(connection)
        assert response.startswith(b"HTTP/1.1 201 ")
        assert b"connection: close" in response
        assert service.process.wait(20) == 0
        assert service.stderr_text() == ""


def test_a_body_that_is_too_large_is_refused_and_the_connection_stays_open(
    service: RunningService,
) -> None:
    large = VALID.ljust(5_000_000)
    data = request(CREATE, f"Content-Length: {len(large)}", method="POST", body=large)
    assert statuses(service, data + request("Connection: close")) == [400, 200]


def test_a_head_has_a_length_and_no_body_and_does_not_name_the_servers_software(
    service: RunningService,
) -> None:
    head, _, body = exchange(service, request("Connection: close", method="HEAD")).partition(
        b"\r\n\r\n"
    )
    assert re.search(rb"\r\ncontent-length: [1-9]", head)
    assert b"\r\nserver:" not in head
    assert body == b""
